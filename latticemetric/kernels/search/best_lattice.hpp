// All paths of a lattice that reach the best value, each of them once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/lattice_search.hpp"

namespace latticemetric {

// States of the product with the metric's automaton that best paths pass, and the transitions between them: an automaton
// that reads a best path's arcs, once for each of its best alignments. Beside state s of the lattice are the states
// begin[s] .. begin[s + 1] - 1; silent transitions lead to larger ones of them. The transitions of state q are
// first[q] .. first[q + 1] - 1.
struct BestAlignments {
  std::vector<std::size_t> begin{0}, first{0};
  std::vector<std::uint8_t> ends;     // of states
  std::vector<std::int64_t> arc;      // of transitions: of the lattice, or silent
  std::vector<std::size_t> target;
};

// A lattice whose arcs are arcs of the one searched. State 0 is its start; arcs are sorted by source and go from smaller
// to larger states. No two states have the same future.
struct BestLattice {
  std::vector<std::int32_t> state;  // of the lattice, for each state
  std::vector<std::uint8_t> ends;
  std::vector<std::int32_t> source, target;
  std::vector<std::int64_t> arc;    // of the lattice, for each arc
};

// Those that reach the best value against any of some references (each its own best).
BestLattice best_lattice(const Graph& graph, const std::vector<std::vector<std::int32_t>>& references, Gains gains,
                         SearchWay way);

// Written beside the searches, whose tables and bands they come from.
BestAlignments best_alignments(const Graph& graph, const std::int32_t* reference, std::int32_t reference_words,
                               Gains gains, SearchWay way);

}  // namespace latticemetric
