// Finds all derivations of a forest that reach the best value, each of them once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphs/forest_rules.hpp"
#include "recognition/automaton.hpp"

namespace latticemetric {

// A forest with nodes of its own, whose edges are edges of the forest that was searched.
struct BestForest {
  std::vector<std::int32_t> head;
  std::vector<std::int64_t> edge;
  std::vector<std::int64_t> tail_begin{0};
  std::vector<std::int32_t> tail;
  std::vector<std::int32_t> goals, goal_of;  // `goal_of`: the goal of the searched forest for each goal
};

// Returns the derivations with the best value against some reference. Each reference has its own best value. Throws
// TooLarge.
BestForest best_forest(const Forest& graph, const std::vector<std::vector<std::int32_t>>& references, Gains gains,
                       std::size_t most_bytes);

}  // namespace latticemetric
