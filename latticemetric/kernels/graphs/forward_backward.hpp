// Probabilities of a lattice's paths: each has exp(-cost), normalised over all of them.
#pragma once

#include <cstdint>
#include <vector>

namespace latticemetric {

struct ForwardBackward {
  double log_total;                 // of exp(-cost) over all paths
  std::vector<double> backward;     // a state: log of the sum of exp(-cost) over what can follow it
  std::vector<double> forward;      // a state: the probability of passing it
  std::vector<double> transition;   // an arc: its probability, given its source
  std::vector<double> ending;       // a state: the probability of ending in it, given that it is passed
};

// Arcs are sorted by source and go from smaller to larger states; 0 is the start; `final_cost` is infinite where a
// state is not final.
ForwardBackward forward_backward(std::int32_t states, std::int64_t arcs, const std::int32_t* source,
                                 const std::int32_t* target, const double* cost, const double* final_cost);

}  // namespace latticemetric
