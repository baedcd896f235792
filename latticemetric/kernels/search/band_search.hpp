// Searches of long lattices: in a band of the product with the automaton of a recognition rate.
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
  using Loss = PrefixLosses::Loss;
  static constexpr std::int32_t least_for_segments = 1500;  // words of a reference: segments cost less than they save
  struct Settings {
    bool has_segments;
    std::size_t part_bytes;
  };

  BandSearch(const Lattice& graph, const std::int32_t* reference, std::int32_t reference_words, Gains gains,
             const PrefixLosses::Costs& costs, Settings settings)
      : graph_(graph), size_(reference_words), gains_(gains), settings_(settings),
        places_(graph, reference, reference_words), before_(graph, reference_words, gains, costs),
        begin_(arc_begins(graph)) {}

  // What some path loses, at par; 0 where that says nothing, since edits may gain.
  template <typename Value, typename Rule>
  Loss most(const Rule& rule) {
    if (!before_.hold()) return 0;
    const Loss most = band<Value, Value>(rule).beam();
    if (settings_.has_segments) before_.find_segments(places_, most + rule.slack(0, 0));
    return most;
  }

  // The states of best paths, for a known loss of some path.
  template <typename Value>
  struct Found {
    MarkedStates<Value> states;
    Loss lost;
  };
  template <typename Value, typename Rule>
  Found<Value> best(Rule& rule, Loss most) {
    if constexpr (!Rule::weighs)
      if (may_be_narrow())
        if (auto found = best_of_cells<std::int16_t, Value>(rule, most)) return *std::move(found);
    return *best_of_cells<Value, Value>(rule, most);
  }

  template <typename Value, typename Rule>
  BestTransitions<MarkedStates<Value>, Rule> transitions(const MarkedStates<Value>& states, Rule& rule) const {
    return {graph_, begin_.data(), places_, size_, states, rule};
  }

 private:
  template <typename Cell, typename Value, typename Rule>
  std::optional<Found<Value>> best_of_cells(Rule& rule, Loss most) {
    auto values = band<Cell, Value>(rule);
    const auto lost = values.fill(most, rule.slack(0, 0));
    if (!lost) return std::nullopt;
    return Found<Value>{marked(graph_, begin_.data(), places_, size_, values, rule), *lost};
  }

  // Whether 16 bits have room for edits beyond the values of cells.
  bool may_be_narrow() const {
    const Loss order = gains_.order;
    const Loss edits = (2 + deletion_stretch) * (order * gains_.unit + std::llabs(gains_.alpha) + std::llabs(gains_.beta));
    const Loss runs = order * (order - 1) / 2 * gains_.unit;
    return before_.hold() && edits + runs < no_value<std::int16_t> - std::numeric_limits<std::int16_t>::min();
  }

  template <typename Cell, typename Value, typename Rule>
  RecognitionBand<Cell, Value, Rule> band(const Rule& rule) {
    return {graph_, begin_.data(), places_, before_, size_, gains_, rule, settings_.part_bytes};
  }

  const Lattice& graph_;
  const std::int32_t size_;
  const Gains gains_;
  const Settings settings_;
  const ReferencePlaces places_;
  PrefixLosses before_;
  std::vector<std::int64_t> begin_;
};

}  // namespace latticemetric
