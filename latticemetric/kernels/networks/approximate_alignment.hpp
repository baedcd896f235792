// Where in a hypothesis the states of a lattice seem to stand.
#pragma once

#include <cstdint>
#include <vector>

#include "networks/evidence_lattice.hpp"
#include "networks/hypothesis_words.hpp"

namespace latticemetric {

// For each state, how many words of the hypothesis go with the paths to it: a guess, quickly made.
std::vector<std::int32_t> align_roughly(const EvidenceLattice& evidence, const HypothesisWords& words);

}  // namespace latticemetric
