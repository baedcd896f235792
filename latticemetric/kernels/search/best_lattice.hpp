// All paths of a lattice that reach the best value, each of them once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/lattice_search.hpp"

namespace latticemetric {

// A lattice whose arcs are arcs of the one searched. State 0 is its start; arcs are sorted by source and go from
// smaller to larger states. No two states have the same future.
struct BestLattice {
  std::vector<std::int32_t> state;  // of the lattice, for each state
  std::vector<std::uint8_t> ends;
  std::vector<std::int32_t> source, target;
  std::vector<std::int64_t> arc;    // of the lattice, for each arc
};

// Those that reach the best value against any of some references (each its own best).
BestLattice best_lattice(const Lattice& lattice, const std::vector<std::vector<std::int32_t>>& references, Gains gains,
                         SearchMethod method);

}  // namespace latticemetric
