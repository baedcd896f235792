// The best alignment of two long strings under an n-gram recognition rate.
#pragma once

#include <string>

#include "strings/alignment.hpp"
#include "strings/test_set.hpp"

namespace latticemetric {

// Sets `edits` to those of `Aligner::align`. Searches the candidate as a lattice of one path, in a band: time and
// memory grow with the errors. Returns false if gains are too large for that.
bool align_long(String candidate, String reference, Gains gains, std::string& edits);

}  // namespace latticemetric
