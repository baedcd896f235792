#include "search/lattice_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <unordered_map>

#include "recognition/reference_positions.hpp"
#include "search/band_search.hpp"
#include "search/best_product_path.hpp"
#include "search/best_transitions.hpp"
#include "search/prefix_bounds.hpp"
#include "search/product_table.hpp"

namespace latticemetric {
namespace {

// Gains alone decide: all that lose nothing are answers, of which the cheapest is taken.
template <typename Value>
class BestGain {
 public:
  using Completion = CompletionCost;
  static constexpr bool opposed = false, weighs = false;

  explicit BestGain(const Lattice& graph) : graph_(graph) {}

  Value cost(std::int64_t) const { return 0; }
  Value end_cost(std::int32_t) const { return 0; }

  // How much a path through this state of the product may still lose against the best.
  Value slack(std::int32_t, std::int32_t) const { return 0; }
  void reach(std::int32_t, std::int32_t, Value) {}

  Completion ending(std::int32_t s) const { return latticemetric::ending(graph_, s); }
  Completion before(std::int64_t arc, Edit, const Completion& rest) const {
    return latticemetric::before(graph_, arc, rest);
  }

 private:
  const Lattice& graph_;
};

// Gains and costs decide together. Both are rounded for the table, to units of 2^shift; all paths that rounding may have
// made worse than they are are looked at again, as they are.
template <typename Value>
class WeighedGain {
 public:
  static constexpr bool opposed = false, weighs = true;
  struct Completion {
    Int128 loss = std::numeric_limits<Int128>::max();
    std::int64_t cost = 0, words = 0;
    bool operator<(const Completion& other) const {
      if (loss != other.loss) return loss < other.loss;
      return cost != other.cost ? cost < other.cost : words < other.words;
    }
    bool operator==(const Completion& other) const {
      return loss == other.loss && cost == other.cost && words == other.words;
    }
  };

  // `largest` bounds the size of every loss, `terms` the numbers that are added up for one.
  WeighedGain(const Lattice& graph, IntegerCosts costs, Gains gains, Int128 gain_weight, Int128 cost_weight, Int128 largest,
              std::int64_t terms)
      : graph_(graph), costs_(costs), gains_(gains), gain_weight_(gain_weight), cost_weight_(cost_weight) {
    while ((largest >> shift_) >= Int128{1} << (8 * sizeof(Value) - 5)) ++shift_;
    const std::int64_t lost = shift_ == 0 ? 0 : terms + 1;  // half a unit a term, by the path and by the best
    slack_.emplace(0, static_cast<Value>(lost));
    arc_.reserve(static_cast<std::size_t>(graph.arcs));
    for (std::int64_t a = 0; a < graph.arcs; ++a) arc_.push_back(rounded(cost_weight * costs.arc[a]));
    for (std::int32_t s = 0; s < graph.states; ++s)
      end_.push_back(graph.is_final(s) ? rounded(cost_weight * costs.final[s]) : 0);
  }

  Gains rounded_gains() const {
    return {gains_.order, rounded(gain_weight_ * gains_.unit), rounded(gain_weight_ * gains_.alpha),
            rounded(gain_weight_ * gains_.beta)};
  }

  PrefixLosses::Costs costs() const { return {{arc_.begin(), arc_.end()}, {end_.begin(), end_.end()}}; }
  Value cost(std::int64_t arc) const { return arc_[static_cast<std::size_t>(arc)]; }
  Value end_cost(std::int32_t s) const { return end_[static_cast<std::size_t>(s)]; }

  Value slack(std::int32_t s, std::int32_t state) const { return slack_.at(key(s, state)); }
  void reach(std::int32_t s, std::int32_t state, Value slack) {
    auto& kept = slack_.try_emplace(key(s, state), slack).first->second;
    kept = std::max(kept, slack);
  }

  Completion ending(std::int32_t s) const { return {cost_weight_ * costs_.final[s], costs_.final[s], 0}; }
  Completion before(std::int64_t arc, Edit edit, const Completion& rest) const {
    const Int128 loss = rest.loss - gain_weight_ * EditGains<std::int64_t>(gains_).of(edit);
    if (arc == silent) return {loss, rest.cost, rest.words};
    return {loss + cost_weight_ * costs_.arc[arc], rest.cost + costs_.arc[arc], rest.words + graph_.is_word[arc]};
  }

 private:
  static std::uint64_t key(std::int32_t s, std::int32_t state) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(s)) << 32 | static_cast<std::uint32_t>(state);
  }

  Value rounded(Int128 value) const {
    return static_cast<Value>(shift_ == 0 ? value : (value + (Int128{1} << (shift_ - 1))) >> shift_);
  }

  const Lattice& graph_;
  const IntegerCosts costs_;
  const Gains gains_;
  const Int128 gain_weight_, cost_weight_;
  int shift_ = 0;
  std::vector<Value> arc_, end_;
  std::unordered_map<std::uint64_t, Value> slack_;
};

// No gain of the lattice's strings is larger in size than this.
Int128 largest_gain_in(const Lattice& graph, std::int64_t reference_words, Gains gains) {
  return largest_gain<Int128>(gains, longest_path(graph, true), reference_words);
}

template <typename Values, typename Rule>
BestPathOfProduct<BestTransitions<Values, Rule>> best_path(const Lattice& graph, BestTransitions<Values, Rule>& transitions,
                                                           const NumberedStates* marked = nullptr) {
  return {transitions, graph.states, graph.arcs, graph.source, graph.target, marked};
}

// The table of the whole product.
template <typename Value>
Best best_of_table(const Lattice& graph, const std::int32_t* reference, std::int32_t reference_words, Gains gains) {
  RecognitionTable<Value, BestGain<Value>> table(graph, reference, reference_words, gains, BestGain<Value>(graph));
  table.fill();
  BestTransitions transitions(graph, table.begins(), table.places(), reference_words, table, table.rule());
  return {best_path(graph, transitions).arcs(), table.value(0, 0, 0)};
}

// Shorter references take longer with a band, or with segments, than without (measured on layered lattices of 50 to
// 1,600 words, 5 and 40 % errors). Runs of matches cost a table more than they cost a band.
bool is_band(SearchWay way, std::int32_t words, std::int32_t order) {
  constexpr std::int32_t least = 700, least_with_runs = 350;
  return way.kind == SearchWay::band || (way.kind == SearchWay::automatic && words >= (order > 1 ? least_with_runs : least));
}
BandSearch::Settings settings(SearchWay way, std::int32_t words) {
  return {way.kind == SearchWay::band || words >= BandSearch::least_for_segments, way.part_bytes};
}

// Searches a band: visit(search, states of best paths, rule, what they lose).
template <typename Value, typename Visit>
auto in_band(const Lattice& graph, const std::int32_t* reference, std::int32_t reference_words, Gains gains,
             BandSearch::Settings settings, Visit visit) {
  using Losses = std::vector<BandSearch::Loss>;
  const PrefixLosses::Costs none{Losses(static_cast<std::size_t>(graph.arcs), 0),
                                 Losses(static_cast<std::size_t>(graph.states), 0)};
  BandSearch search(graph, reference, reference_words, gains, none, settings);
  BestGain<Value> rule(graph);
  const auto most = search.template most<Value>(rule);
  const auto found = search.template best<Value>(rule, most);
  return visit(search, found.states, rule, found.lost);
}

// Calls in_band(value) or in_table(value), with a 0 of a kind that holds all gains.
template <typename InBand, typename InTable>
auto either_way(const Lattice& graph, std::int32_t reference_words, Gains gains, SearchWay way, InBand in_band,
                InTable in_table) {
  const Int128 largest = largest_gain_in(graph, reference_words, gains);
  // At par, what is lost may be twice as large as gains are.
  if (is_band(way, reference_words, gains.order) && fits<std::int64_t>(largest, 8))
    return fits<std::int32_t>(largest, 8) ? in_band(std::int32_t{}) : in_band(std::int64_t{});
  if (fits<std::int16_t>(largest, 4)) return in_table(std::int16_t{});
  if (fits<std::int32_t>(largest, 4)) return in_table(std::int32_t{});
  return fits<std::int64_t>(largest, 4) ? in_table(std::int64_t{}) : in_table(Int128{});
}

// All transitions between marked states are those of best paths.
template <typename Value, typename Transitions>
BestAlignments between(const Lattice& graph, const MarkedStates<Value>& states, Transitions transitions) {
  BestAlignments found;
  found.ends.reserve(states.size());
  for (std::int32_t s = 0; s < graph.states; ++s) {
    for (auto q = states.begin(s); q < states.end(s); ++q) {
      poll(20);
      found.ends.push_back(transitions.ends(s, states.state(q)));
      transitions.each_transition(s, states.state(q), [&](std::int64_t a, std::int32_t t, std::int32_t r, Edit) {
        found.arc.push_back(a);
        found.target.push_back(states.number(t, r));
      });
      found.first.push_back(found.arc.size());
    }
    found.begin.push_back(found.ends.size());
  }
  return found;
}

}  // namespace

Best search_lattice(const Lattice& graph, const std::int32_t* reference, std::int32_t reference_words, Gains gains, SearchWay way) {
  const auto band = [&](auto value) {
    return in_band<decltype(value)>(
        graph, reference, reference_words, gains, settings(way, reference_words),
        [&](const BandSearch& search, const auto& states, auto& rule, BandSearch::Loss lost) -> Best {
          auto transitions = search.transitions(states, rule);
          const Int128 par = static_cast<Int128>(gains.order) * gains.unit * reference_words;
          return {best_path(graph, transitions, &states.numbers()).arcs(), par - lost};
        });
  };
  const auto table = [&](auto value) { return best_of_table<decltype(value)>(graph, reference, reference_words, gains); };
  return either_way(graph, reference_words, gains, way, band, table);
}

BestAlignments best_alignments(const Lattice& graph, const std::int32_t* reference, std::int32_t reference_words,
                               Gains gains, SearchWay way) {
  const auto band = [&](auto value) {
    return in_band<decltype(value)>(
        graph, reference, reference_words, gains, settings(way, reference_words),
        [&](const BandSearch& search, const auto& states, auto& rule, BandSearch::Loss) {
          return between(graph, states, search.transitions(states, rule));
        });
  };
  const auto table = [&](auto value) {
    using Value = decltype(value);
    using Rule = BestGain<Value>;
    RecognitionTable<Value, Rule> values(graph, reference, reference_words, gains, Rule(graph));
    values.fill();
    const auto states = marked(graph, values.begins(), values.places(), reference_words, values, values.rule());
    return between(graph, states, BestTransitions(graph, values.begins(), values.places(), reference_words, states,
                                                  values.rule()));
  };
  return either_way(graph, reference_words, gains, way, band, table);
}

template <typename Values, typename Rule>
LeastLoss least_loss(const Lattice& graph, BestTransitions<Values, Rule> transitions) {
  auto best = best_path(graph, transitions);
  auto path = best.arcs();
  const auto& [loss, cost, words] = best.completion();
  return {std::move(path), loss, cost, words};
}

LeastLoss search_least_loss(const Lattice& graph, IntegerCosts costs, const std::int32_t* reference,
                            std::int32_t reference_words, Gains gains, Int128 gain_weight, Int128 cost_weight, SearchWay way) {
  const std::int64_t arcs = longest_path(graph, false) + 1;
  const Int128 largest = gain_weight * largest_gain_in(graph, reference_words, gains) + cost_weight * largest_cost(graph, costs) * arcs;
  // A path's arcs and its end, each with an edit that rounds up to `order` units at once, and the deletions.
  const std::int64_t terms = arcs + gains.order * (arcs + reference_words);
  if (is_band(way, reference_words, gains.order)) {
    WeighedGain<std::int64_t> rule(graph, costs, gains, gain_weight, cost_weight, largest, terms);
    BandSearch search(graph, reference, reference_words, rule.rounded_gains(), rule.costs(), settings(way, reference_words));
    const auto found = search.best<std::int64_t>(rule, search.most<std::int64_t>(rule));
    return least_loss(graph, search.transitions(found.states, rule));
  }
  using Rule = WeighedGain<std::int32_t>;
  Rule rule(graph, costs, gains, gain_weight, cost_weight, largest, terms);
  const Gains rounded = rule.rounded_gains();
  RecognitionTable<std::int32_t, Rule> table(graph, reference, reference_words, rounded, std::move(rule));
  table.fill();
  return least_loss(graph, BestTransitions(graph, table.begins(), table.places(), reference_words, table, table.rule()));
}

}  // namespace latticemetric
