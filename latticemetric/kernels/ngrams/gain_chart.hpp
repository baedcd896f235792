// A chart of a forest whose items know a few words at both ends: the best gain of each part, or an upper bound of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "graphs/forest_rules.hpp"
#include "ngrams/known_ngrams.hpp"
#include "ngrams/search_effort.hpp"

namespace latticemetric {

// The best way to make a partial string: its gain, its cost, its words, and what it is made of. The words are counted
// as a double: shared nodes can make them very many.
struct GainPart {
  double gain = -std::numeric_limits<double>::infinity();
  double cost = 0;
  double words = 0;
  std::int32_t first = -1;    // the item of all symbols but the last; of a node, that of all symbols
  std::int32_t second = -1;   // the item of the last symbol, if it is a node; of a node, the number of its rule
};

// All strings of one place in the forest that have the same first words (`left`) and last words (`right`): the longest
// known n-gram that they begin with, and the one that they end with. Both are the string itself if it is `whole`.
struct GainItem {
  std::int64_t place;
  std::int32_t left, right;
  bool whole;
  double outside;   // an upper bound of the gain of the rest of a derivation
  GainPart best;
};

// A place is a node, or the first symbols of a rule. An item knows at most the first and the last `words` words of its
// strings. Gains of n-grams of up to `words` + 1 words are as known, those of longer ones are bounded from above.
class GainLevel {
 public:
  struct Limits {
    double least;             // items that cannot be part of a derivation that gains so much are left out
    std::size_t most_kept;    // items per place: if any are dropped, the result is a derivation but no bound
    std::size_t most_bytes;
  };

  // `before` is a level of fewer words that has run `compute_outside`, or null.
  GainLevel(const ForestRules& rules, const std::int32_t* words_of_symbols, const KnownNgrams& ngrams,
            std::int32_t words, const GainLevel* before, const Limits& limits, SearchEffort& effort);

  // False if the level takes too much memory or effort: then it has no results.
  bool is_complete() const { return is_complete_; }
  bool is_full() const { return is_full_; }   // of memory

  // Returns the largest gain of a derivation, or a bound of it; minus infinity if no item is left.
  double bound() const;

  // Returns the derivation with the largest gain or bound; an empty one if no item is left.
  std::vector<std::int64_t> best_derivation() const;

  // Returns the best derivations that differ in their first or last words, at most so many.
  std::vector<std::vector<std::int64_t>> best_derivations(std::size_t most) const;

  // Computes an upper bound of what a derivation can gain around each item.
  void compute_outside();

 private:
  static constexpr std::int64_t nowhere = -1;
  static constexpr std::int32_t none = -1;
  struct Range {
    std::size_t begin, end;
  };
  // How an item was made: from one item or two, with the gain of the words and n-grams that the step adds.
  struct Step {
    std::int32_t result, first, second;
    double gain;
  };
  // The ends of a string.
  struct Ends {
    std::int32_t left, right;
    bool whole;
  };
  struct Combination {
    Ends ends;
    double gain;
  };
  struct Goal {
    std::int32_t item = none;
    GainPart part;
  };
  // A part, and the place that it was made at.
  struct Made {
    std::int64_t place;
    const GainPart* part;
  };

  void read_node(std::int32_t v);
  Range read_symbol(const Rule& rule, std::int32_t t, const Range& before);
  void append_word(std::int64_t place, std::size_t item, std::int32_t word);
  void append_tail(std::int64_t place, std::size_t item, std::size_t tail);
  Combination combined(const GainItem& first, const Ends& second) const;
  double value(std::int32_t ngram) const;
  double excess(const GainItem& item) const { return ngrams_.excess(ngrams_.length(item.left) + !item.whole); }
  void finish(std::int32_t v, std::size_t item, std::int32_t rule);
  void put(std::int64_t place, const Ends& ends, const GainPart& part, double gain, bool joins_items);
  std::int64_t new_item(std::int64_t place, const Ends& ends, double gain);
  double outside_bound(std::int64_t place, Ends ends) const;
  std::int64_t item_at(std::int64_t place, const Ends& ends) const;
  std::size_t slot(std::int64_t place, const Ends& ends) const;
  void rehash();
  void keep_best(Range& range);
  Goal best_goal() const;
  std::vector<std::int64_t> derivation(std::int32_t goal) const;
  std::int64_t edge(const Made& made) const;
  bool comes_before(Made one, Made other) const;
  bool has_room() const;
  std::size_t bytes() const;

  const ForestRules& rules_;
  const std::int32_t* words_of_symbols_;
  const KnownNgrams& ngrams_;
  const std::int32_t words_;
  const GainLevel* before_;
  const Limits limits_;
  SearchEffort& effort_;
  bool is_complete_ = true, is_full_ = false;
  std::vector<GainItem> items_;
  std::vector<std::uint32_t> table_;   // a hash table of items: the index plus 1, 0 for a free slot
  std::size_t filled_ = 0;             // how many slots are not free, with those of items that were dropped
  std::vector<Step> steps_;
  std::vector<Range> nodes_, ranges_;
};

}  // namespace latticemetric
