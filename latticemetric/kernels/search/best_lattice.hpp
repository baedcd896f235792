// A lattice of all paths that reach the best value, each of them once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/lattice_search.hpp"

namespace latticemetric {

// A lattice whose arcs are arcs of the lattice that was searched. State 0 is its start; arcs are sorted by source and
// go from smaller to larger states. No two states with the same `state` have the same future.
struct BestLattice {
  std::vector<std::int32_t> state;  // by state: the state of the searched lattice
  std::vector<std::uint8_t> ends;
  std::vector<std::int32_t> source, target;
  std::vector<std::int64_t> arc;    // by arc: the arc of the searched lattice
};

// Returns the paths that reach the best value against any of the references (each reference has its own best value).
BestLattice best_lattice(const Lattice& lattice, const std::vector<std::vector<std::int32_t>>& references, Gains gains,
                         SearchMethod method);

}  // namespace latticemetric
