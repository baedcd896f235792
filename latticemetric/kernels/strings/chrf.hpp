// What chrF counts: character n-grams and word n-grams that a hypothesis shares with its references.
#pragma once

#include <cstdint>
#include <vector>

#include "strings/test_set.hpp"

namespace latticemetric {

struct ChrfOrders {
  std::int32_t characters, words;
  bool with_spaces;  // whether white space counts as characters
};

// Returns one row for each reference and its hypothesis. For each order, characters first, a row has the number of
// n-grams of the hypothesis, of the reference, and of both. Strings are Unicode code points.
std::vector<std::int64_t> chrf_counts(const TestSet& test, ChrfOrders orders);

}  // namespace latticemetric
