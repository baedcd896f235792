// The monotone alignment behind a recognition rate (Chiang & DeNeefe 2008, eq. 5 and 6).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace latticemetric {

__extension__ using Wide = __int128;

// Gains of an n-gram recognition rate as integers: a match that completes k-grams up to length m earns
// m * unit, an insertion costs alpha, a deletion costs beta (all multiplied by the same common denominator).
struct Gains {
  std::int32_t order;
  std::int64_t unit;
  std::int64_t alpha;
  std::int64_t beta;
};

// Aligns many pairs with one set of buffers.
class Aligner {
 public:
  explicit Aligner(Gains gains) : gains_(gains) {}

  // The optimal alignment, a letter an edit: C (match), S, D, I. Among the alignments of best value the one
  // with most matches, then fewest insertions and deletions, then, left to right, C before S before D before I.
  const std::string& align(const std::int32_t* candidate, std::int64_t candidate_words,
                           const std::int32_t* reference, std::int64_t reference_words);

 private:
  template <typename Key>
  void fill(const std::int32_t* candidate, std::int64_t candidate_words, const std::int32_t* reference,
            std::int64_t reference_words, Key value_unit, Key match_unit);

  struct Choice {
    std::uint8_t edit;        // the best of S, D, I
    std::uint8_t match_from;  // a match is at least as good where this many words or more matched just before
  };

  Gains gains_;
  std::vector<Choice> choice_;
  std::string edits_;
};

}  // namespace latticemetric
