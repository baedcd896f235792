// All derivations of a forest that reach the best value, each of them once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphs/forest_rules.hpp"
#include "recognition/automaton.hpp"

namespace latticemetric {

// A forest whose edges are edges of the one searched, with nodes of its own.
struct BestForest {
  std::vector<std::int32_t> head;
  std::vector<std::int64_t> edge;
  std::vector<std::int64_t> tail_begin{0};
  std::vector<std::int32_t> tail;
  std::vector<std::int32_t> goals, goal_of;  // and the goal of the forest that each one is
};

// The derivations with the best value against any of the references (each reference has its own best). Throws TooLarge.
BestForest best_forest(const Forest& graph, const std::vector<std::vector<std::int32_t>>& references, Gains gains,
                       std::size_t most_bytes);

}  // namespace latticemetric
