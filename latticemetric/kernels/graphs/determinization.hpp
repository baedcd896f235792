// Weighted determinization and minimization of lattices in the tropical semiring.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/lattice.hpp"

namespace latticemetric {

struct WeightedArcs {
  std::vector<std::int32_t> source, target, word;
  std::vector<double> cost;
  std::vector<double> final_cost;  // of each state; infinite where it is not final
};

// Returns the smallest deterministic lattice without ε in which each string costs what its best path costs (Mohri 1997).
// Costs that arcs add to that of the best path are rounded to multiples of `unit` first, so the cost of a string may
// change by unit / 2 for each arc of a path, and for its end; the best string keeps its cost. If costs are too large for
// multiples of 64 bits, the unit is larger, and about as fine as the costs' own doubles.
//
// States are in topological order, and arcs are sorted by source and word. The order depends on the strings and their
// costs alone, not on the numbers of the states of `lattice`. There may be exponentially many states; the memory budget
// of the call ends that.
WeightedArcs determinize(const Lattice& lattice, double unit);

}  // namespace latticemetric
