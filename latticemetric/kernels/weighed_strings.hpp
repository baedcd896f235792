// Strings of a lattice by what a recognition rate and a model's cost make of them together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "alignment.hpp"

namespace latticemetric {

// Arcs are sorted by source and go from smaller to larger states; 0 is the start, and every state is on a complete
// path. Costs are integers in a common unit, so that sums are exact and ties are found.
struct WeighedLattice {
  std::int32_t states;
  std::int64_t arcs;
  const std::int32_t* source;
  const std::int32_t* target;
  const std::int32_t* label;       // what an arc counts as; 0 for ε
  const std::int32_t* shown;       // what it says in the result; 0 for nothing
  const std::int64_t* cost;
  const std::int64_t* final_cost;  // a state
  const std::uint8_t* is_final;
};

struct WeighedReference {
  std::vector<std::int32_t> words;
  Wide weight;  // of a gain against it; at least 0
};

// The loss of a string is cost_weight * cost − its largest weight * gain over references and alignments; or plus it,
// where the strings that score ill are wanted.
struct Weighing {
  std::vector<WeighedReference> references;
  Gains gains;
  Wide cost_weight;  // at least 0
  bool ill;
};

struct SearchLimits {
  std::int64_t strings;  // wanted
  std::int64_t steps;    // prefixes that may be looked at
  std::size_t bytes;
};

struct WeighedStrings {
  std::vector<std::vector<std::int64_t>> arcs;  // the best path of each string, the best string first
  std::int64_t exact;                           // so many of the first are known to be the best
  Wide bound;                                   // no other string has a smaller loss; of no meaning if all are exact
};

// Distinct strings of least loss; ties: least cost, fewest words, lexicographically smallest arcs. Throws TooLarge
// where tables do not fit.
WeighedStrings weighed_strings(const WeighedLattice& lattice, const Weighing& weighing, SearchLimits limits);

}  // namespace latticemetric
