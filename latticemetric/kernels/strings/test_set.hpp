// Hypotheses and their references, as the metrics' kernels take them.
#pragma once

#include <algorithm>
#include <cstdint>

namespace latticemetric {

// Words as numbers.
struct String {
  const std::int32_t* begin;
  std::int64_t size;
};

// Strings one after the other: string s is words[begin[s]] .. words[begin[s + 1] - 1].
struct Strings {
  const std::int32_t* words;
  const std::int64_t* begin;
  std::int64_t count;

  String at(std::int64_t s) const { return {words + begin[s], begin[s + 1] - begin[s]}; }

  // Returns the number of words of the longest string.
  std::int64_t longest() const {
    std::int64_t words = 0;
    for (std::int64_t s = 0; s < count; ++s) words = std::max(words, at(s).size);
    return words;
  }

  // Returns an upper bound of all words, if none is negative; a negative number otherwise.
  std::int32_t bound() const {
    std::int32_t bits = 0;
    for (std::int64_t k = 0; k < begin[count]; ++k) bits |= words[k];
    return bits;
  }
};

// Segment s has hypothesis s and the references owner[s] .. owner[s + 1] - 1.
struct TestSet {
  Strings hypotheses;
  Strings references;
  const std::int64_t* owner;
};

}  // namespace latticemetric
