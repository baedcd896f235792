// The n-grams that the strings of each node of a forest begin and end with, and the expected count of each n-gram in a
// derivation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "graphs/forest_rules.hpp"
#include "graphs/ngram_trie.hpp"
#include "ngrams/search_effort.hpp"

namespace latticemetric {

// The probabilities that `inside_outside` computes: of a node its expected count, of an edge its probability given its
// head, and of a node the probability that it is the goal of a derivation.
struct ForestProbabilities {
  const double* node;
  const double* transition;
  const double* ending;
};

// Returns the probability of each rule, given its node.
std::vector<double> rule_masses(const ForestRules& rules, const ForestProbabilities& probabilities);

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
// listed; the strings themselves only where they have fewer than n - 1 words. What comes before a node is collected
// over all rules that use it, so each border before it is crossed once.
//
// An n-gram has at most the expected count of any n-gram within it. So frequent n-grams are found as frequent sets are
// (Agrawal & Srikant 1994): length by length, from frequent ones without the last and without the first word.
class ForestContexts {
 public:
  struct Limits {
    double least_count;         // rarer n-grams, and those that have such an n-gram within them, are left out
    std::int32_t most_ngrams;   // counting stops when there are more
    std::size_t most_bytes;
    SearchEffort* effort;       // counting stops when its time is over; null: no limit
  };

  // Returns the limits for counting all n-grams.
  static Limits all(std::size_t most_bytes) {
    return {0, std::numeric_limits<std::int32_t>::max(), most_bytes, nullptr};
  }

  // Counts n-grams up to the order. Throws TooLarge if n-grams and contexts take more than `most_bytes`.
  ForestContexts(const ForestRules& rules, const ForestProbabilities& probabilities,
                 const std::vector<double>& rule_mass, std::int32_t order, const Limits& limits);

  NgramTrie ngrams;               // words are symbols
  std::vector<double> expected;   // by n-gram: its expected count in a derivation

  // False if counting stopped: then nothing is counted.
  bool is_complete() const { return is_complete_; }

  // The number of steps that counting took.
  std::int64_t steps() const { return steps_; }

  // Returns whether an n-gram, and all within it, have at least the least count.
  bool is_frequent(std::int32_t ngram) const { return is_frequent_[ngram]; }

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
  // The expected counts of the n-grams that end before a node. They are added up when they become many.
  struct Before {
    std::vector<Context> ends;
    std::size_t many = 4096;
  };

  void count(std::int32_t shortest, std::int32_t longest);
  void read(const Rule* rules, const Rule* end, double outside);
  void read_symbol(Symbol symbol, double mass, double outside, const Beginning& before, Beginning& after);
  void read_word(Symbol word, double mass, double outside, const Beginning& before, Beginning& after);
  void read_tail(std::int32_t node, double mass, double outside, const Beginning& before, Beginning& after);
  void add_before(std::int32_t node, const std::vector<Context>& ends, double mass);
  void add_up(Before& before);
  void cross(std::int32_t node);
  Node settled();
  void add_count(std::int32_t ngram, double count);
  std::int32_t longer(std::int32_t ngram, Symbol word);
  std::int32_t joined(std::int32_t first, std::int32_t second);
  std::int32_t continued(std::int32_t ngram, const Node& node, std::size_t begin);
  void require_memory() const;

  const ForestRules& rules_;
  const ForestProbabilities probabilities_;
  const std::vector<double>& rule_mass_;
  const Limits limits_;
  bool is_complete_ = true;
  std::int64_t steps_ = 0;
  std::int32_t shortest_ = 1, longest_ = 1;   // the lengths that are being counted
  std::vector<std::uint8_t> is_frequent_{1};
  std::vector<std::int32_t> suffix_{NgramTrie::root};   // by n-gram: without its first word
  std::size_t kept_ = 0;                      // the number of contexts in `nodes_` and `before_`
  std::vector<Node> nodes_;
  std::vector<Before> before_;
  std::vector<Beginning> beginnings_;
  Contexts begins_, ends_, whole_, next_, sums_;
  std::vector<std::int32_t> made_;
  std::vector<Symbol> spelled_;
};

}  // namespace latticemetric
