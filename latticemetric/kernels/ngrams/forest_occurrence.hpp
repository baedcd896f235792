// How probable it is that a derivation of a forest holds an n-gram, and whether one holds it twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ngrams/forest_shapes.hpp"

namespace latticemetric {

// An n-gram is looked for as Knuth, Morris and Pratt (1977) do, by how many of its first words were said last. What a
// node's strings do to that is a matrix. Only nodes that can say a word of the n-gram have one: whatever the others say
// forgets what was said before, unless it is nothing.
class ForestHolding {
 public:
  ForestHolding(const ForestRules& rules, const std::vector<double>& rule_mass, const double* ending,
                std::size_t most_bytes);

  // The n-gram that is asked for.
  void look_for(const std::vector<Symbol>& words);

  // Whether some derivation holds it twice, probable or not. Of very long ones this is taken for granted.
  bool can_repeat();

  // The probability of all derivations that hold it. Throws TooLarge where matrices take more bytes than may be.
  double probability();

 private:
  static constexpr std::size_t longest_exact = 31;   // whose states fit into a mask, before and after it was said
  using Mask = std::uint64_t;

  std::size_t next(std::size_t state, Symbol word) const;
  Mask after(Mask states, Symbol symbol) const;
  Mask after_one(std::size_t state, Symbol symbol) const;
  Mask once_said(Mask states) const;
  void say_word(const double* before, double* after, Symbol word) const;
  void say_tail(const double* before, double* after, std::int32_t tail) const;

  ForestShapes shapes_;
  const double* ending_;
  const std::size_t most_bytes_;
  std::vector<Symbol> words_;
  std::vector<std::size_t> border_;   // of each beginning of the n-gram, the longest one that it also ends with
  std::vector<double> matrices_, rows_;
  std::vector<Mask> masks_;
};

}  // namespace latticemetric
