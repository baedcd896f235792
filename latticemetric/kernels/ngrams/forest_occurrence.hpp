// The probability that a derivation of a forest contains an n-gram, and whether some derivation contains it twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ngrams/forest_shapes.hpp"

namespace latticemetric {

// The n-gram is searched as by Knuth, Morris and Pratt (1977): the state is the number of its first words that were
// read last. The strings of a node map states to states, which makes a matrix. Only nodes that can produce a word of
// the n-gram have one. After a string of any other node the state is 0, unless the string is empty.
class ForestOccurrence {
 public:
  ForestOccurrence(const ForestRules& rules, const std::vector<double>& rule_mass, const double* ending,
                   std::size_t most_bytes);

  // Selects the n-gram.
  void set_ngram(const std::vector<Symbol>& words);

  // Returns whether some derivation contains it twice, however improbable. Returns true without a check for n-grams of
  // more than `longest_exact` words.
  bool can_repeat();

  // Returns the total probability of the derivations that contain it. Throws TooLarge if the matrices take more than
  // `most_bytes`.
  double probability();

 private:
  // A mask has 2n + 1 bits for an n-gram: the states before and after it was read, and one for twice.
  static constexpr std::size_t longest_exact = 31;
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
  std::vector<std::size_t> failure_;   // as `failure_function` returns it
  std::vector<double> matrices_, rows_;
  std::vector<Mask> masks_;
};

}  // namespace latticemetric
