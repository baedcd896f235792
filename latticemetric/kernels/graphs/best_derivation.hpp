// The model's own best derivation of a forest.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/forest.hpp"

namespace latticemetric {

// Least cost; ties: fewest words, lexicographically smallest edges in preorder.
std::vector<std::int64_t> best_derivation(const Forest& graph);

// No derivation's cost, nor any part of it, is larger in size than this.
double largest_cost(const Forest& graph);

}  // namespace latticemetric
