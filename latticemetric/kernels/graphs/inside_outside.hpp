// Probabilities of a forest's derivations: each has exp(-cost), normalised over all of them.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/forest.hpp"

namespace latticemetric {

struct InsideOutside {
  double log_total;                 // log of the sum of exp(-cost) over all derivations
  std::vector<double> node;         // by node: how often a derivation uses it, on average
  std::vector<double> transition;   // by edge: its probability, given its head
  std::vector<double> ending;       // by node: the probability that it is the goal of a derivation
};

InsideOutside inside_outside(const Forest& graph);

}  // namespace latticemetric
