// Clipped n-gram matches of many candidates with their references, and how informative they are (NIST).
#pragma once

#include <cstdint>
#include <vector>

#include "strings/test_set.hpp"

namespace latticemetric {

// A row a segment, a column an order. A candidate's k-gram counts as often as it stands in the candidate, but no more
// often than in that one of its references where it stands most often. Words of different segments are not compared.
std::vector<std::int64_t> match_ngrams(const TestSet& test, std::int32_t order);

// The same, each match weighted by its information: log2 of how often its first k - 1 words stand in all references,
// over how often all of it does (a unigram: of how many words they have), Doddington 2002.
std::vector<double> weigh_ngrams(const TestSet& test, std::int32_t order);

}  // namespace latticemetric
