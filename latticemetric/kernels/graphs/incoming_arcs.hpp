// The arcs of a lattice by their targets, for passes that pull values in topological order.
#pragma once

#include <cstdint>
#include <vector>

namespace latticemetric {

struct IncomingArcs {
  std::vector<std::int64_t> begin;   // where the arcs into each state begin, and the end of the last
  std::vector<std::int64_t> arc;     // sorted by target, then by number
};

inline IncomingArcs incoming_arcs(std::int32_t states, std::int64_t arcs, const std::int32_t* target) {
  IncomingArcs in{std::vector<std::int64_t>(static_cast<std::size_t>(states) + 1, 0),
              std::vector<std::int64_t>(static_cast<std::size_t>(arcs))};
  for (std::int64_t a = 0; a < arcs; ++a) ++in.begin[target[a] + 1];
  for (std::int32_t s = 0; s < states; ++s) in.begin[s + 1] += in.begin[s];
  auto next = in.begin;
  for (std::int64_t a = 0; a < arcs; ++a) in.arc[next[target[a]]++] = a;
  return in;
}

}  // namespace latticemetric
