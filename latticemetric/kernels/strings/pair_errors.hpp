// The fewest errors of all candidates against all references, without their alignments.
#pragma once

#include <cstdint>
#include <vector>

#include "strings/test_set.hpp"

namespace latticemetric {

// A row a reference, a column a candidate: the least number of substitutions, deletions and insertions (Levenshtein
// 1966). Words are not negative, and numbered without large gaps; no string has 2^31 of them. It takes half the time if
// both are the same arrays.
std::vector<std::int32_t> pair_errors(const Strings& candidates, const Strings& references);

}  // namespace latticemetric
