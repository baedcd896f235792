// The best path of a lattice under a recognition rate: the metric's automaton fused with the search.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "strings/alignment.hpp"

namespace latticemetric {

// A lattice as it is searched. Arcs are sorted by source and go from smaller to larger states; 0 is the start.
struct Graph {
  std::int32_t states;
  std::int64_t arcs;
  const std::int32_t* source;
  const std::int32_t* target;
  const std::int32_t* label;     // what an arc counts as; 0 for ε
  const std::uint8_t* is_word;   // which arcs carry a word in the result
  const double* cost;
  const double* final_cost;      // a state; infinite where it is not final

  bool is_final(std::int32_t s) const { return std::isfinite(final_cost[s]); }
};

struct Best {
  std::vector<std::int64_t> arcs;
  Wide gain = 0;
};

// How the product with the metric's automaton is searched: as a table of all its states, or in a band of those that may
// matter. The answer is the same.
struct SearchWay {
  enum Kind { automatic, table, band } kind = automatic;
  std::size_t part_bytes = std::size_t{8} << 20;  // of a band, about so many are in memory
};

// Best gain; ties: least cost, fewest words, lexicographically smallest arcs. Gains are exact integers.
Best search_lattice(const Graph& graph, const std::int32_t* reference, std::int32_t reference_words, Gains gains,
                    SearchWay way);

// Costs as integers in a common unit, so that sums with gains are exact.
struct WholeCosts {
  const std::int64_t* arc;
  const std::int64_t* final;
};

// The path of least loss, cost_weight * cost - gain_weight * gain; ties as above. Weights are at least 0. The graph's own
// costs say only which states are final.
struct LeastLoss {
  std::vector<std::int64_t> arcs;
  Wide loss = 0;
  std::int64_t cost = 0, words = 0;
};
LeastLoss search_least_loss(const Graph& graph, WholeCosts costs, const std::int32_t* reference,
                            std::int32_t reference_words, Gains gains, Wide gain_weight, Wide cost_weight, SearchWay way);

}  // namespace latticemetric
