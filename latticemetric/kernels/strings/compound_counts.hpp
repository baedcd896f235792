// Word errors where words may be joined: `ice cream` matches `icecream`.
#pragma once

#include <cstdint>
#include <vector>

#include "strings/test_set.hpp"

namespace latticemetric {

// Consecutive words of strings that make one word if they are joined. Rows begin[s] .. begin[s + 1] - 1 are those of
// string s; each has the place after the last of the words, how many they are, and the word that they make.
struct JoinedWords {
  const std::int64_t* begin;
  const std::int32_t* end;
  const std::int32_t* length;
  const std::int32_t* word;
};

// Strings longer than this are refused.
constexpr std::int64_t most_compound_words = (std::int64_t{1} << 20) - 1;

// Pairs with a string of at most so many words are aligned at once; for others, a bound of the errors is found first.
constexpr std::int64_t longest_without_bound = 100;

// Returns the substitutions, deletions and insertions of each hypothesis, one row for each reference. Takes time that
// grows with the errors.
std::vector<std::int64_t> compound_counts(const TestSet& test, JoinedWords hypotheses, JoinedWords references,
                                          std::int64_t longest = longest_without_bound);

}  // namespace latticemetric
