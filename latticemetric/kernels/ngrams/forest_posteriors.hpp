// Posteriors of n-grams in a forest: the probability that a derivation contains an n-gram at least once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ngrams/forest_contexts.hpp"
#include "ngrams/posteriors.hpp"

namespace latticemetric {

// The words of the n-grams returned are symbols of the rules. Throws TooLarge if this takes more than `most_bytes`.
NgramPosteriors forest_ngram_posteriors(const ForestRules& rules, const ForestProbabilities& probabilities,
                                        std::int32_t order, std::size_t most_bytes);

}  // namespace latticemetric
