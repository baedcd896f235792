// Finds the derivation of a forest whose n-grams gain most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphs/forest_rules.hpp"
#include "graphs/ngram_trie.hpp"

namespace latticemetric {

// The gain of a string: `gain[g]` for each occurrence of each n-gram g of the trie, and `word` for each word. For each
// n-gram, the trie also holds every shorter n-gram within it.
struct ForestNgramGains {
  const NgramTrie& ngrams;
  const double* gain;
  double word;
  std::int32_t order;
};

// `known[s - 1]` is the trie's number of the word with symbol s; no n-gram has foreign words. Gains are compared
// without a tolerance: for exact ties, pass gains whose sums are exact. Ties go to the least cost, then the fewest
// words, then the lexicographically smallest edges in preorder. Throws TooLarge if this takes more than `most_bytes`.
std::vector<std::int64_t> search_forest_ngrams(const ForestRules& rules, const std::int32_t* known,
                                               const ForestNgramGains& gains, std::size_t most_bytes);

}  // namespace latticemetric
