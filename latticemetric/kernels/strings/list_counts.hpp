// What the hypotheses of n-best lists count against the references of their lists.
#pragma once

#include <cstdint>
#include <vector>

#include "strings/pair_counts.hpp"
#include "strings/test_set.hpp"
#include "strings/word_numbers.hpp"

namespace latticemetric {

// Lists one after the other: list s has hypotheses begin[s] .. begin[s + 1] - 1 and references owner[s] ..
// owner[s + 1] - 1. Each list numbers its own words: those of its references come first, from 0 on.
struct NumberedLists {
  Strings hypotheses;
  const std::int64_t* begin;
  Strings references;
  const std::int64_t* owner;
  std::int64_t count;
};

struct ListCounts {
  std::vector<std::int64_t> rows;    // one row for each hypothesis and each reference of its list, as in `PairCounter`
  std::vector<std::uint8_t> is_new;  // by hypothesis: whether no earlier one of its list has the same words
  std::vector<std::int64_t> missing;  // by list: how many words of its references are in no hypothesis
};

class ListCounter {
 public:
  explicit ListCounter(Gains gains) : pairs_(gains) {}

  void add(const NumberedLists& lists);

  std::size_t columns() const { return pairs_.columns(); }
  ListCounts take();

 private:
  void mark_new(const NumberedLists& lists, std::int64_t s);
  void count_missing(const NumberedLists& lists, std::int64_t s);

  PairCounter pairs_;
  ListCounts found_;
  WordNumbers strings_;  // numbers the hypotheses of a list, each as if it were one word
  std::vector<std::uint8_t> in_hypotheses_;
};

}  // namespace latticemetric
