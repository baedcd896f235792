// The model's 1-best: the cheapest path of an acyclic graph.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/lattice.hpp"

namespace latticemetric {

// Returns the arcs of the cheapest path. Ties: fewest words, then the lexicographically smallest arcs. Arcs are sorted
// by source and go from smaller to larger states; state 0 is the start. `final_cost` is infinite where a state is not
// final; `is_word` says which arcs carry a word.
std::vector<std::int64_t> best_path(std::int32_t states, std::int64_t arcs, const std::int32_t* source,
                                    const std::int32_t* target, const double* cost, const std::uint8_t* is_word,
                                    const double* final_cost);

// Returns the largest sum of absolute costs along a path, added from the start on.
double largest_path_cost(const Lattice& lattice);

}  // namespace latticemetric
