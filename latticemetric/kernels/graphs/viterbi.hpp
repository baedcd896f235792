// What the best path through each part of an acyclic graph costs: what a beam prunes by.
#pragma once

#include <cstdint>
#include <vector>

namespace latticemetric {

struct ThroughCosts {
  std::vector<double> arc;      // of the cheapest path with the arc
  std::vector<double> ending;   // a state: of the cheapest path that ends in it, infinite where none does
};

// Arcs are sorted by source and go from smaller to larger states; state 0 is the start; `final_cost` is infinite where
// a state is not final.
ThroughCosts through_costs(std::int32_t states, std::int64_t arcs, const std::int32_t* source,
                           const std::int32_t* target, const double* cost, const double* final_cost);

}  // namespace latticemetric
