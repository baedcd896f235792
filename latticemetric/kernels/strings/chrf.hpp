// What chrF counts: character n-grams and word n-grams that a candidate shares with its references.
#pragma once

#include <cstdint>
#include <vector>

#include "strings/test_set.hpp"

namespace latticemetric {

struct ChrfOrders {
  std::int32_t characters, words;
  bool with_spaces;  // whether white space is a character
};

// A row a reference, with its candidate: for each order, characters first, the n-grams of the candidate, those of the
// reference, and those that both have. Strings are code points of Unicode.
std::vector<std::int64_t> chrf_counts(const TestSet& test, ChrfOrders orders);

}  // namespace latticemetric
