// Loss-augmented decoding: the strings of a lattice with the least loss, by a recognition rate and the model's cost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/lattice_search.hpp"

namespace latticemetric {

// A lattice with integer costs. Every state is on a complete path. The lattice's own costs only say which states are
// final.
struct LossLattice {
  Lattice lattice;
  IntegerCosts costs;
  const std::int32_t* shown;  // by arc: its word in the result; 0 for none
};

struct WeightedReference {
  std::vector<std::int32_t> words;
  Int128 weight;  // of a gain against it; at least 0
  std::int64_t start;  // added to every gain against it
};

// The loss of a string is cost_weight * cost − the largest weight * gain over all references and alignments. If gains
// are penalized, the gain is added instead.
struct LossFunction {
  std::vector<WeightedReference> references;
  Gains gains;
  Int128 cost_weight;  // at least 0
  bool penalize;
};

struct SearchLimits {
  std::int64_t strings;  // wanted
  std::int64_t steps;    // the largest number of visited prefixes
  std::size_t bytes;
  SearchMethod method;  // if one string is wanted and gains are not penalized
};

struct LossAugmentedStrings {
  std::vector<std::vector<std::int64_t>> arcs;  // the best path of each string, the best string first
  std::vector<Int128> losses;
  std::int64_t exact;                           // how many, from the first on, are proved to be the best
  Int128 bound;                                 // a lower bound of all other losses; meaningless if all are exact
};

// Returns distinct strings of least loss; ties: least cost, fewest words, lexicographically smallest arcs. Throws
// TooLarge if tables do not fit.
LossAugmentedStrings loss_augmented_strings(const LossLattice& input, const LossFunction& loss_function,
                                            SearchLimits limits);

}  // namespace latticemetric
