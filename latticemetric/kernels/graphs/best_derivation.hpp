// The model's own best derivation of a forest.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/forest_rules.hpp"

namespace latticemetric {

// Least cost; ties: fewest words, lexicographically smallest edges in preorder.
std::vector<std::int64_t> best_derivation(const ForestGraph& graph);

// No derivation's cost, nor any part of it, is larger in size than this.
double largest_cost(const ForestGraph& graph);

}  // namespace latticemetric
