// The search of a long lattice in a band of its product with the automaton of a recognition rate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "graphs/lattice.hpp"
#include "recognition/automaton.hpp"
#include "recognition/reference_positions.hpp"
#include "search/best_transitions.hpp"
#include "search/prefix_bounds.hpp"
#include "search/product_band.hpp"

namespace latticemetric {

class BandSearch {
 public:
  using Loss = PrefixBounds::Loss;
  static constexpr std::int32_t least_for_segments = 1500;  // reference words from which segments save time
  struct Settings {
    bool has_segments;
    std::size_t part_bytes;
  };

  // Returns a bound of the absolute value of all sums of gains in a band. Bounds of windows may insert or delete as
  // many words as both sides have together, and other sums have as many terms as the beam is wide, or as the order.
  template <typename Number>
  static Number largest_sum(Gains gains, Number hypothesis_words, Number reference_words) {
    const Number words = hypothesis_words + reference_words + beam_width + gains.order;
    return largest_gain<Number>(gains, words, words);
  }

  BandSearch(const Lattice& lattice, const std::int32_t* reference, std::int32_t reference_words, Gains gains,
             const PrefixBounds::Costs& costs, Settings settings)
      : lattice_(lattice), size_(reference_words), gains_(gains), settings_(settings),
        positions_(lattice, reference, reference_words), prefix_bounds_(lattice, reference_words, gains, costs),
        begin_(arc_begins(lattice)) {}

  // Returns the loss of some path, relative to par: an upper bound of the least loss. Returns 0 if there are no bounds,
  // since edits may gain.
  template <typename Value, typename Objective>
  Loss most(const Objective& objective) {
    if (!prefix_bounds_.are_valid()) return 0;
    const Loss most = band<Value, Value>(objective).beam();
    if (settings_.has_segments) prefix_bounds_.find_segments(positions_, most + objective.slack(0, 0));
    return most;
  }

  // Finds the product states on best paths. `most` is the loss of some path.
  template <typename Value>
  struct Found {
    OptimalStates<Value> states;
    Loss lost;
  };
  template <typename Value, typename Objective>
  Found<Value> best(Objective& objective, Loss most) {
    if constexpr (!Objective::has_costs)
      if (may_be_narrow())
        if (auto found = best_of_cells<std::int16_t, Value>(objective, most)) return *std::move(found);
    return *best_of_cells<Value, Value>(objective, most);
  }

  // Follows one best path of a lattice that is a chain; see `follow_best`. `most` is the loss of some path.
  template <typename Value, typename Objective, typename Rank, typename Visit>
  void follow(Objective& objective, Loss most, Rank rank, Visit visit) {
    if constexpr (!Objective::has_costs)
      if (may_be_narrow() && follow_in_cells<std::int16_t, Value>(objective, most, rank, visit)) return;
    follow_in_cells<Value, Value>(objective, most, rank, visit);
  }

  template <typename Value, typename Objective>
  BestTransitions<OptimalStates<Value>, Objective> transitions(const OptimalStates<Value>& states,
                                                               Objective& objective) const {
    return {lattice_, begin_.data(), positions_, size_, states, objective};
  }

 private:
  template <typename Cell, typename Value, typename Objective>
  std::optional<Found<Value>> best_of_cells(Objective& objective, Loss most) {
    auto values = band<Cell, Value>(objective);
    const auto lost = values.fill(most, objective.slack(0, 0));
    if (!lost) return std::nullopt;
    return Found<Value>{optimal_states(lattice_, begin_.data(), positions_, size_, values, objective), *lost};
  }

  // Returns false, and follows nothing, if cells are too small.
  template <typename Cell, typename Value, typename Objective, typename Rank, typename Visit>
  bool follow_in_cells(Objective& objective, Loss most, Rank rank, Visit visit) {
    auto values = band<Cell, Value>(objective);
    if (!values.fill(most, objective.slack(0, 0))) return false;
    follow_best(lattice_, begin_.data(), positions_, size_, values, objective, rank, visit);
    return true;
  }

  // Returns whether 16 bits have room below `no_value`, so that subtracting edits does not overflow.
  bool may_be_narrow() const {
    const Loss order = gains_.order;
    const Loss edits = (2 + deletion_stretch) * (order * gains_.unit + std::llabs(gains_.alpha) +
                                                 std::llabs(gains_.beta));
    const Loss runs = order * (order - 1) / 2 * gains_.unit;
    return prefix_bounds_.are_valid() && edits + runs < no_value<std::int16_t> - std::numeric_limits<std::int16_t>::min();
  }

  template <typename Cell, typename Value, typename Objective>
  ProductBand<Cell, Value, Objective> band(const Objective& objective) {
    return {lattice_, begin_.data(), positions_, prefix_bounds_, size_, gains_, objective, settings_.part_bytes};
  }

  const Lattice& lattice_;
  const std::int32_t size_;
  const Gains gains_;
  const Settings settings_;
  const ReferencePositions positions_;
  PrefixBounds prefix_bounds_;
  std::vector<std::int64_t> begin_;
};

}  // namespace latticemetric
