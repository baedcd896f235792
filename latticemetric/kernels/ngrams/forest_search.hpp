// Finds the derivation of a forest whose n-grams gain most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphs/forest_rules.hpp"
#include "ngrams/gain_source.hpp"
#include "ngrams/search_effort.hpp"

namespace latticemetric {

struct FoundDerivation {
  std::vector<std::int64_t> edges;
  double bound;     // no derivation gains more
  bool is_proved;   // no other derivation is better; otherwise, this is the best one that the effort allowed to find
};

// `words_of_symbols[s - 1]` is the number of the word with symbol s in the source's n-grams; no n-gram has foreign
// words. Gains are compared without a tolerance: their sums must be exact. Ties go to the least cost, then the fewest
// words, then the lexicographically smallest edges in preorder.
FoundDerivation search_forest_ngrams(const ForestRules& rules, const std::int32_t* words_of_symbols, GainSource& gains,
                                     SearchEffort& effort, std::size_t most_bytes);

}  // namespace latticemetric
