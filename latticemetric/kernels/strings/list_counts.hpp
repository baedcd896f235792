// What the hypotheses of n-best lists count against the references of their lists.
#pragma once

#include <cstdint>
#include <vector>

#include "strings/pair_counts.hpp"
#include "strings/test_set.hpp"
#include "strings/word_numbers.hpp"

namespace latticemetric {

// Lists one after the other: list s has hypotheses begin[s] .. begin[s + 1] - 1 and references owner[s] ..
// owner[s + 1] - 1. Words are numbers of their list: those of its references come first, from 0 on.
struct NumberedLists {
  Strings hypotheses;
  const std::int64_t* begin;
  Strings references;
  const std::int64_t* owner;
  std::int64_t count;
};

struct ListCounts {
  std::vector<std::int64_t> rows;    // a row a hypothesis and reference of its list, as `PairCounter` has it
  std::vector<std::uint8_t> is_new;  // a hypothesis: whether none before it in its list has the same words
  std::vector<std::int64_t> missing;  // a list: the words of its references that are in no hypothesis
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
  WordNumbers strings_;  // hypotheses of a list, each as one word
  std::vector<std::uint8_t> in_hypotheses_;
};

}  // namespace latticemetric
