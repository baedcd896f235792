// The text with the least sum of weighted edit distances from given texts.
#pragma once

#include <cstdint>
#include <vector>

namespace latticemetric {

struct WeightedTexts {
  std::int32_t texts;
  const std::int64_t* begin;  // the first word of each text, and the end
  const std::int32_t* word;
  const double* weight;  // by text; positive
};

struct MedianText {
  bool is_better = false;          // there is a text with a smaller sum than `known`
  std::vector<std::int32_t> word;  // this text
  double cost = 0;                 // its sum; if there is none, `known`
  double bound = 0;                // no text has a smaller sum
};

// Searches for a text whose sum is smaller than `known` by more than `tolerance`. The search is exact; if it visits more
// than `most_arcs` arcs, or if its tables would have more than `most_cells` cells, it ends with a bound alone.
constexpr std::int64_t most_median_texts = 8;
MedianText median_text(const WeightedTexts& given, double known, double tolerance, std::int64_t most_arcs,
                       std::int64_t most_cells);

}  // namespace latticemetric
