// A set of bits in 64-bit words, which numbers the bits that are set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "memory/budget.hpp"

namespace latticemetric {

inline std::uint64_t bit(std::int32_t k) { return std::uint64_t{1} << (static_cast<std::uint32_t>(k) % 64); }

// Calls visit(k) for each bit k of words[word] that is set, from the lowest on. `visit` may set more bits of the word,
// which are visited too, and may append words to the vector: the word is read again after each call.
template <typename Visit>
void each_bit(const std::vector<std::uint64_t>& words, std::size_t word, Visit visit) {
  std::uint64_t done = 0;
  while (const std::uint64_t left = words[word] & ~done) {
    done |= left & (~left + 1);
    visit(__builtin_ctzll(left));
  }
}

// The caller says in which word a bit lies: bit k is bit k % 64 of that word.
class NumberedBits {
 public:
  void allot(std::size_t words) { words_ = filled(words, std::uint64_t{0}); }
  void set(std::size_t word, std::int32_t k) { words_[word] |= bit(k); }
  bool has(std::size_t word, std::int32_t k) const { return words_[word] & bit(k); }
  bool has_any(std::size_t word) const { return words_[word] != 0; }
  template <typename Visit>
  void each(std::size_t word, Visit visit) const {
    each_bit(words_, word, visit);
  }

  // Numbers the bits that are set, in ascending order over all words.
  void number() {
    before_ = filled(words_.size() + 1, std::size_t{0});
    for (std::size_t w = 0; w < words_.size(); ++w)
      before_[w + 1] = before_[w] + static_cast<std::size_t>(__builtin_popcountll(words_[w]));
  }
  std::size_t size() const { return before_.back(); }
  // Return how many bits are set before a word, and before a bit. The latter is the number of the bit.
  std::size_t before(std::size_t word) const { return before_[word]; }
  std::size_t number_of(std::size_t word, std::int32_t k) const {
    return before_[word] + static_cast<std::size_t>(__builtin_popcountll(words_[word] & (bit(k) - 1)));
  }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<std::size_t> before_;
};

}  // namespace latticemetric
