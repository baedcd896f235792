#include "search/lattice_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "graphs/tie_order.hpp"
#include "memory/bits.hpp"
#include "recognition/reference_positions.hpp"
#include "search/band_search.hpp"
#include "search/best_product_path.hpp"
#include "search/best_transitions.hpp"
#include "search/prefix_bounds.hpp"
#include "search/product_table.hpp"

namespace latticemetric {
namespace {

// An objective: only gains decide. Among paths of the best gain, the cheapest is taken.
template <typename Value>
class GainObjective {
 public:
  using Completion = CompletionCost;
  static constexpr bool adversarial = false, has_costs = false;

  explicit GainObjective(const Lattice& lattice) : lattice_(lattice) {}

  Value cost(std::int64_t) const { return 0; }
  Value end_cost(std::int32_t) const { return 0; }

  // Returns how much worse than the best a path through this product state may still be.
  Value slack(std::int32_t, std::int32_t) const { return 0; }
  void reach(std::int32_t, std::int32_t, Value) {}

  Completion ending(std::int32_t s) const { return latticemetric::ending(lattice_, s); }
  Completion before(std::int64_t arc, Edit, const Completion& rest) const {
    return latticemetric::before(lattice_, arc, rest);
  }

 private:
  const Lattice& lattice_;
};

// An objective: gains less the denominator, at a price for each of its units, decide. Ties as above.
template <typename Value>
class PricedObjective : public GainObjective<Value> {
 public:
  static constexpr bool has_costs = true;

  PricedObjective(const Lattice& lattice, const std::int32_t* size, Int128 price)
      : GainObjective<Value>(lattice), size_(size), price_(static_cast<Value>(price)) {}

  Value cost(std::int64_t arc) const { return static_cast<Value>(price_ * size_[arc]); }
  PrefixBounds::Costs costs(const Lattice& lattice) const {
    PrefixBounds::Costs costs{{}, std::vector<PrefixBounds::Loss>(static_cast<std::size_t>(lattice.states), 0)};
    for (std::int64_t a = 0; a < lattice.arcs; ++a) costs.arc.push_back(static_cast<PrefixBounds::Loss>(cost(a)));
    return costs;
  }

 private:
  const std::int32_t* const size_;
  const Value price_;
};

// An objective: gains and costs decide together. Both are rounded to units of 2^shift for the table. Paths that
// rounding may have made worse than the best are kept, and compared by their exact values.
template <typename Value>
class WeightedObjective {
 public:
  static constexpr bool adversarial = false, has_costs = true;
  struct Completion {
    Int128 loss = std::numeric_limits<Int128>::max();
    std::int64_t cost = 0, words = 0;
    bool operator<(const Completion& other) const {
      return loss != other.loss ? loss < other.loss : comes_first(*this, other);
    }
    bool operator==(const Completion& other) const { return loss == other.loss && costs_as_much(*this, other); }
  };

  // `largest` bounds the absolute value of every loss; `terms` is the number of terms that a loss adds up.
  WeightedObjective(const Lattice& lattice, IntegerCosts costs, Gains gains, Int128 gain_weight, Int128 cost_weight,
                    Int128 largest, std::int64_t terms)
      : lattice_(lattice), costs_(costs), gains_(gains), gain_weight_(gain_weight), cost_weight_(cost_weight) {
    while ((largest >> shift_) >= Int128{1} << (8 * sizeof(Value) - 5)) ++shift_;
    const std::int64_t lost = shift_ == 0 ? 0 : terms + 1;  // half a unit per term, for the path and for the best one
    slack_.emplace(pair_key(0, 0), static_cast<Value>(lost));
    arc_.reserve(static_cast<std::size_t>(lattice.arcs));
    for (std::int64_t a = 0; a < lattice.arcs; ++a) arc_.push_back(rounded(cost_weight * costs.arc[a]));
    for (std::int32_t s = 0; s < lattice.states; ++s)
      end_.push_back(lattice.is_final(s) ? rounded(cost_weight * costs.final[s]) : 0);
  }

  Gains rounded_gains() const {
    return {gains_.order, rounded(gain_weight_ * gains_.unit), rounded(gain_weight_ * gains_.alpha),
            rounded(gain_weight_ * gains_.beta)};
  }

  PrefixBounds::Costs costs() const { return {{arc_.begin(), arc_.end()}, {end_.begin(), end_.end()}}; }
  Value cost(std::int64_t arc) const { return arc_[static_cast<std::size_t>(arc)]; }
  Value end_cost(std::int32_t s) const { return end_[static_cast<std::size_t>(s)]; }

  Value slack(std::int32_t s, std::int32_t state) const { return slack_.at(pair_key(s, state)); }
  void reach(std::int32_t s, std::int32_t state, Value slack) {
    auto& kept = slack_.try_emplace(pair_key(s, state), slack).first->second;
    kept = std::max(kept, slack);
  }

  Completion ending(std::int32_t s) const { return {cost_weight_ * costs_.final[s], costs_.final[s], 0}; }
  Completion before(std::int64_t arc, Edit edit, const Completion& rest) const {
    const Int128 loss = rest.loss - gain_weight_ * EditGains<std::int64_t>(gains_).of(edit);
    if (arc == silent) return {loss, rest.cost, rest.words};
    return {loss + cost_weight_ * costs_.arc[arc], rest.cost + costs_.arc[arc], rest.words + lattice_.is_word[arc]};
  }

 private:
  Value rounded(Int128 value) const {
    return static_cast<Value>(shift_ == 0 ? value : (value + (Int128{1} << (shift_ - 1))) >> shift_);
  }

  const Lattice& lattice_;
  const IntegerCosts costs_;
  const Gains gains_;
  const Int128 gain_weight_, cost_weight_;
  int shift_ = 0;
  std::vector<Value> arc_, end_;
  std::unordered_map<std::uint64_t, Value> slack_;
};

// Returns a bound of the absolute value of all gains of the lattice's strings.
Int128 largest_gain_in(const Lattice& lattice, std::int64_t reference_words, Gains gains) {
  return largest_gain<Int128>(gains, longest_path(lattice, true), reference_words);
}

template <typename Values, typename Objective>
BestProductPath<BestTransitions<Values, Objective>> best_path(const Lattice& lattice,
                                                              BestTransitions<Values, Objective>& transitions,
                                                              const NumberedStates* optimal_states = nullptr) {
  return {transitions, lattice.states, lattice.arcs, lattice.source, lattice.target, optimal_states};
}

// Finds the best path by a table of the whole product.
template <typename Value, typename Objective>
BestPath best_of_table(const Lattice& lattice, const std::int32_t* reference, std::int32_t reference_words,
                       EditGains<Value> gains, Objective objective) {
  ProductTable<Value, Objective> table(lattice, reference, reference_words, gains, std::move(objective));
  table.fill();
  BestTransitions transitions(lattice, table.begins(), table.positions(), reference_words, table, table.objective());
  return {best_path(lattice, transitions).arcs(), table.value(0, 0, 0)};
}

// Returns whether to search a band. Shorter references take longer with a band, or with segments, than without
// (measured on layered lattices of 50 to 1,600 words, 5 and 40 % errors). Runs of matches cost a table more than they
// cost a band.
bool is_band(SearchMethod method, std::int32_t words, std::int32_t order) {
  constexpr std::int32_t least = 700, least_with_runs = 350;
  return method.kind == SearchMethod::band || (method.kind == SearchMethod::automatic &&
                                               words >= (order > 1 ? least_with_runs : least));
}
BandSearch::Settings settings(SearchMethod method, std::int32_t words) {
  return {method.kind == SearchMethod::band || words >= BandSearch::least_for_segments, method.part_bytes};
}

// Returns costs of 0, for objectives without costs.
PrefixBounds::Costs no_costs(const Lattice& lattice) {
  using Losses = std::vector<BandSearch::Loss>;
  return {Losses(static_cast<std::size_t>(lattice.arcs), 0), Losses(static_cast<std::size_t>(lattice.states), 0)};
}

// Searches a band, and returns visit(search, states of best paths, objective, their loss). `costs` are those of the
// objective.
template <typename Value, typename Objective, typename Visit>
auto in_band(const Lattice& lattice, const std::int32_t* reference, std::int32_t reference_words, Gains gains,
             Objective objective, const PrefixBounds::Costs& costs, BandSearch::Settings settings, Visit visit) {
  BandSearch search(lattice, reference, reference_words, gains, costs, settings);
  const auto most = search.template most<Value>(objective);
  const auto found = search.template best<Value>(objective, most);
  return visit(search, found.states, objective, found.lost);
}

// Finds the best path by a band.
template <typename Value, typename Objective>
BestPath best_of_band(const Lattice& lattice, const std::int32_t* reference, std::int32_t reference_words,
                      Gains gains, Objective objective, const PrefixBounds::Costs& costs,
                      BandSearch::Settings settings) {
  return in_band<Value>(
      lattice, reference, reference_words, gains, std::move(objective), costs, settings,
      [&](const BandSearch& search, const auto& states, auto& objective_in_use, BandSearch::Loss lost) -> BestPath {
        auto transitions = search.transitions(states, objective_in_use);
        const Int128 par = static_cast<Int128>(gains.order) * gains.unit * reference_words;
        return {best_path(lattice, transitions, &states.numbers()).arcs(), par - lost};
      });
}

// Calls in_band(value) or in_table(value). `value` is a zero of a type that holds what decides; `largest` bounds its
// absolute value, and largest_in_band() that of the sums of a band.
template <typename LargestInBand, typename InBand, typename InTable>
auto choose_method(Int128 largest, LargestInBand largest_in_band, std::int32_t reference_words, std::int32_t order,
                   SearchMethod method, InBand in_band, InTable in_table) {
  if (is_band(method, reference_words, order)) {
    // Relative to par, a loss may be twice as large as a gain.
    const auto sum = largest_in_band();
    if (fits<std::int32_t>(sum, 8)) return in_band(std::int32_t{});
    if (fits<std::int64_t>(sum, 8)) return in_band(std::int64_t{});
  }
  if (fits<std::int16_t>(largest, 4)) return in_table(std::int16_t{});
  if (fits<std::int32_t>(largest, 4)) return in_table(std::int32_t{});
  return fits<std::int64_t>(largest, 4) ? in_table(std::int64_t{}) : in_table(Int128{});
}

// Returns a bound of the absolute value of all gains, as exact as `choose_method` needs it.
Int128 largest_gain_at_most(const Lattice& lattice, std::int32_t reference_words, Gains gains) {
  // A path has fewer arcs than the lattice has states. Mostly, this is all there is to know of the longest path.
  const auto largest = largest_gain<Int128>(gains, lattice.states - 1, reference_words);
  return fits<std::int16_t>(largest, 4) ? largest : largest_gain_in(lattice, reference_words, gains);
}

// Returns a bound of the absolute value of all sums of gains in a band.
Int128 largest_in_band(const Lattice& lattice, std::int32_t reference_words, Gains gains) {
  return BandSearch::largest_sum<Int128>(gains, longest_path(lattice, true), reference_words);
}

// Lists the states of best paths and their transitions: all transitions between optimal states belong to best paths.
template <typename Value, typename Transitions>
BestAlignments optimal_alignments(const Lattice& lattice, const OptimalStates<Value>& states, Transitions transitions) {
  BestAlignments found;
  found.ends.reserve(states.size());
  for (std::int32_t s = 0; s < lattice.states; ++s) {
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

BestPath search_lattice(const Lattice& lattice, const std::int32_t* reference, std::int32_t reference_words,
                        Gains gains, SearchMethod method) {
  const auto band = [&](auto value) {
    using Value = decltype(value);
    return best_of_band<Value>(lattice, reference, reference_words, gains, GainObjective<Value>(lattice),
                               no_costs(lattice), settings(method, reference_words));
  };
  const auto table = [&](auto value) {
    using Value = decltype(value);
    return best_of_table<Value>(lattice, reference, reference_words, EditGains<Value>(gains),
                                GainObjective<Value>(lattice));
  };
  return choose_method(
      largest_gain_at_most(lattice, reference_words, gains),
      [&] { return largest_in_band(lattice, reference_words, gains); }, reference_words, gains.order, method, band,
      table);
}

PathAtRate search_at_rate(const Lattice& lattice, const std::int32_t* size, const std::int32_t* reference,
                          std::int32_t reference_words, Gains gains, Ratio rate, SearchMethod method) {
  const auto longest = longest_path(lattice, true);
  // Floating-point numbers, since 128 bits may not hold them.
  const auto scale = static_cast<double>(rate.total);
  const double prices = std::fabs(static_cast<double>(rate.gain)) * gains.order * static_cast<double>(longest + 1);
  const double largest = scale * largest_gain<double>(gains, static_cast<double>(longest), reference_words) + prices;
  if (largest >= std::ldexp(1.0, 124))
    throw std::overflow_error("the rates have too many digits to be compared exactly");
  const auto band = [&](auto value) {
    using Value = decltype(value);
    const PricedObjective<Value> objective(lattice, size, rate.gain);
    const auto scaled = [&](std::int64_t gain) { return static_cast<std::int64_t>(rate.total * gain); };
    const Gains scaled_gains{gains.order, scaled(gains.unit), scaled(gains.alpha), scaled(gains.beta)};
    return best_of_band<Value>(lattice, reference, reference_words, scaled_gains, objective, objective.costs(lattice),
                               settings(method, reference_words));
  };
  const auto table = [&](auto value) {
    using Value = decltype(value);
    const auto scaled = [&](std::int64_t gain) { return static_cast<Value>(rate.total * gain); };
    const EditGains<Value> scaled_gains(gains.order, scaled(gains.unit), scaled(gains.alpha), scaled(gains.beta));
    return best_of_table<Value>(lattice, reference, reference_words, scaled_gains,
                                PricedObjective<Value>(lattice, size, rate.gain));
  };
  auto best = choose_method(
      static_cast<Int128>(largest) + 1,
      [&] {
        return scale * BandSearch::largest_sum<double>(gains, static_cast<double>(longest), reference_words) + prices;
      },
      reference_words, gains.order, method, band, table);
  Int128 total = 0;
  for (const auto a : best.arcs) total += size[a];
  return {std::move(best.arcs), {(best.gain + rate.gain * total) / rate.total, total}};
}

BestAlignments best_alignments(const Lattice& lattice, const std::int32_t* reference, std::int32_t reference_words,
                               Gains gains, SearchMethod method) {
  const auto band = [&](auto value) {
    using Value = decltype(value);
    return in_band<Value>(
        lattice, reference, reference_words, gains, GainObjective<Value>(lattice), no_costs(lattice),
        settings(method, reference_words),
        [&](const BandSearch& search, const auto& states, auto& objective, BandSearch::Loss) {
          return optimal_alignments(lattice, states, search.transitions(states, objective));
        });
  };
  const auto table = [&](auto value) {
    using Value = decltype(value);
    using Objective = GainObjective<Value>;
    ProductTable<Value, Objective> values(lattice, reference, reference_words, EditGains<Value>(gains),
                                          Objective(lattice));
    values.fill();
    const auto states = optimal_states(lattice, values.begins(), values.positions(), reference_words, values,
                                       values.objective());
    return optimal_alignments(lattice, states,
                              BestTransitions(lattice, values.begins(), values.positions(), reference_words, states,
                                              values.objective()));
  };
  return choose_method(
      largest_gain_at_most(lattice, reference_words, gains),
      [&] { return largest_in_band(lattice, reference_words, gains); }, reference_words, gains.order, method, band,
      table);
}

template <typename Values, typename Objective>
LeastLoss least_loss(const Lattice& lattice, BestTransitions<Values, Objective> transitions) {
  auto best = best_path(lattice, transitions);
  auto path = best.arcs();
  const auto& [loss, cost, words] = best.completion();
  return {std::move(path), loss, cost, words};
}

LeastLoss search_least_loss(const Lattice& lattice, IntegerCosts costs, const std::int32_t* reference,
                            std::int32_t reference_words, Gains gains, Int128 gain_weight, Int128 cost_weight,
                            SearchMethod method) {
  const std::int64_t arcs = longest_path(lattice, false) + 1;
  const Int128 sum = largest_in_band(lattice, reference_words, gains);
  // 128 bits may not hold the sums of a band, whose bound is a larger one.
  const bool in_band = is_band(method, reference_words, gains.order) &&
                       static_cast<double>(gain_weight) * static_cast<double>(sum) < std::ldexp(1.0, 125);
  const Int128 largest = gain_weight * (in_band ? sum : largest_gain_in(lattice, reference_words, gains)) +
                         cost_weight * largest_cost(lattice, costs) * arcs;
  // A path's arcs and its end; each arc's edit, which rounds up to `order` units at once; and the deletions.
  const std::int64_t terms = arcs + gains.order * (arcs + reference_words);
  if (in_band) {
    WeightedObjective<std::int64_t> objective(lattice, costs, gains, gain_weight, cost_weight, largest, terms);
    BandSearch search(lattice, reference, reference_words, objective.rounded_gains(), objective.costs(),
                      settings(method, reference_words));
    const auto found = search.best<std::int64_t>(objective, search.most<std::int64_t>(objective));
    return least_loss(lattice, search.transitions(found.states, objective));
  }
  using Objective = WeightedObjective<std::int32_t>;
  Objective objective(lattice, costs, gains, gain_weight, cost_weight, largest, terms);
  const EditGains<std::int32_t> rounded(objective.rounded_gains());
  ProductTable<std::int32_t, Objective> table(lattice, reference, reference_words, rounded, std::move(objective));
  table.fill();
  return least_loss(lattice, BestTransitions(lattice, table.begins(), table.positions(), reference_words, table,
                                             table.objective()));
}

}  // namespace latticemetric
