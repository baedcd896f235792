// The shape of a forest: which nodes and hyperedges some derivation uses, and an order with tails before heads.
#pragma once

#include <cstdint>
#include <vector>

namespace latticemetric {

struct ForestOrder {
  std::vector<std::int32_t> rank;   // by node: its new number, or -1 if no derivation uses it
  std::vector<std::int64_t> edges;  // those that derivations use: by new number of the head, then by edge
  std::int32_t kept = 0;            // how many nodes have a number
  std::int32_t on_cycle = -1;       // a node on a cycle of useful nodes, or -1: then the rest is meaningless
};

// Numbers the nodes that derivations use, tails before heads. The tails of edge e are tail[tail_begin[e]] ..
// tail[tail_begin[e + 1] - 1]; `is_goal` has one byte per node. Nodes stay in their order if every useful tail already
// has a smaller number than its head. Otherwise the next node is always the smallest one whose tails all have their new
// numbers (Kahn 1962).
ForestOrder order_forest(std::int32_t nodes, std::int64_t edges, const std::int32_t* head,
                         const std::int64_t* tail_begin, const std::int32_t* tail, const std::uint8_t* is_goal);

}  // namespace latticemetric
