// The cost of the best derivation through each edge of a forest (Viterbi inside and outside), for pruning.
#pragma once

#include <vector>

#include "graphs/forest.hpp"

namespace latticemetric {

struct BestCostsThroughEdges {
  std::vector<double> edge;     // of the cheapest derivation with the edge
  std::vector<double> ending;   // of the cheapest derivation of each node, with what it costs to be a goal
};

BestCostsThroughEdges best_costs_through_edges(const Forest& graph);

}  // namespace latticemetric
