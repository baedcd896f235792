// The cheapest alignment of two word networks, as NIST's sclite makes it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace latticemetric {

// States are numbered in topological order, 0 is the start; arcs are sorted by source. Label 0 is no word.
struct Network {
  std::int32_t states;
  std::int64_t arcs;
  const std::int32_t* source;
  const std::int32_t* target;
  const std::int32_t* label;
  const std::uint8_t* is_final;  // a state
};

// sclite adds them up as floats, whose rounding decides between sums with silences that would tie.
struct EditCosts {
  float substitution, deletion, insertion;
  float silence;  // an arc without a word, on either side
};

// The arcs that the alignment takes on both sides, and an edit a letter: C, S, D, I; arcs without words have none.
struct NetworkAlignment {
  std::vector<std::int64_t> reference, candidate;
  std::string edits;
};

// Ties, from the end on: a pair goes before an insertion, that before a deletion; of the arcs before, those that a
// search in depth meets first, those of the reference first.
NetworkAlignment align_networks(const Network& reference, const Network& candidate, EditCosts costs);

}  // namespace latticemetric
