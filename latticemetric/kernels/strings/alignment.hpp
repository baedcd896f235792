// The monotone alignment behind a recognition rate (Chiang & DeNeefe 2008, eq. 5 and 6).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "recognition/automaton.hpp"
#include "strings/test_set.hpp"
#include "strings/word_alignment.hpp"

namespace latticemetric {

// Aligns many pairs with one set of buffers.
class Aligner {
 public:
  // Words of a string up to which a table of all pairs of words takes less time than a band.
  static constexpr std::int64_t longest_in_table = 100;

  // `most_bytes` limits the tables of long pairs; see `WordAligner`.
  explicit Aligner(Gains gains, std::size_t most_bytes = WordAligner::usual_bytes,
                   std::int64_t longest = longest_in_table)
      : gains_(gains), longest_in_table_(longest), words_(most_bytes) {}

  // Returns the optimal alignment, one letter per edit: C (match), S, D, I. Among the alignments of best value, it is
  // the one with the most matches, then the fewest insertions and deletions; then, from left to right, C comes before
  // S, D and I, in this order.
  const std::string& align(String hypothesis, String reference);

 private:
  struct Choice {
    std::uint8_t edit;        // the best of S, D, I
    std::uint8_t match_from;  // a match is at least as good after this many matches or more
  };

  template <typename Key>
  void fill(String hypothesis, String reference, Key value_unit, Key match_unit);
  void read(String hypothesis, String reference);

  const Gains gains_;
  const std::int64_t longest_in_table_;
  WordAligner words_;
  std::vector<Choice> choice_;
  std::string edits_;
};

// Returns the counts of an alignment, in the order of a recognition rate's columns: matches of 1 .. `order` words in a
// row, S, D, I, and the reference's n-grams of 1 .. `order` words.
std::vector<std::int64_t> count_edits(std::string_view edits, std::int32_t order);

}  // namespace latticemetric
