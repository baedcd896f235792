#include "ngrams/forest_posteriors.hpp"

#include <algorithm>
#include <utility>

#include "ngrams/forest_occurrence.hpp"

namespace latticemetric {

// The expected count of an n-gram is its posterior if no derivation contains it twice (Can & Narayanan 2015, for
// lattices). Only the other n-grams need the slower `ForestOccurrence`. Shorter n-grams go first: if an n-gram without
// its last word, or without its first, never occurs twice in a derivation, neither does the n-gram itself.
NgramPosteriors forest_ngram_posteriors(const ForestRules& rules, const ForestProbabilities& probabilities,
                                        std::int32_t order, std::size_t most_bytes) {
  const auto rule_mass = rule_masses(rules, probabilities);
  ForestContexts counted(rules, probabilities, rule_mass, order, ForestContexts::all(most_bytes));
  ForestOccurrence occurrence(rules, rule_mass, probabilities.ending, most_bytes);
  const auto& ngrams = counted.ngrams;
  auto& posterior = counted.expected;
  std::vector<std::uint8_t> repeats(posterior.size(), 0);
  std::vector<std::int32_t> shorter(posterior.size(), NgramTrie::root);   // without the first word
  repeats[NgramTrie::root] = 1;
  for (const auto g : ngrams.by_length()) {
    if (g == NgramTrie::root) continue;
    const auto parent = ngrams.parent(g);
    if (parent != NgramTrie::root) shorter[g] = ngrams.child(shorter[parent], ngrams.word(g));
    if (!repeats[parent] || !repeats[shorter[g]]) continue;
    occurrence.set_ngram(ngrams.words_of(g));
    repeats[g] = occurrence.can_repeat();
    if (repeats[g]) posterior[g] = occurrence.probability();
  }
  // Rounding may push a probability out of 0 .. 1.
  for (auto& p : posterior) p = std::min(std::max(p, 0.0), 1.0);
  return {std::move(counted.ngrams), std::move(counted.expected)};
}

}  // namespace latticemetric
