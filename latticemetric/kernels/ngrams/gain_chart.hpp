// A forest with the contexts of some words: what each part of it gains at best, or a bound on that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "graphs/derivations.hpp"
#include "graphs/forest_rules.hpp"
#include "ngrams/gain_contexts.hpp"

namespace latticemetric {

// What something said gains, costs, and how it is derived; words are many where nodes are shared.
struct GainProspect {
  double gain = -std::numeric_limits<double>::infinity();
  double cost = 0;
  double words = 0;
  Derivations::Number derivation = -1;
};

// Strings of a place in the forest that begin and end with the same words: a string is both where it is short.
struct GainItem {
  std::int64_t place;
  std::int32_t left, right;
  double around;    // what the rest of a derivation can gain, at most
  double outside = -std::numeric_limits<double>::infinity();   // the same, by what this level knows
  GainProspect best;
};

// A place is a node, or what a rule begins with. The items of a level know the first and the last words of what was
// said; n-grams that are longer than those and one more word are bounded.
class GainLevel {
 public:
  struct Limits {
    double least;             // items that cannot be part of gaining so much are left out
    std::size_t most_items;   // of a place: with fewer than all, the result is a derivation, and no bound
    std::size_t most_bytes;
  };

  // `before` is a level of fewer words, whose `look_around` is done, or null.
  GainLevel(const ForestRules& rules, const std::int32_t* known, GainContexts& contexts, std::int32_t words,
            const GainLevel* before, const Limits& limits);

  // The best derivation by what is known and bounded; empty where nothing is left.
  std::vector<std::int64_t> best_derivation();

  // What the rest of a derivation can gain around each item.
  void look_around();

 private:
  static constexpr std::int64_t nowhere = -1;
  struct Range {
    std::size_t begin, end;
  };
  // How an item came about: what it says after one item, maybe another one, and what they gain where they meet.
  struct Step {
    std::int64_t result, first, second;
    double gain;
  };
  struct Meeting {
    std::int32_t left, right;
    double gain;
  };

  void read_node(std::int32_t v);
  Range read_symbol(const Rule& rule, std::int32_t t, const Range& before);
  void say_word(std::int64_t place, std::size_t item, std::int32_t word);
  void say_tail(std::int64_t place, std::size_t item, std::size_t tail);
  Meeting met(const GainItem& first, const GainItem& second);
  double value(std::int32_t string) const;
  void finish(std::int32_t v, std::size_t item, const Rule& rule);
  template <typename Derive>
  void put(std::int64_t place, const Meeting& meeting, GainProspect prospect, std::size_t first, std::int64_t second,
           double gain, Derive&& derive);
  std::int64_t item_at(std::int64_t place, std::int32_t left, std::int32_t right) const;
  std::int64_t new_item(std::int64_t place, const Meeting& meeting, double gain);
  double around(std::int64_t place, std::int32_t left, std::int32_t right) const;
  std::size_t slot(std::int64_t place, std::int32_t left, std::int32_t right) const;
  void grow();
  void keep_best(Range& range);
  void require_memory() const;

  const ForestRules& rules_;
  const std::int32_t* known_;
  GainContexts& contexts_;
  const std::int32_t words_;
  const GainLevel* before_;
  const Limits limits_;
  std::vector<GainItem> items_;
  std::vector<std::uint32_t> table_;   // items by what they are, each by its number and one
  std::vector<Step> steps_;
  std::vector<Range> nodes_, ranges_;
  Derivations derivations_;
};

}  // namespace latticemetric
