// Bits in words of 64, and numbers for those that are set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "memory/budget.hpp"

namespace latticemetric {

inline std::uint64_t bit(std::int32_t k) { return std::uint64_t{1} << (static_cast<std::uint32_t>(k) % 64); }

// Visits the bits of a word that are set, by their places; also later ones that are set meanwhile, when there may also
// be more words.
template <typename Visit>
void each_bit(const std::vector<std::uint64_t>& words, std::size_t word, Visit visit) {
  std::uint64_t done = 0;
  while (const std::uint64_t left = words[word] & ~done) {
    done |= left & (~left + 1);
    visit(__builtin_ctzll(left));
  }
}

// Words are named by the caller: bit k is one of the word that it gives with it.
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

  // Numbers those that are set, from the first to the last one.
  void number() {
    before_ = filled(words_.size() + 1, std::size_t{0});
    for (std::size_t w = 0; w < words_.size(); ++w)
      before_[w + 1] = before_[w] + static_cast<std::size_t>(__builtin_popcountll(words_[w]));
  }
  std::size_t size() const { return before_.back(); }
  // How many are set before a word, and before a bit: its number.
  std::size_t before(std::size_t word) const { return before_[word]; }
  std::size_t number_of(std::size_t word, std::int32_t k) const {
    return before_[word] + static_cast<std::size_t>(__builtin_popcountll(words_[word] & (bit(k) - 1)));
  }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<std::size_t> before_;
};

}  // namespace latticemetric
