// The model's own best derivation of a forest.
#pragma once

#include <cstdint>
#include <vector>

#include "forest_rules.hpp"

namespace latticemetric {

// Least cost; ties: fewest words, lexicographically smallest edges in preorder.
std::vector<std::int64_t> best_derivation(const ForestGraph& graph);

}  // namespace latticemetric
