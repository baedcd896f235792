// A forest as columns.
#pragma once

#include <cstdint>

namespace latticemetric {

// Nodes are in topological order, tails before heads; edges are sorted by head.
struct Forest {
  std::int32_t nodes;
  std::int64_t edges;
  const std::int32_t* head;
  const std::int64_t* tail_begin;    // of each edge, and the end of the last
  const std::int32_t* tail;
  const std::int64_t* target_begin;  // of each edge, and the end of the last
  const std::int32_t* target;        // target sides: word numbers, and -k for the words of the k-th tail
  const double* cost;
  const std::int64_t* words;         // how many words an edge has in the result
  const double* goal_cost;           // of each node; infinite if it is no goal
};

}  // namespace latticemetric
