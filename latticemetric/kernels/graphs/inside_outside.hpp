// Probabilities of a forest's derivations: each has exp(-cost), normalised over all of them.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/forest.hpp"

namespace latticemetric {

struct InsideOutside {
  double log_total;                 // of exp(-cost) over all derivations
  std::vector<double> node;         // how often a derivation uses it, on average
  std::vector<double> transition;   // an edge: its probability, given its head
  std::vector<double> ending;       // a node: the probability that a derivation is one of it
};

InsideOutside inside_outside(const Forest& graph);

}  // namespace latticemetric
