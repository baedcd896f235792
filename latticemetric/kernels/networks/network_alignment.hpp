// The cheapest alignment of two word networks, as NIST's sclite finds it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace latticemetric {

// States are numbered in topological order, and 0 is the start. Arcs are sorted by source. Label 0 means no word.
struct Network {
  std::int32_t states;
  std::int64_t arcs;
  const std::int32_t* source;
  const std::int32_t* target;
  const std::int32_t* label;
  const std::uint8_t* is_final;  // by state
};

// These are floats, as in sclite, which adds them up: rounding decides between sums with silences that would tie
// otherwise.
struct EditCosts {
  float substitution, deletion, insertion;
  float silence;  // of an arc without a word, on either side
};

// The arcs that the alignment takes on both sides, and its edits as letters: C, S, D, I. Arcs without words have no
// edit.
struct NetworkAlignment {
  std::vector<std::int64_t> reference, hypothesis;
  std::string edits;
};

// Returns the cheapest alignment. Ties are resolved from the end: a pair comes before an insertion, and that before a
// deletion. Among the previous arcs, those that a depth-first search meets first come first, the reference's before the
// hypothesis's. Texts of more than `longest_in_table` words are aligned in a band, in time that grows with the errors.
constexpr std::int64_t longest_text_in_table = 40;  // up to there, a table takes less time
NetworkAlignment align_networks(const Network& reference, const Network& hypothesis, EditCosts costs,
                                std::int64_t longest_in_table = longest_text_in_table);

}  // namespace latticemetric
