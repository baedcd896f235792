// Searches of long lattices: in a band of the product with the automaton of a recognition rate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "best_transitions.hpp"
#include "prefix_losses.hpp"
#include "recognition_band.hpp"
#include "recognition_edits.hpp"
#include "recognition_search.hpp"
#include "reference_places.hpp"

namespace latticemetric {

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

  // The states of best paths, for a known loss of some path.
  template <typename Value>
  struct Found {
    MarkedStates<Value> states;
    Loss lost;
  };
  template <typename Value, typename Rule>
  Found<Value> best(Rule& rule, Loss most) {
    auto values = band<Value>(rule);
    const Loss lost = values.fill(most, rule.slack(0, 0));
    return {marked(graph_, begin_.data(), places_, size_, values, rule), lost};
  }

  template <typename Value, typename Rule>
  BestTransitions<MarkedStates<Value>, Rule> transitions(const MarkedStates<Value>& states, Rule& rule) const {
    return {graph_, begin_.data(), places_, size_, states, rule};
  }

  // Whether values of paths that lose at most so much have 16 bits, with some edits more.
  bool is_small(Loss most) const {
    constexpr Loss none = no_value<std::int16_t>;
    const Loss edits = 4 * (gains_.order * gains_.unit + std::llabs(gains_.alpha) + std::llabs(gains_.beta));
    return before_.hold() && edits < none - std::numeric_limits<std::int16_t>::min() && most + edits < -none;
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

}  // namespace latticemetric
