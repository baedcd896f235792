// Posteriors of n-grams in a forest: the probability that a derivation has an n-gram at least once.
#pragma once

#include "ngrams/forest_contexts.hpp"
#include "ngrams/posteriors.hpp"

namespace latticemetric {

// Words of the n-grams are symbols of the rules. Throws TooLarge where this takes more than so many
// bytes.
NgramPosteriors forest_ngram_posteriors(const ForestRules& rules, const ForestProbabilities& probabilities,
                                        std::int32_t order, std::size_t most_bytes);

}  // namespace latticemetric
