// What recognition rates count: matches, errors, and k-grams of references.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "strings/alignment.hpp"
#include "strings/test_set.hpp"

namespace latticemetric {

class PairCounter {
 public:
  explicit PairCounter(Gains gains) : gains_(gains), aligner_(gains) {}

  // Adds one row for each reference, of its best alignment with its hypothesis: k-gram matches for k = 1 .. order, S, D,
  // I, and the number of k-grams that the reference has. Words are not negative.
  void add(const TestSet& test);

  // Adds the row of one pair, whose words are numbers from 0 to `highest`.
  void add(String hypothesis, String reference, std::int32_t highest);

  std::size_t columns() const { return 2 * static_cast<std::size_t>(gains_.order) + 3; }
  std::vector<std::int64_t> take() { return std::move(rows_); }

 private:
  Gains gains_;
  Aligner aligner_;
  std::vector<std::int64_t> rows_;
};

}  // namespace latticemetric
