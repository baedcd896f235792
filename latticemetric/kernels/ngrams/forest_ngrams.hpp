// The n-grams of a forest, counted as far as a search needs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "graphs/ngram_trie.hpp"
#include "ngrams/forest_contexts.hpp"
#include "ngrams/forest_occurrence.hpp"
#include "ngrams/search_effort.hpp"

namespace latticemetric {

// Large forests have millions of n-grams, nearly all of them improbable. The expected count of an n-gram in a
// derivation is an upper bound of its posterior. So n-grams that are expected less often than some threshold share this
// bound, and only the frequent ones are counted. Exact posteriors are computed one by one, when they are asked for.
//
// Counts and posteriors are kept for further searches. They do not depend on the searches before.
class ForestNgrams {
 public:
  // Upper bounds of posteriors: of each n-gram in the trie, and of all others. `steps` says how much work they took.
  struct Bounds {
    NgramTrie ngrams;
    std::vector<double> posterior;
    double others;
    std::int64_t steps;
  };

  // The rules and probabilities must outlive it.
  ForestNgrams(const ForestRules& rules, const ForestProbabilities& probabilities, std::int32_t order,
               std::size_t most_bytes);

  // The length of the longest n-grams, at most that of the longest string.
  std::int32_t order() const { return order_; }

  // Returns the bounds of a level, from 0 on; those of higher levels are closer. Returns null if they would take too
  // much memory or time.
  const Bounds* bounds(std::size_t level, SearchEffort& effort);

  // Returns the exact posterior of an n-gram. Its words are symbols of the rules; `foreign` is in no n-gram.
  double posterior(const std::vector<Symbol>& words);

  // Returns the number of n-grams that are kept.
  std::size_t size() const;

 private:
  void count_frequent(double least_count, SearchEffort& effort);

  const ForestRules& rules_;
  const ForestProbabilities probabilities_;
  const std::int32_t order_;
  const std::size_t most_bytes_;
  const std::vector<double> rule_mass_;
  ForestOccurrence occurrence_;
  std::vector<std::unique_ptr<Bounds>> levels_;
  bool is_last_ = false;            // there are no further levels
  NgramTrie asked_;                 // n-grams whose posteriors were asked for, and what they begin with
  std::vector<double> posterior_;   // by n-gram of `asked_`: NaN if it was not asked for
};

}  // namespace latticemetric
