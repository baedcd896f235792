// The best path of a lattice under a recognition rate: the metric's automaton fused with the search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphs/lattice.hpp"
#include "memory/int128.hpp"
#include "recognition/automaton.hpp"

namespace latticemetric {

struct Best {
  std::vector<std::int64_t> arcs;
  Int128 gain = 0;
};

// How the product with the metric's automaton is searched: as a table of all its states, or in a band of those that may
// matter. The answer is the same.
struct SearchWay {
  enum Kind { automatic, table, band } kind = automatic;
  std::size_t part_bytes = std::size_t{8} << 20;  // of a band, about so many are in memory
};

// Best gain; ties: least cost, fewest words, lexicographically smallest arcs. Gains are exact integers.
Best search_lattice(const Lattice& graph, const std::int32_t* reference, std::int32_t reference_words, Gains gains,
                    SearchWay way);

// The path of least loss, cost_weight * cost - gain_weight * gain; ties as above. Weights are at least 0. The graph's own
// costs say only which states are final.
struct LeastLoss {
  std::vector<std::int64_t> arcs;
  Int128 loss = 0;
  std::int64_t cost = 0, words = 0;
};
LeastLoss search_least_loss(const Lattice& graph, IntegerCosts costs, const std::int32_t* reference,
                            std::int32_t reference_words, Gains gains, Int128 gain_weight, Int128 cost_weight, SearchWay way);

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

BestAlignments best_alignments(const Lattice& graph, const std::int32_t* reference, std::int32_t reference_words,
                               Gains gains, SearchWay way);

}  // namespace latticemetric
