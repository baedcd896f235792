// How probable it is that a derivation of a forest holds an n-gram, at least once.
#pragma once

#include "ngrams/forest_contexts.hpp"
#include "ngrams/posteriors.hpp"

namespace latticemetric {

// Words of the n-grams are symbols of the rules. Throws TooLarge where this takes more than so many
// bytes.
NgramPosteriors forest_ngram_posteriors(const ForestRules& rules, const ForestShares& shares, std::int32_t order,
                                        std::size_t most_bytes);

}  // namespace latticemetric
