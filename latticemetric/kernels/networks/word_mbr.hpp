// The words of a lattice that are aligned with each position of a hypothesis, by edit distance: the recursion of Xu,
// Povey, Mangu & Zhu, "Minimum Bayes Risk decoding and system combination based on a recursion for edit distance",
// Computer Speech and Language 25 (2011).
#pragma once

#include <cstdint>
#include <vector>

#include "networks/evidence_lattice.hpp"

namespace latticemetric {

// Returns each arc's probability, given that its target is passed. Arcs are sorted by target and go from smaller to
// larger states; 0 is the start, and every other state has an arc into it.
std::vector<double> incoming_shares(std::int32_t states, std::int64_t arcs, const std::int32_t* source,
                                    const std::int32_t* target, const double* cost);

// One row for each position and each word aligned with it (label 0 for no word), sorted by position, then by label.
struct MbrStatistics {
  double risk;  // an upper bound of the expected edit distance, as alignments are chosen for averages of paths
  std::vector<std::int32_t> label, position;
  std::vector<double> mass;   // the probability of the alignment (γ of the paper)
  std::vector<double> begin;  // begin times of the words, times their probability; empty without times
  std::vector<double> end;    // likewise
};

// Computes the statistics of a hypothesis, which has one label for each position; 0 is a position between words. The
// result is always that of the whole table of states and positions. `slack` says how large a band of the table is
// computed at first: cells may cost so much more than the best of their state. It is doubled until it is enough. 0
// chooses automatically.
MbrStatistics mbr_statistics(const EvidenceLattice& evidence, const std::int32_t* hypothesis, std::int32_t positions,
                             double slack = 0);

}  // namespace latticemetric
