#include "recognition_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <unordered_map>

#include "best_path_of_product.hpp"
#include "prefix_losses.hpp"
#include "recognition_band.hpp"
#include "recognition_edits.hpp"
#include "recognition_table.hpp"
#include "reference_places.hpp"

namespace latticemetric {
namespace {

// What a transition of the automaton does: a match is the length of the longest n-gram that it completes.
enum class Edit : std::int32_t { insertion = -2, deletion = -1, substitution = 0 };
constexpr Edit match(std::int32_t length) { return static_cast<Edit>(length); }

// Gains alone decide: all that lose nothing are answers, of which the cheapest is taken.
template <typename Value>
class BestGain {
 public:
  using Completion = CompletionCost;
  static constexpr bool opposed = false, weighs = false;

  explicit BestGain(const Graph& graph) : graph_(graph) {}

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
  const Graph& graph_;
};

// Gains and costs decide together. Both are rounded for the table, to units of 2^shift; all paths that rounding may have
// made worse than they are are looked at again, as they are.
class WeighedGain {
 public:
  using Value = std::int32_t;
  static constexpr bool opposed = false, weighs = true;
  struct Completion {
    Wide loss = std::numeric_limits<Wide>::max();
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
  WeighedGain(const Graph& graph, WholeCosts costs, Gains gains, Wide gain_weight, Wide cost_weight, Wide largest,
              std::int64_t terms)
      : graph_(graph), costs_(costs), gains_(gains), gain_weight_(gain_weight), cost_weight_(cost_weight) {
    while ((largest >> shift_) >= Wide{1} << 27) ++shift_;
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
    const Wide loss = rest.loss - gain_weight_ * gain(edit);
    if (arc == silent) return {loss, rest.cost, rest.words};
    return {loss + cost_weight_ * costs_.arc[arc], rest.cost + costs_.arc[arc], rest.words + graph_.is_word[arc]};
  }

 private:
  static std::uint64_t key(std::int32_t s, std::int32_t state) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(s)) << 32 | static_cast<std::uint32_t>(state);
  }

  Value rounded(Wide value) const {
    return static_cast<Value>(shift_ == 0 ? value : (value + (Wide{1} << (shift_ - 1))) >> shift_);
  }

  std::int64_t gain(Edit edit) const {
    if (edit == Edit::insertion) return -gains_.alpha;
    if (edit == Edit::deletion) return -gains_.beta;
    return static_cast<std::int64_t>(edit) * gains_.unit;
  }

  const Graph& graph_;
  const WholeCosts costs_;
  const Gains gains_;
  const Wide gain_weight_, cost_weight_;
  int shift_ = 0;
  std::vector<Value> arc_, end_;
  std::unordered_map<std::uint64_t, Value> slack_;
};

// The transitions of the best paths of the product, by the values of its states. A rule says which paths are answers.
// State (i, m) of the automaton is number i * order + m.
template <typename Values, typename Rule>
class BestTransitions {
  using Value = typename Values::Value;

 public:
  using Completion = typename Rule::Completion;

  BestTransitions(const Graph& graph, const std::int64_t* begin, const ReferencePlaces& places, std::int32_t size,
                  const Values& values, Rule& rule)
      : graph_(graph), begin_(begin), places_(places), size_(size), edits_(values.edits()), values_(values), rule_(rule) {}

  std::int32_t first_state(std::int32_t s) const { return values_.first_state(s); }
  std::int32_t states(std::int32_t s) const { return values_.states(s); }

  bool ends(std::int32_t s, std::int32_t state) {
    if (state / edits_.order != size_ || !graph_.is_final(s)) return false;
    return static_cast<Value>(values_.value(s, size_, state % edits_.order) + rule_.end_cost(s)) <= rule_.slack(s, state);
  }

  Completion ending(std::int32_t s) const { return rule_.ending(s); }
  Completion before(std::int64_t arc, Edit edit, const Completion& rest) const { return rule_.before(arc, edit, rest); }

  template <typename Visit>
  void each_transition(std::int32_t s, std::int32_t state, Visit visit) {
    const std::int32_t order = edits_.order, i = state / order, m = state % order, onward = (i + 1) * order;
    const Value best = values_.value(s, i, m), slack = rule_.slack(s, state);
    const auto propose = [&](std::int64_t a, std::int32_t t, std::int32_t r, Value added, Edit edit) {
      const auto lost = static_cast<Value>(best - added - values_.value(t, r / order, r % order));
      if (lost > slack) return;
      rule_.reach(t, r, static_cast<Value>(slack - lost));
      visit(a, t, r, edit);
    };
    const bool more = i < size_;
    if (more) propose(silent, s, onward, edits_.deletion, Edit::deletion);
    for (auto a = begin_[s]; a < begin_[s + 1]; ++a) {
      const std::int32_t t = graph_.target[a];
      const Value cost = rule_.cost(a);
      if (graph_.label[a] == 0) {
        propose(a, t, state, static_cast<Value>(-cost), Edit::substitution);
        continue;
      }
      propose(a, t, i * order, static_cast<Value>(edits_.insertion - cost), Edit::insertion);
      if (!more) continue;
      propose(a, t, onward, static_cast<Value>(edits_.substitution - cost), Edit::substitution);
      if (places_.matches(a, i))
        propose(a, t, onward + edits_.longer(m), static_cast<Value>(edits_.match(m) - cost), match(m + 1));
    }
  }

 private:
  const Graph& graph_;
  const std::int64_t* const begin_;
  const ReferencePlaces& places_;
  const std::int32_t size_;
  const EditValues<Value> edits_;
  const Values& values_;
  Rule& rule_;
};

// The states of the product that best paths pass, with their values.
template <typename V>
class MarkedStates {
 public:
  using Value = V;

  explicit MarkedStates(const EditValues<Value>& edits) : edits_(edits), begin_{0} {}

  // Those of one state of the lattice after the other, by their numbers.
  void add(std::int32_t state, Value value) {
    states_.push_back(state);
    values_.push_back(value);
  }
  void end_state() { begin_.push_back(states_.size()); }

  const EditValues<Value>& edits() const { return edits_; }
  std::int32_t first_state(std::int32_t s) const { return begin_[s] < begin_[s + 1] ? states_[begin_[s]] : 0; }
  std::int32_t states(std::int32_t s) const {
    return begin_[s] < begin_[s + 1] ? states_[begin_[s + 1] - 1] - states_[begin_[s]] + 1 : 0;
  }
  Value value(std::int32_t s, std::int32_t i, std::int32_t m) const {
    const auto begin = states_.begin() + static_cast<std::ptrdiff_t>(begin_[s]);
    const auto end = states_.begin() + static_cast<std::ptrdiff_t>(begin_[s + 1]);
    const auto found = std::lower_bound(begin, end, i * edits_.order + m);
    if (found == end || *found != i * edits_.order + m) return std::numeric_limits<Value>::min() / 2;
    return values_[static_cast<std::size_t>(found - states_.begin())];
  }

 private:
  const EditValues<Value> edits_;
  std::vector<std::size_t> begin_;  // of each state of the lattice
  std::vector<std::int32_t> states_;
  std::vector<Value> values_;
};

// States of the product that are to be marked, by states of the lattice.
class ToBeMarked {
 public:
  explicit ToBeMarked(std::int32_t states) : head_(static_cast<std::size_t>(states), none) {}

  void add(std::int32_t s, std::int32_t state) {
    std::int32_t at = spare_;
    if (at == none) {
      at = static_cast<std::int32_t>(nodes_.size());
      nodes_.push_back({});
    } else {
      spare_ = nodes_[at].next;
    }
    nodes_[at] = {state, head_[s]};
    head_[s] = at;
  }

  // Each once, by their numbers.
  void take(std::int32_t s, std::vector<std::int32_t>& states) {
    states.clear();
    for (std::int32_t at = head_[s]; at != none;) {
      states.push_back(nodes_[at].state);
      const auto next = nodes_[at].next;
      nodes_[at].next = spare_;
      spare_ = at;
      at = next;
    }
    head_[s] = none;
    std::sort(states.begin(), states.end());
    states.erase(std::unique(states.begin(), states.end()), states.end());
  }

 private:
  static constexpr std::int32_t none = -1;
  struct Node {
    std::int32_t state, next;
  };
  std::vector<std::int32_t> head_;
  std::vector<Node> nodes_;
  std::int32_t spare_ = none;
};

template <typename Band, typename Rule>
MarkedStates<typename Band::Value> marked(const Graph& graph, const std::int64_t* begin, const ReferencePlaces& places,
                                          std::int32_t size, Band& band, Rule& rule) {
  MarkedStates<typename Band::Value> found(band.edits());
  BestTransitions<Band, Rule> transitions(graph, begin, places, size, band, rule);
  const std::int32_t order = band.edits().order;
  ToBeMarked to_be_marked(graph.states);
  to_be_marked.add(0, 0);
  std::vector<std::int32_t> here;
  band.each_part([&](std::int32_t first, std::int32_t last) {
    for (std::int32_t s = first; s <= last; ++s) {
      to_be_marked.take(s, here);
      for (std::size_t k = 0; k < here.size(); ++k) {
        const std::int32_t state = here[k];
        poll(20);
        found.add(state, band.value(s, state / order, state % order));
        transitions.each_transition(s, state, [&](std::int64_t, std::int32_t t, std::int32_t r, Edit) {
          if (t != s) return to_be_marked.add(t, r);
          const auto at = std::lower_bound(here.begin() + static_cast<std::ptrdiff_t>(k), here.end(), r);
          if (at == here.end() || *at != r) here.insert(at, r);
        });
      }
      found.end_state();
    }
  });
  return found;
}

template <typename Value>
bool fits(Wide largest) {
  return largest < static_cast<Wide>(std::numeric_limits<Value>::max()) / 4;
}

template <typename Values, typename Rule>
BestPathOfProduct<BestTransitions<Values, Rule>> best_path(const Graph& graph, BestTransitions<Values, Rule>& transitions) {
  return {transitions, graph.states, graph.arcs, graph.source, graph.target};
}

// The table of the whole product.
template <typename Value>
Best best_of_table(const Graph& graph, const std::int32_t* reference, std::int32_t reference_words, Gains gains) {
  RecognitionTable<Value, BestGain<Value>> table(graph, reference, reference_words, gains, BestGain<Value>(graph));
  table.fill();
  BestTransitions transitions(graph, table.begins(), table.places(), reference_words, table, table.rule());
  return {best_path(graph, transitions).arcs(), table.value(0, 0, 0)};
}

// The part of it that a best path may pass.
class BandSearch {
 public:
  using Loss = PrefixLosses::Loss;
  struct Settings {
    bool has_segments;
    std::size_t part_bytes;
  };

  BandSearch(const Graph& graph, const std::int32_t* reference, std::int32_t reference_words, Gains gains,
             const PrefixLosses::Costs& costs, Settings settings)
      : graph_(graph), size_(reference_words), gains_(gains), settings_(settings),
        places_(graph, reference, reference_words), before_(graph, reference_words, gains, costs),
        begin_(static_cast<std::size_t>(graph.states) + 1, 0) {
    for (std::int64_t a = 0; a < graph.arcs; ++a) ++begin_[graph.source[a] + 1];
    for (std::int32_t s = 0; s < graph.states; ++s) begin_[s + 1] += begin_[s];
  }

  // What some path loses, at par; 0 where that says nothing, since edits may gain.
  template <typename Value, typename Rule>
  Loss most(const Rule& rule) {
    if (!before_.hold()) return 0;
    const Loss most = band<Value>(rule).beam();
    if (settings_.has_segments) before_.find_segments(places_, most + rule.slack(0, 0));
    return most;
  }

  template <typename Completion>
  struct Found {
    std::vector<std::int64_t> arcs;
    Completion completion;
    Loss lost;
  };
  template <typename Value, typename Rule>
  Found<typename Rule::Completion> best(Rule& rule, Loss most) {
    auto values = band<Value>(rule);
    const Loss lost = values.fill(most, rule.slack(0, 0));
    const auto states = marked(graph_, begin_.data(), places_, size_, values, rule);
    BestTransitions transitions(graph_, begin_.data(), places_, size_, states, rule);
    auto path = best_path(graph_, transitions);
    auto arcs = path.arcs();
    return {std::move(arcs), path.completion(), lost};
  }

  // Whether values of paths that lose at most so much have 16 bits, with some edits more.
  bool is_small(Loss most) const {
    const Loss edit = gains_.order * gains_.unit + std::llabs(gains_.alpha) + std::llabs(gains_.beta);
    return before_.hold() && most + 4 * edit < std::numeric_limits<std::int16_t>::max() / 3;
  }

 private:
  template <typename Value, typename Rule>
  RecognitionBand<Value, Rule> band(const Rule& rule) {
    return {graph_, begin_.data(), places_, before_, size_, gains_, rule, settings_.part_bytes};
  }

  const Graph& graph_;
  const std::int32_t size_;
  const Gains gains_;
  const Settings settings_;
  const ReferencePlaces places_;
  PrefixLosses before_;
  std::vector<std::int64_t> begin_;
};

// Shorter references take longer with a band, or with segments, than without (measured on layered lattices of 50 to
// 1,600 words, 5 and 40 % errors). Runs of matches cost a table more than they cost a band.
bool is_band(SearchWay way, std::int32_t words, std::int32_t order) {
  constexpr std::int32_t least = 700, least_with_runs = 350;
  return way.kind == SearchWay::band || (way.kind == SearchWay::automatic && words >= (order > 1 ? least_with_runs : least));
}
BandSearch::Settings settings(SearchWay way, std::int32_t words) {
  constexpr std::int32_t least_for_segments = 1500;
  return {way.kind == SearchWay::band || words >= least_for_segments, way.part_bytes};
}

template <typename Value>
Best best_of_band(const Graph& graph, const std::int32_t* reference, std::int32_t reference_words, Gains gains,
                  BandSearch::Settings settings) {
  using Losses = std::vector<BandSearch::Loss>;
  const PrefixLosses::Costs none{Losses(static_cast<std::size_t>(graph.arcs), 0),
                                 Losses(static_cast<std::size_t>(graph.states), 0)};
  BandSearch search(graph, reference, reference_words, gains, none, settings);
  BestGain<Value> rule(graph);
  const auto most = search.template most<Value>(rule);
  BestGain<std::int16_t> small(graph);
  auto found = search.is_small(most) ? search.template best<std::int16_t>(small, most) : search.template best<Value>(rule, most);
  return {std::move(found.arcs), static_cast<Wide>(gains.order) * gains.unit * reference_words - found.lost};
}

}  // namespace

Best search_lattice(const Graph& graph, const std::int32_t* reference, std::int32_t reference_words, Gains gains, SearchWay way) {
  const Wide largest = largest_gain(graph, reference_words, gains);
  // At par, what is lost may be twice as large as gains are.
  if (is_band(way, reference_words, gains.order) && fits<std::int64_t>(2 * largest)) {
    const auto search = fits<std::int32_t>(2 * largest) ? best_of_band<std::int32_t> : best_of_band<std::int64_t>;
    return search(graph, reference, reference_words, gains, settings(way, reference_words));
  }
  const auto search = fits<std::int16_t>(largest)   ? best_of_table<std::int16_t>
                      : fits<std::int32_t>(largest) ? best_of_table<std::int32_t>
                      : fits<std::int64_t>(largest) ? best_of_table<std::int64_t>
                                                    : best_of_table<Wide>;
  return search(graph, reference, reference_words, gains);
}

LeastLoss search_least_loss(const Graph& graph, WholeCosts costs, const std::int32_t* reference,
                            std::int32_t reference_words, Gains gains, Wide gain_weight, Wide cost_weight, SearchWay way) {
  const std::int64_t arcs = longest_path(graph, false) + 1;
  const Wide largest = gain_weight * largest_gain(graph, reference_words, gains) + cost_weight * largest_cost(graph, costs) * arcs;
  // A path's arcs and its end, each with an edit that rounds up to `order` units at once, and the deletions.
  const std::int64_t terms = arcs + gains.order * (arcs + reference_words);
  WeighedGain rule(graph, costs, gains, gain_weight, cost_weight, largest, terms);
  const Gains rounded = rule.rounded_gains();
  if (is_band(way, reference_words, gains.order)) {
    BandSearch search(graph, reference, reference_words, rounded, rule.costs(), settings(way, reference_words));
    auto found = search.best<std::int32_t>(rule, search.most<std::int32_t>(rule));
    const auto& [loss, cost, words] = found.completion;
    return {std::move(found.arcs), loss, cost, words};
  }
  RecognitionTable<std::int32_t, WeighedGain> table(graph, reference, reference_words, rounded, std::move(rule));
  table.fill();
  BestTransitions transitions(graph, table.begins(), table.places(), reference_words, table, table.rule());
  auto best = best_path(graph, transitions);
  auto path = best.arcs();
  const auto& [loss, cost, words] = best.completion();
  return {std::move(path), loss, cost, words};
}

}  // namespace latticemetric
