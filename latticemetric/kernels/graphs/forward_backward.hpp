// Probabilities of a lattice's paths: each has exp(-cost), normalised over all of them.
#pragma once

#include <cstdint>
#include <vector>

namespace latticemetric {

struct ForwardBackward {
  double log_total;                 // log of the sum of exp(-cost) over all paths
  std::vector<double> backward;     // by state: log of the sum of exp(-cost) over all paths from it
  std::vector<double> forward;      // by state: the probability that a path passes it
  std::vector<double> transition;   // by arc: its probability, given its source
  std::vector<double> ending;       // by state: the probability that a path ends in it, given that it passes it
};

// Arcs are sorted by source and go from smaller to larger states; state 0 is the start; `final_cost` is infinite where
// a state is not final.
ForwardBackward forward_backward(std::int32_t states, std::int64_t arcs, const std::int32_t* source,
                                 const std::int32_t* target, const double* cost, const double* final_cost);

}  // namespace latticemetric
