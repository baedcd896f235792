// An approximate alignment of the states of a lattice with a hypothesis.
#pragma once

#include <cstdint>
#include <vector>

#include "networks/evidence_lattice.hpp"
#include "networks/hypothesis_words.hpp"

namespace latticemetric {

// For each state, the probable number of words of the hypothesis before it. Fast, by a beam.
std::vector<std::int32_t> approximate_alignment(const EvidenceLattice& evidence, const HypothesisWords& words);

}  // namespace latticemetric
