// The arcs of a lattice by their targets, for passes that pull values in topological order.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/lattice.hpp"

namespace latticemetric {

struct IncomingArcs {
  std::vector<std::int64_t> begin;   // where the arcs into each state begin, and the end of the last
  std::vector<std::int64_t> arc;     // sorted by target, then by number
};

inline IncomingArcs incoming_arcs(std::int32_t states, std::int64_t arcs, const std::int32_t* target) {
  IncomingArcs in{group_begins(states, arcs, target), std::vector<std::int64_t>(static_cast<std::size_t>(arcs))};
  auto next = in.begin;
  for (std::int64_t a = 0; a < arcs; ++a) in.arc[next[target[a]]++] = a;
  return in;
}

}  // namespace latticemetric
