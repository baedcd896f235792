// The best path of a lattice under a recognition rate whose reference is a graph, at a given price of reference
// n-grams.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/lattice.hpp"
#include "recognition/automaton.hpp"

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

// A rate, gain / total, in units of 1 / Gains::unit.
struct Ratio {
  Int128 gain;
  Int128 total;
};

struct BestPathAgainstGraph {
  std::vector<std::int64_t> arcs;
  Ratio reached{0, 0};  // what one of the best paths gains, and its denominator
};

// Returns the path with the largest rate.total * gain - rate.gain * denominator. Ties: least cost, fewest words,
// lexicographically smallest arcs of the lattice. `size` says what arcs of the lattice add to the denominator. Throws
// std::overflow_error if 128 bits do not hold the values, and TooLarge if the table takes more than `most_bytes`.
BestPathAgainstGraph search_reference_graph(const Lattice& lattice, const std::int32_t* size,
                                            const ReferenceGraph& reference, Gains gains, Ratio rate,
                                            double most_bytes);

}  // namespace latticemetric
