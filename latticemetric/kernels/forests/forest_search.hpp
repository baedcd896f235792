// Finds the best derivation of a forest under a recognition rate: searches the product of the forest with the metric's
// automaton.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphs/forest_rules.hpp"
#include "recognition/automaton.hpp"

namespace latticemetric {

struct BestDerivation {
  std::vector<std::int64_t> edges;  // in preorder, tails in the order of the target side
  Int128 gain = 0;                    // minus the cost, if costs are part of the value
};

// Integer weights of gains and costs.
struct HopeWeights {
  Int128 gain;                          // of a unit of gain; not negative
  Int128 cost;                          // of a unit of cost; not negative
  const std::int64_t* edge_cost;      // by edge
  const std::int64_t* goal_cost;      // by node; meaningless if it is no goal
};

// Returns the derivation with the best gain; ties go to the least cost, then the fewest words, then the
// lexicographically smallest edges. Gains are exact integers.
BestDerivation search_forest(const Forest& graph, const std::int32_t* reference, std::int32_t reference_words,
                             Gains gains, std::size_t most_bytes);

// Returns the derivation with the largest weighted gain minus weighted cost, without rounding; ties as above.
BestDerivation search_forest_for_hope(const Forest& graph, const std::int32_t* reference,
                                      std::int32_t reference_words, Gains gains,
                                      const HopeWeights& weights, std::size_t most_bytes);

}  // namespace latticemetric
