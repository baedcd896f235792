// Clipped n-gram matches of many hypotheses with their references, and how informative they are (NIST).
#pragma once

#include <cstdint>
#include <vector>

#include "strings/test_set.hpp"

namespace latticemetric {

// Returns one row per segment, one column per order. A hypothesis's k-gram counts as often as it occurs in the
// hypothesis, but no more often than in the reference where it occurs most. Words of different segments are not
// compared.
std::vector<std::int64_t> match_ngrams(const TestSet& test, std::int32_t order);

// Returns the same, with each match weighted by its information (Doddington 2002): log2(a / b), where a is how often
// its first k - 1 words occur in all references (for a unigram, the number of all words), and b how often all of it
// does.
std::vector<double> weigh_ngrams(const TestSet& test, std::int32_t order);

}  // namespace latticemetric
