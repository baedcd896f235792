// An order of a lattice's states and arcs that depends on what the lattice says, not on how it is stored.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/cost_columns.hpp"

namespace latticemetric {

// What the arcs and states of a lattice say. Arcs are sorted by source and go to larger states; state 0 is the start.
struct LatticeContent {
  std::int32_t states;
  std::int64_t arcs;
  const std::int32_t* source;
  const std::int32_t* target;
  const std::int32_t* rank;  // by arc: the rank of its word among the words of the lattice
  const std::int32_t* final;
  std::int64_t finals;
  std::vector<CostColumn> columns;
  const double* times;  // by state; may be null
};

struct CanonicalOrder {
  std::vector<std::int32_t> number;  // by state: its new number
  std::vector<std::int64_t> arcs;    // by new place: the arc
};

// Sorts states by the length of the longest path to them, then by a hash of all paths to them and from them; sorts arcs
// by source, then by the ranks of their words, then by target. Every arc goes to a larger state.
//
// States stay in their order only if the same paths lead to them and from them. Then their order does not matter, but
// for the rounding of sums. (Or if hashes of 64 bits collide.)
CanonicalOrder canonical_order(const LatticeContent& lattice);

}  // namespace latticemetric
