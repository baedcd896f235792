// How good the best derivations are that use a part of a forest.
#pragma once

#include <vector>

#include "graphs/forest.hpp"

namespace latticemetric {

struct ForestThroughCosts {
  std::vector<double> edge;     // of the cheapest derivation with the edge
  std::vector<double> ending;   // of the cheapest derivation of each node, with what it costs to be a goal
};

ForestThroughCosts forest_through_costs(const Forest& graph);

}  // namespace latticemetric
