// A set of product states of a lattice and an automaton, numbered in ascending order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "memory/numbered_bits.hpp"

namespace latticemetric {

// Has a bit for each product state that may be in the set: at state s of the lattice, for count(s) states of the
// automaton from first(s) on.
class NumberedStates {
 public:
  template <typename First, typename Count>
  void allot(std::int32_t lattice_states, First first, Count count) {
    word_of_0_.reserve(static_cast<std::size_t>(lattice_states));
    begin_.reserve(static_cast<std::size_t>(lattice_states) + 1);
    begin_.push_back(0);
    for (std::int32_t s = 0; s < lattice_states; ++s) {
      const std::int32_t q = first(s), states = count(s), word = q / 64;
      word_of_0_.push_back(static_cast<std::ptrdiff_t>(begin_.back()) - word);
      begin_.push_back(begin_.back() + (states > 0 ? static_cast<std::size_t>((q + states - 1) / 64 - word + 1) : 0));
    }
    bits_.allot(begin_.back());
  }
  void set(std::int32_t s, std::int32_t q) { bits_.set(word(s, q), q); }

  // Numbers the states that are set.
  void number() { bits_.number(); }

  std::size_t size() const { return bits_.size(); }
  // Returns the first number at state s of the lattice.
  std::size_t begin(std::int32_t s) const { return bits_.before(begin_[s]); }

  bool has(std::int32_t s, std::int32_t q) const {
    const std::size_t w = word(s, q);
    return begin_[s] <= w && w < begin_[s + 1] && bits_.has(w, q);
  }
  std::size_t number(std::int32_t s, std::int32_t q) const {
    return bits_.number_of(word(s, q), q);
  }

  // Visits the set states at a state of the lattice, in ascending order. `visit` may set larger ones, which are
  // visited, too.
  template <typename Visit>
  void each(std::int32_t s, Visit visit) const {
    for (std::size_t w = begin_[s]; w < begin_[s + 1]; ++w) {
      const auto first = static_cast<std::int32_t>(static_cast<std::ptrdiff_t>(w) - word_of_0_[s]) * 64;
      bits_.each(w, [&](std::int32_t k) { visit(first + k); });
    }
  }

 private:
  std::size_t word(std::int32_t s, std::int32_t q) const {
    return static_cast<std::size_t>(word_of_0_[s] + static_cast<std::ptrdiff_t>(static_cast<std::uint32_t>(q) / 64));
  }

  // By state of the lattice: the word that would hold automaton state 0 (it may be negative), and the first word.
  std::vector<std::ptrdiff_t> word_of_0_;
  std::vector<std::size_t> begin_;
  NumberedBits bits_;
};

}  // namespace latticemetric
