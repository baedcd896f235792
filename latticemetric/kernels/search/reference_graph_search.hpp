// The best path of a lattice under a recognition rate whose reference is a graph, at a given price of reference
// n-grams.
#pragma once

#include <cstdint>

#include "graphs/lattice.hpp"
#include "recognition/automaton.hpp"
#include "search/lattice_search.hpp"

namespace latticemetric {

// A reference as a graph. States are numbered in topological order, 0 is the start; arcs are sorted by source.
struct ReferenceGraph {
  std::int32_t states;
  std::int64_t arcs;
  const std::int32_t* source;
  const std::int32_t* target;
  const std::int32_t* label;     // 0 for ε; -1, in one of the two graphs only, for words that the other lacks
  const std::int32_t* size;      // by arc: what it adds to the denominator
  const std::uint8_t* is_final;  // by state; every state leads to a final one
};

// Returns the path with the largest rate.total * gain - rate.gain * denominator. Ties: least cost, fewest words,
// lexicographically smallest arcs of the lattice. Throws std::overflow_error if 128 bits do not hold the values, and
// TooLarge if the table takes more than `most_bytes`.
PathAtRate search_reference_graph(const Lattice& lattice, const ReferenceGraph& reference, Gains gains, Ratio rate,
                                  double most_bytes);

}  // namespace latticemetric
