// The shape of a graph: which states lie on a complete path, and an order in which every arc goes forward.
#pragma once

#include <cstdint>
#include <vector>

namespace latticemetric {

struct Topology {
  std::vector<std::int32_t> rank;  // new number of a state, or -1 where no complete path passes
  std::int32_t kept = 0;           // how many states have a number
  bool in_order = false;           // arcs are sorted by source and go forward as they are
  std::int32_t on_cycle = -1;      // a state on a cycle of useful states, or -1: then rank is meaningless
};

// `is_final` has one byte a state. States keep their numbers' order where every arc already goes from a
// smaller to a larger number; otherwise the smallest number that is free comes next (Kahn 1962).
Topology order_states(std::int32_t states, const std::int32_t* source, const std::int32_t* target,
                      std::int64_t arcs, std::int32_t start, const std::uint8_t* is_final);

// The number of states of a graph that needs no change: state 0 is its start, arcs are sorted by source and go to larger
// states, final states ascend, and every state lies on a complete path. 0 for all other graphs.
std::int32_t ordered_states(const std::int32_t* source, const std::int32_t* target, std::int64_t arcs,
                            const std::int32_t* final, std::int64_t finals);

}  // namespace latticemetric
