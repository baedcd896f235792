// The words of a lattice that are aligned with each position of a hypothesis, by edit distance: the recursion of Xu,
// Povey, Mangu & Zhu, "Minimum Bayes Risk decoding and system combination based on a recursion for edit distance",
// Computer Speech and Language 25 (2011).
#pragma once

#include <cstdint>
#include <vector>

#include "networks/evidence_lattice.hpp"

namespace latticemetric {

// An arc's probability, given that its target is passed. Arcs are sorted by target and go from smaller to larger
// states; 0 is the start, and every other state has an arc into it.
std::vector<double> incoming_shares(std::int32_t states, std::int64_t arcs, const std::int32_t* source,
                                    const std::int32_t* target, const double* cost);

// A row for each position and each word aligned with it, or none (label 0): by position, then by label.
struct MbrStatistics {
  double risk;  // expected edit distance; a bound from above, as choices are made for averages of paths
  std::vector<std::int32_t> label, position;
  std::vector<double> mass;   // the probability of the alignment (γ of the paper)
  std::vector<double> begin;  // begin times of the aligned words, each multiplied by its probability; empty without times
  std::vector<double> end;    // likewise
};

// The hypothesis is a label a position; 0 is a position between words. The result is always that of the whole table of
// states and positions. `slack` is how much more than the best of its state a cell may cost to be computed at first; it
// is doubled until it suffices. 0 chooses automatically.
MbrStatistics mbr_statistics(const EvidenceLattice& evidence, const std::int32_t* hypothesis, std::int32_t positions,
                             double slack = 0);

}  // namespace latticemetric
