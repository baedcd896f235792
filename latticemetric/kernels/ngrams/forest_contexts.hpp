// The n-grams that the strings of each node of a forest begin and end with, and the expected count of each n-gram in a
// derivation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphs/forest_rules.hpp"
#include "graphs/ngram_trie.hpp"

namespace latticemetric {

// The probabilities that `inside_outside` computes: of a node its expected count, of an edge its probability given its
// head, and of a node the probability that it is the goal of a derivation.
struct ForestProbabilities {
  const double* node;
  const double* transition;
  const double* ending;
};

// An n-gram, and the probability that a string begins with it, ends with it, or is it, depending on the list.
struct Context {
  std::int32_t ngram;
  double mass;
};

// Sums of probabilities by n-gram (a sparse set). `clear` empties the list of entries but not the index, so it costs
// little. So an n-gram is present only if the entry that its index points to holds it.
class Contexts {
 public:
  void clear() { entries_.clear(); }
  void add(std::int32_t ngram, double mass) {
    if (at_.size() <= static_cast<std::size_t>(ngram)) at_.resize(static_cast<std::size_t>(ngram) * 3 / 2 + 64);
    auto& at = at_[ngram];
    if (at < entries_.size() && entries_[at].ngram == ngram) {
      entries_[at].mass += mass;
    } else {
      at = static_cast<std::uint32_t>(entries_.size());
      entries_.push_back({ngram, mass});
    }
  }
  // Returns the index of an n-gram's entry. The n-gram must be present.
  std::size_t at(std::int32_t ngram) const { return at_[ngram]; }
  const std::vector<Context>& entries() const { return entries_; }

 private:
  std::vector<Context> entries_;
  std::vector<std::uint32_t> at_;
};

// Counts n-grams without listing strings. A string is split at each border between two symbols of an edge. Given the
// edge, the strings on both sides are independent. So the n-grams that cross the border can be counted from what the
// first part ends with and what the second begins with. The pairs (beginning, end) of a node's strings are never
// listed; the strings themselves only where they have fewer than n - 1 words.
class ForestContexts {
 public:
  // Throws TooLarge if the n-grams and contexts take more than `most_bytes`.
  ForestContexts(const ForestRules& rules, const ForestProbabilities& probabilities, std::int32_t order,
                 std::size_t most_bytes);

  NgramTrie ngrams;                // all n-grams of derivations, up to the order; words are symbols
  std::vector<double> expected;    // the expected count of each n-gram in a derivation
  std::vector<double> rule_mass;   // the probability of each rule, given its node

 private:
  // Of the first symbols of a rule: the n-grams that their strings end with, and those strings of fewer than n - 1
  // words themselves.
  struct Beginning {
    std::vector<Context> ends, whole;
  };
  // Of a node's strings: the n-grams that they begin with (sorted by length, an n-gram after its parent), those that
  // they end with, and the strings of fewer than n - 1 words themselves.
  struct Node {
    std::vector<Context> begins, ends, whole;
    std::vector<std::size_t> length_end;   // of each length: the end of the n-grams up to it in `begins`
    std::vector<std::uint32_t> parent;     // of each entry of `begins`: the index of its parent there
  };

  void read(const Rule* rules, const Rule* end, double outside);
  void read_symbol(Symbol symbol, double mass, double outside, const Beginning& before, Beginning& after);
  void read_word(Symbol word, double mass, double outside, const Beginning& before, Beginning& after);
  void read_tail(const Node& tail, double mass, double outside, const Beginning& before, Beginning& after);
  void cross(const std::vector<Context>& ends, const Node& tail, double mass);
  Node settled();
  std::int32_t made(std::int32_t ngram, Symbol word);
  std::int32_t joined(std::int32_t first, std::int32_t second);
  void require_memory() const;

  const ForestRules& rules_;
  const std::int32_t order_;
  const std::size_t most_bytes_;
  std::size_t kept_ = 0;   // the number of contexts in `nodes_`
  std::vector<Node> nodes_;
  std::vector<Beginning> beginnings_;
  Contexts begins_, ends_, whole_, next_;
  std::vector<std::int32_t> made_;
  std::vector<Symbol> spelled_;
};

}  // namespace latticemetric
