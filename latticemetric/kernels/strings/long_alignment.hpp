// The best alignment of two long strings under an n-gram recognition rate.
#pragma once

#include <string>

#include "strings/alignment.hpp"
#include "strings/test_set.hpp"

namespace latticemetric {

// The candidate is searched as a lattice of one path, in a band: work and memory grow with the errors. False if gains
// are too large for it; otherwise the edits are those of `Aligner::align`.
bool align_long(String candidate, String reference, Gains gains, std::string& edits);

}  // namespace latticemetric
