// The best path of a lattice under a recognition rate: a search of its product with the metric's automaton.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphs/lattice.hpp"
#include "memory/int128.hpp"
#include "recognition/automaton.hpp"

namespace latticemetric {

struct BestPath {
  std::vector<std::int64_t> arcs;
  Int128 gain = 0;
};

// How to search the product with the metric's automaton: by a table of all its states, or by a band of those that may
// matter. Both give the same result.
struct SearchMethod {
  enum Kind { automatic, table, band } kind = automatic;
  std::size_t part_bytes = std::size_t{8} << 20;  // about as much of a band is in memory at a time
};

// Returns the path of the best gain. Ties: least cost, fewest words, lexicographically smallest arcs. Gains are exact
// integers.
BestPath search_lattice(const Lattice& lattice, const std::int32_t* reference, std::int32_t reference_words,
                        Gains gains, SearchMethod method);

// The path with the largest rate.total * gain - rate.gain * denominator, and its gain and denominator. Ties as above.
// `size` says what each arc adds to the denominator. Throws std::overflow_error if 128 bits do not hold the values.
struct PathAtRate {
  std::vector<std::int64_t> arcs;
  Ratio reached{0, 0};
};
PathAtRate search_at_rate(const Lattice& lattice, const std::int32_t* size, const std::int32_t* reference,
                          std::int32_t reference_words, Gains gains, Ratio rate, SearchMethod method);

// The path of least loss, which is cost_weight * cost - gain_weight * gain. Ties as above. Weights are not negative.
// The lattice's own costs only say which states are final.
struct LeastLoss {
  std::vector<std::int64_t> arcs;
  Int128 loss = 0;
  std::int64_t cost = 0, words = 0;
};
LeastLoss search_least_loss(const Lattice& lattice, IntegerCosts costs, const std::int32_t* reference,
                            std::int32_t reference_words, Gains gains, Int128 gain_weight, Int128 cost_weight,
                            SearchMethod method);

// The product states on best paths and the transitions between them: an automaton that accepts the arcs of each best
// path, once for each of its best alignments. State s of the lattice has the product states begin[s] ..
// begin[s + 1] - 1; silent transitions lead to larger ones of them. Product state q has the transitions first[q] ..
// first[q + 1] - 1.
struct BestAlignments {
  std::vector<std::size_t> begin{0}, first{0};
  std::vector<std::uint8_t> ends;     // by product state: whether a best path may end there
  std::vector<std::int64_t> arc;      // by transition: an arc of the lattice, or silent
  std::vector<std::size_t> target;
};

BestAlignments best_alignments(const Lattice& lattice, const std::int32_t* reference, std::int32_t reference_words,
                               Gains gains, SearchMethod method);

}  // namespace latticemetric
