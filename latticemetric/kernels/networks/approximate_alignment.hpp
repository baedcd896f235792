// Aligns the states of a lattice with a hypothesis, approximately.
#pragma once

#include <cstdint>
#include <vector>

#include "networks/evidence_lattice.hpp"
#include "networks/hypothesis_words.hpp"

namespace latticemetric {

// Returns for each state the probable number of hypothesis words before it. Uses a beam, so it is fast.
std::vector<std::int32_t> approximate_alignment(const EvidenceLattice& evidence, const HypothesisWords& words);

}  // namespace latticemetric
