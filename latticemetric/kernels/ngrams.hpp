// Clipped n-gram matches of many candidates with their references, and how informative they are (NIST).
#pragma once

#include <cstdint>
#include <vector>

namespace latticemetric {

// Strings one after the other: string s is words[begin[s]] .. words[begin[s + 1] - 1].
struct Strings {
  const std::int32_t* words;
  const std::int64_t* begin;
  std::int64_t count;
};

struct NgramMatches {
  std::vector<std::int64_t> matches;    // a row a segment, a column an order
  std::vector<double> information;      // the same, each match weighed by its information
};

// References of segment s are strings owner[s] .. owner[s + 1] - 1. A candidate's k-gram counts as often as it stands
// in the candidate, but no more often than in that one of its references where it stands most often. Its information is
// log2 of how often its first k - 1 words stand in all references, over how often all of it does (a unigram: of how
// many words they have), Doddington 2002.
NgramMatches match_ngrams(const Strings& candidates, const Strings& references, const std::int64_t* owner,
                          std::int32_t order);

}  // namespace latticemetric
