// What the strings of a forest's nodes begin and end with, and how often its derivations hold each n-gram.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphs/forest_rules.hpp"
#include "graphs/ngram_trie.hpp"

namespace latticemetric {

// Probabilities of derivations, as `inside_outside` has them, by edges and nodes.
struct ForestProbabilities {
  const double* node;
  const double* transition;
  const double* ending;
};

// An n-gram, and the probability that a string has it in its place.
struct Context {
  std::int32_t ngram;
  double mass;
};

// N-grams with probabilities that add up. It is never emptied entry by entry: an n-gram is in it if it stands in the
// list where its index points to.
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
  // Where an n-gram that is in it stands.
  std::size_t at(std::int32_t ngram) const { return at_[ngram]; }
  const std::vector<Context>& entries() const { return entries_; }

 private:
  std::vector<Context> entries_;
  std::vector<std::uint32_t> at_;
};

// A string is split where one symbol of an edge ends and the next begins: what stands on both sides is independent, so
// that all n-grams across can be counted from what the first part ends and the second begins with. Neither the pairs of
// what a node's strings begin and end with nor the strings themselves are ever listed, only those below n - 1 words.
class ForestContexts {
 public:
  // Throws TooLarge where n-grams and contexts take more than so many bytes.
  ForestContexts(const ForestRules& rules, const ForestProbabilities& probabilities, std::int32_t order,
                 std::size_t most_bytes);

  NgramTrie ngrams;                // all that some derivation holds, up to the order; words are symbols
  std::vector<double> expected;    // how often a derivation holds each one, on average
  std::vector<double> rule_mass;   // of each rule, given its node

 private:
  // What the beginnings of a rule end with, and what they are where they are short.
  struct Beginning {
    std::vector<Context> ends, whole;
  };
  // What a node's strings begin with, by length, an n-gram after its parent; what they end with; what they are.
  struct Node {
    std::vector<Context> begins, ends, whole;
    std::vector<std::size_t> length_end;   // where those of each length end in `begins`
    std::vector<std::uint32_t> parent;     // of `begins`: where the parent stands there
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
  std::size_t kept_ = 0;   // contexts of nodes
  std::vector<Node> nodes_;
  std::vector<Beginning> beginnings_;
  Contexts begins_, ends_, whole_, next_;
  std::vector<std::int32_t> made_;
  std::vector<Symbol> spelled_;
};

}  // namespace latticemetric
