// Strings of a lattice by a recognition rate, or by what it and a model's cost make of them together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/lattice_search.hpp"

namespace latticemetric {

// Every state is on a complete path. The graph's own costs say only which states are final.
struct WeighedLattice {
  Lattice graph;
  IntegerCosts costs;
  const std::int32_t* shown;  // what an arc says in the result; 0 for nothing
};

struct WeighedReference {
  std::vector<std::int32_t> words;
  Int128 weight;  // of a gain against it; at least 0
};

// The loss of a string is cost_weight * cost − its largest weight * gain over references and alignments; or plus it,
// where the strings that score ill are wanted.
struct Weighing {
  std::vector<WeighedReference> references;
  Gains gains;
  Int128 cost_weight;  // at least 0
  bool ill;
};

struct SearchLimits {
  std::int64_t strings;  // wanted
  std::int64_t steps;    // prefixes that may be looked at
  std::size_t bytes;
  SearchWay way;  // to the one best string
};

struct WeighedStrings {
  std::vector<std::vector<std::int64_t>> arcs;  // the best path of each string, the best string first
  std::vector<Int128> losses;
  std::int64_t exact;                           // so many of the first are known to be the best
  Int128 bound;                                   // no other string has a smaller loss; of no meaning if all are exact
};

// Distinct strings of least loss; ties: least cost, fewest words, lexicographically smallest arcs. Throws TooLarge
// where tables do not fit.
WeighedStrings weighed_strings(const WeighedLattice& lattice, const Weighing& weighing, SearchLimits limits);

}  // namespace latticemetric
