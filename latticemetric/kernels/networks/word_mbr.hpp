// Which words the positions of a hypothesis meet on a lattice's paths, aligned by edit distance: the recursion of Xu,
// Povey, Mangu & Zhu, "Minimum Bayes Risk decoding and system combination based on a recursion for edit distance",
// Computer Speech and Language 25 (2011).
#pragma once

#include <cstdint>
#include <vector>

#include "networks/evidence_lattice.hpp"

namespace latticemetric {

// An arc's probability, given that its target is passed. Arcs are sorted by target and go from smaller to larger states;
// 0 is the start, and every other state has an arc into it.
std::vector<double> incoming_shares(std::int32_t states, std::int64_t arcs, const std::int32_t* source,
                                    const std::int32_t* target, const double* cost);

// A row for each position and each word that it meets, or none (label 0): by position, then by label.
struct Meetings {
  double risk;  // expected edit distance; a bound from above, as choices are made for averages of paths
  std::vector<std::int32_t> label, position;
  std::vector<double> mass;   // the probability that the position meets the word
  std::vector<double> begin;  // times that the words met begin at, each times its probability; empty without times
  std::vector<double> end;    // likewise
};

// The hypothesis is a label a position; 0 is a position between words. The answer is that of the whole table of states
// and positions, always. `slack` is how much more than the least of its state a cell may cost to be looked at first; if
// that proves too little, it is doubled. 0 leaves the choice.
Meetings meet_words(const EvidenceLattice& evidence, const std::int32_t* hypothesis, std::int32_t positions, double slack = 0);

}  // namespace latticemetric
