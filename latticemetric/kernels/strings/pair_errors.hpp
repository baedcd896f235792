// The fewest errors of all hypotheses against all references, without their alignments.
#pragma once

#include <cstdint>
#include <vector>

#include "strings/test_set.hpp"

namespace latticemetric {

// Returns one row per reference, one column per hypothesis: the least number of substitutions, deletions and insertions
// (Levenshtein 1966). Words are not negative and are numbered without large gaps; no string has 2^31 words. If both
// arguments are the same arrays, it takes half the time.
std::vector<std::int32_t> pair_errors(const Strings& hypotheses, const Strings& references);

}  // namespace latticemetric
