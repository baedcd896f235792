// The shape of a graph: which states lie on a complete path, and an order in which every arc goes forward.
#pragma once

#include <cstdint>
#include <vector>

namespace latticemetric {

struct Topology {
  std::vector<std::int32_t> rank;  // by state: its new number, or -1 if no complete path passes it
  std::int32_t kept = 0;           // how many states have a number
  bool in_order = false;           // arcs were sorted by source and go forward already
  std::int32_t on_cycle = -1;      // a state on a cycle of useful states, or -1: then rank is meaningless
};

// Numbers the states on complete paths in topological order. `is_final` has one byte per state. States stay in their
// order if every arc already goes from a smaller to a larger number. Otherwise the next state is always the smallest
// one whose predecessors all have their new numbers (Kahn 1962).
Topology order_states(std::int32_t states, const std::int32_t* source, const std::int32_t* target,
                      std::int64_t arcs, std::int32_t start, const std::uint8_t* is_final);

// Returns the number of states of a graph that needs no change: state 0 is its start, arcs are sorted by source and go
// to larger states, final states ascend, and every state lies on a complete path. Returns 0 for all other graphs.
std::int32_t ordered_states(const std::int32_t* source, const std::int32_t* target, std::int64_t arcs,
                            const std::int32_t* final, std::int64_t finals);

}  // namespace latticemetric
