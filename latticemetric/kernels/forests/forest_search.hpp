// The best derivation of a forest under a recognition rate: the metric's automaton fused with the search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphs/forest_rules.hpp"
#include "recognition/automaton.hpp"

namespace latticemetric {

struct BestDerivation {
  std::vector<std::int64_t> edges;  // in preorder, tails in the order in which they are said
  Int128 gain = 0;                    // less cost, where the two are weighed against each other
};

// Gains against costs, both in whole numbers.
struct HopeWeights {
  Int128 gain;                          // what a unit of gain weighs; not negative
  Int128 cost;                          // what a unit of cost weighs; not negative
  const std::int64_t* edge_cost;      // an edge
  const std::int64_t* goal_cost;      // a node; of no meaning where it is no goal
};

// Best gain; ties: least cost, fewest words, lexicographically smallest edges. Gains are exact integers.
BestDerivation search_forest(const Forest& graph, const std::int32_t* reference, std::int32_t reference_words,
                             Gains gains, std::size_t most_bytes);

// The best of weighed gain - weighed cost, without rounding; ties as above.
BestDerivation search_forest_for_hope(const Forest& graph, const std::int32_t* reference,
                                      std::int32_t reference_words, Gains gains,
                                      const HopeWeights& weights, std::size_t most_bytes);

}  // namespace latticemetric
