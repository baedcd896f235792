// The probability that a derivation of a forest has an n-gram, and whether one has it twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ngrams/forest_shapes.hpp"

namespace latticemetric {

// An n-gram is searched as by Knuth, Morris and Pratt (1977): a state is the number of its first words that were read
// last. The strings of a node map states to states: a matrix. Only nodes that can produce a word of the n-gram have
// one; after a string of another node, the state is 0, unless the string is empty.
class ForestOccurrence {
 public:
  ForestOccurrence(const ForestRules& rules, const std::vector<double>& rule_mass, const double* ending,
                   std::size_t most_bytes);

  // Selects the n-gram.
  void set_ngram(const std::vector<Symbol>& words);

  // Whether some derivation has it twice, probable or not. For very long n-grams, true without a check.
  bool can_repeat();

  // The probability of all derivations that have it. Throws TooLarge if matrices take too many bytes.
  double probability();

 private:
  static constexpr std::size_t longest_exact = 31;   // whose states fit into a mask, before and after it was read
  using Mask = std::uint64_t;

  std::size_t next(std::size_t state, Symbol word) const;
  Mask after(Mask states, Symbol symbol) const;
  Mask after_one(std::size_t state, Symbol symbol) const;
  Mask once_more(Mask states) const;
  void advance_by_word(const double* before, double* after, Symbol word) const;
  void advance_by_tail(const double* before, double* after, std::int32_t tail) const;

  ForestShapes shapes_;
  const double* ending_;
  const std::size_t most_bytes_;
  std::vector<Symbol> words_;
  std::vector<std::size_t> failure_;   // of each beginning of the n-gram, the longest one that it also ends with
  std::vector<double> matrices_, rows_;
  std::vector<Mask> masks_;
};

}  // namespace latticemetric
