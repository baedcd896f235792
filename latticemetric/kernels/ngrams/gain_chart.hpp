// A chart of a forest whose items know a few words at both ends: the best gain of each part, or an upper bound of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "graphs/derivations.hpp"
#include "graphs/forest_rules.hpp"
#include "ngrams/gain_contexts.hpp"

namespace latticemetric {

// The gain, the cost, the words and the derivation of a partial string. The words are counted as a double: shared nodes
// can make them very many.
struct GainCandidate {
  double gain = -std::numeric_limits<double>::infinity();
  double cost = 0;
  double words = 0;
  Derivations::Number derivation = -1;
};

// All strings of one place in the forest that have the same first words (`left`) and last words (`right`). Both are the
// whole string if it is short.
struct GainItem {
  std::int64_t place;
  std::int32_t left, right;
  double outside_bound;    // an upper bound of the gain of the rest of a derivation, by the level before
  double outside = -std::numeric_limits<double>::infinity();   // the same, by this level
  GainCandidate best;
};

// A place is a node, or the first symbols of a rule. An item knows the first and the last `words` words of its strings.
// Gains of n-grams of up to `words` + 1 words are exact, those of longer ones are bounded from above.
class GainLevel {
 public:
  struct Limits {
    double least;             // items that cannot be part of a derivation that gains so much are left out
    std::size_t most_items;   // kept per place: if any are dropped, the result is a derivation but no bound
    std::size_t most_bytes;
  };

  // `before` is a level of fewer words that has run `compute_outside`, or null.
  GainLevel(const ForestRules& rules, const std::int32_t* known, GainContexts& contexts, std::int32_t words,
            const GainLevel* before, const Limits& limits);

  // Returns the derivation with the largest gain or bound; an empty one if no item is left.
  std::vector<std::int64_t> best_derivation();

  // Computes an upper bound of what a derivation can gain around each item.
  void compute_outside();

 private:
  static constexpr std::int64_t nowhere = -1;
  struct Range {
    std::size_t begin, end;
  };
  // How an item was made: from one item or two, with the gain of the words and n-grams that the step adds.
  struct Step {
    std::int64_t result, first, second;
    double gain;
  };
  struct Combination {
    std::int32_t left, right;
    double gain;
  };

  void read_node(std::int32_t v);
  Range read_symbol(const Rule& rule, std::int32_t t, const Range& before);
  void append_word(std::int64_t place, std::size_t item, std::int32_t word);
  void append_tail(std::int64_t place, std::size_t item, std::size_t tail);
  Combination combine(const GainItem& first, const GainItem& second);
  double value(std::int32_t string) const;
  void finish(std::int32_t v, std::size_t item, const Rule& rule);
  template <typename Derive>
  void put(std::int64_t place, const Combination& combination, GainCandidate candidate, std::size_t first,
           std::int64_t second, double gain, Derive&& derive);
  std::int64_t item_at(std::int64_t place, std::int32_t left, std::int32_t right) const;
  std::int64_t new_item(std::int64_t place, const Combination& combination, double gain);
  double outside_bound(std::int64_t place, std::int32_t left, std::int32_t right) const;
  std::size_t slot(std::int64_t place, std::int32_t left, std::int32_t right) const;
  void rehash();
  void keep_best(Range& range);
  void require_memory() const;

  const ForestRules& rules_;
  const std::int32_t* known_;
  GainContexts& contexts_;
  const std::int32_t words_;
  const GainLevel* before_;
  const Limits limits_;
  std::vector<GainItem> items_;
  std::vector<std::uint32_t> table_;   // a hash table of items: the index plus 1, 0 for a free slot
  std::size_t filled_ = 0;             // how many slots are not free, with those of items that were dropped
  std::vector<Step> steps_;
  std::vector<Range> nodes_, ranges_;
  Derivations derivations_;
};

}  // namespace latticemetric
