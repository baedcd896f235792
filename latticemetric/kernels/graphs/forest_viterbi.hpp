// The cost of the best derivation through each edge of a forest (Viterbi inside and outside), for pruning.
#pragma once

#include <vector>

#include "graphs/forest.hpp"

namespace latticemetric {

struct BestCostsThroughEdges {
  std::vector<double> edge;     // by edge: of the cheapest derivation that uses it
  std::vector<double> ending;   // by node: of the cheapest derivation with it as the goal
};

BestCostsThroughEdges best_costs_through_edges(const Forest& graph);

}  // namespace latticemetric
