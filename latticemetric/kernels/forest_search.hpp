// The best derivation of a forest under a recognition rate: the metric's automaton fused with the search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "alignment.hpp"
#include "forest_rules.hpp"

namespace latticemetric {

struct BestDerivation {
  std::vector<std::int64_t> edges;  // in preorder, tails in the order in which they are said
  Wide gain = 0;
  double value = 0;  // gain less cost, where the two are weighed against each other
};

// Best gain; ties: least cost, fewest words, lexicographically smallest edges. Gains are exact integers.
BestDerivation search_forest(const ForestGraph& graph, const std::int32_t* reference, std::int32_t reference_words,
                             Gains gains, std::size_t most_bytes);

// The best of `scale` * gain - cost; ties as above.
BestDerivation search_forest_for_hope(const ForestGraph& graph, const std::int32_t* reference,
                                      std::int32_t reference_words, Gains gains, double scale,
                                      std::size_t most_bytes);

}  // namespace latticemetric
