// The derivation of a forest whose n-grams gain most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphs/forest_rules.hpp"
#include "graphs/ngram_trie.hpp"

namespace latticemetric {

// What strings gain: for each n-gram of the trie, as often as it stands in the string, and for each word. With an
// n-gram the trie holds all of its parts.
struct ForestNgramGains {
  const NgramTrie& ngrams;
  const double* gain;
  double word;
  std::int32_t order;
};

// `known[s - 1]` is the number that the trie has for the symbol s of the rules; no n-gram has foreign words. Gains are
// compared as they are: where they should tie exactly, give such whose sums are exact. Ties: least cost, fewest words,
// lexicographically smallest edges in preorder. Throws TooLarge where this takes more than so many bytes.
std::vector<std::int64_t> search_forest_ngrams(const ForestRules& rules, const std::int32_t* known,
                                               const ForestNgramGains& gains, std::size_t most_bytes);

}  // namespace latticemetric
