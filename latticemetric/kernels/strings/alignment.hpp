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
  // So many words of a string, in a table of all pairs of words, take less time than in a band.
  static constexpr std::int64_t longest_in_table = 100;

  // `most_bytes` is for the tables of long pairs; see `WordAligner`.
  explicit Aligner(Gains gains, std::size_t most_bytes = WordAligner::usual_bytes,
                   std::int64_t longest = longest_in_table)
      : gains_(gains), longest_in_table_(longest), words_(most_bytes) {}

  // The optimal alignment, a letter an edit: C (match), S, D, I. Among the alignments of best value the one
  // with most matches, then fewest insertions and deletions, then, left to right, C before S before D before I.
  const std::string& align(String candidate, String reference);

 private:
  struct Choice {
    std::uint8_t edit;        // the best of S, D, I
    std::uint8_t match_from;  // a match is at least as good where this many words or more matched just before
  };

  template <typename Key>
  void fill(String candidate, String reference, Key value_unit, Key match_unit);
  void read(String candidate, String reference);

  const Gains gains_;
  const std::int64_t longest_in_table_;
  WordAligner words_;
  std::vector<Choice> choice_;
  std::string edits_;
};

// What an alignment counts, in the order of a recognition rate's columns: matches of 1 .. `order` words in a row, S, D,
// I, and the reference's n-grams of 1 .. `order` words.
std::vector<std::int64_t> count_edits(std::string_view edits, std::int32_t order);

}  // namespace latticemetric
