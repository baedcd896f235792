// Posteriors of n-grams in a lattice: the probability that a path contains an n-gram at least once.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/ngram_trie.hpp"

namespace latticemetric {

struct NgramPosteriors {
  NgramTrie ngrams;                // all n-grams of paths, up to the order
  std::vector<double> posterior;   // by node of the trie; 1 for the empty n-gram
};

// Arcs are sorted by source and go from smaller to larger states; 0 is the start; word 0 means no word. `transition` is
// that of `forward_backward`.
NgramPosteriors ngram_posteriors(std::int32_t states, std::int64_t arcs, const std::int32_t* source,
                                 const std::int32_t* target, const std::int32_t* word, const double* transition,
                                 std::int32_t order);

}  // namespace latticemetric
