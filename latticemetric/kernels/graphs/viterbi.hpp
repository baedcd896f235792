// The cost of the best path through each arc of a lattice (Viterbi forward and backward), for pruning.
#pragma once

#include <cstdint>
#include <vector>

namespace latticemetric {

struct BestCostsThroughArcs {
  std::vector<double> arc;      // by arc: of the cheapest path that uses it
  std::vector<double> ending;   // by state: of the cheapest path that ends in it; infinite if none does
};

// Arcs are sorted by source and go from smaller to larger states; state 0 is the start; `final_cost` is infinite where
// a state is not final.
BestCostsThroughArcs best_costs_through_arcs(std::int32_t states, std::int64_t arcs, const std::int32_t* source,
                                             const std::int32_t* target, const double* cost, const double* final_cost);

}  // namespace latticemetric
