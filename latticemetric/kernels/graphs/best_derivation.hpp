// The model's own best derivation of a forest.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/forest.hpp"

namespace latticemetric {

// Returns the edges of the derivation of least cost, in preorder. Ties: fewest words, then the lexicographically
// smallest edges in preorder.
std::vector<std::int64_t> best_derivation(const Forest& graph);

// Returns a bound: no derivation, nor any part of one, has a cost of larger absolute value.
double largest_cost(const Forest& graph);

// Returns the number of words of the longest string of any node; a double, since there may be very many.
double most_words(const Forest& graph);

}  // namespace latticemetric
