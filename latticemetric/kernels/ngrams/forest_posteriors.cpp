#include "ngrams/forest_posteriors.hpp"

#include <algorithm>

#include "ngrams/forest_occurrence.hpp"

namespace latticemetric {
namespace {

std::vector<Symbol> spelled(const NgramTrie& ngrams, std::int32_t ngram) {
  std::vector<Symbol> words;
  for (; ngram != NgramTrie::root; ngram = ngrams.parent(ngram)) words.push_back(ngrams.word(ngram));
  std::reverse(words.begin(), words.end());
  return words;
}

std::vector<std::int32_t> by_length(const NgramTrie& ngrams) {
  std::vector<std::int32_t> sorted;
  for (std::int32_t g = 1; g < ngrams.size(); ++g) sorted.push_back(g);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](std::int32_t a, std::int32_t b) { return ngrams.length(a) < ngrams.length(b); });
  return sorted;
}

}  // namespace

// How often an n-gram is held, on average, is its posterior where no derivation holds it twice (Can & Narayanan 2015,
// for lattices). Shorter ones go first: where an n-gram without its last word, or without its first, never stands twice,
// neither does it.
NgramPosteriors forest_ngram_posteriors(const ForestRules& rules, const ForestShares& shares, std::int32_t order,
                                        std::size_t most_bytes) {
  ForestContexts counted(rules, shares, order, most_bytes);
  ForestHolding holding(rules, counted.rule_mass, shares.ending, most_bytes);
  const auto& ngrams = counted.ngrams;
  auto& posterior = counted.expected;
  std::vector<std::uint8_t> repeats(posterior.size(), 0);
  std::vector<std::int32_t> shorter(posterior.size(), NgramTrie::root);   // without the first word
  repeats[NgramTrie::root] = 1;
  for (const auto g : by_length(ngrams)) {
    const auto parent = ngrams.parent(g);
    if (parent != NgramTrie::root) shorter[g] = ngrams.child(shorter[parent], ngrams.word(g));
    if (!repeats[parent] || !repeats[shorter[g]]) continue;
    holding.look_for(spelled(ngrams, g));
    repeats[g] = holding.can_repeat();
    if (repeats[g]) posterior[g] = holding.probability();
  }
  // What rounding adds to a certainty.
  for (auto& p : posterior) p = std::min(std::max(p, 0.0), 1.0);
  return {std::move(counted.ngrams), std::move(counted.expected)};
}

}  // namespace latticemetric
