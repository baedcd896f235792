// Word errors where words may be joined: `ice cream` is `icecream`.
#pragma once

#include <cstdint>
#include <vector>

#include "strings/test_set.hpp"

namespace latticemetric {

// Words of strings that make one word if joined: rows begin[s] .. begin[s + 1] - 1 are of string s, each with the place
// after the last of the words, how many they are, and the word that they make.
struct JoinedWords {
  const std::int64_t* begin;
  const std::int32_t* end;
  const std::int32_t* length;
  const std::int32_t* word;
};

// Strings longer than this are refused.
constexpr std::int64_t most_compound_words = (std::int64_t{1} << 20) - 1;

// Substitutions, deletions and insertions of each candidate, a row a reference.
std::vector<std::int64_t> compound_counts(const TestSet& test, JoinedWords candidates, JoinedWords references);

}  // namespace latticemetric
