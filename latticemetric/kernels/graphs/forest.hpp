// A forest (an acyclic hypergraph) as columns.
#pragma once

#include <cstdint>

namespace latticemetric {

// Nodes are in topological order, tails before heads; edges are sorted by head.
struct Forest {
  std::int32_t nodes;
  std::int64_t edges;
  const std::int32_t* head;
  const std::int64_t* tail_begin;    // where the tails of each edge begin, and the end of the last
  const std::int32_t* tail;
  const std::int64_t* target_begin;  // where the target side of each edge begins, and the end of the last
  const std::int32_t* target;        // target sides: word numbers, and -k for the k-th tail (from 1 on)
  const double* cost;
  const std::int64_t* words;         // by edge: how many words it adds to the result
  const double* goal_cost;           // by node: what it costs to be the goal; infinite if it is none
};

}  // namespace latticemetric
