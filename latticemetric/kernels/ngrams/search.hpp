// Finds the path of a lattice whose n-grams gain most.
#pragma once

#include <cstdint>
#include <vector>

#include "ngrams/gain_automaton.hpp"

namespace latticemetric {

struct GainPath {
  std::vector<std::int64_t> arcs;
  bool by_numbers = false;  // whether the numbers of arcs may have decided between paths
};

// Arcs are sorted by source and go from smaller to larger states; 0 is the start; word 0 means no word, and a negative
// word is in no n-gram; `final_cost` is infinite if a state is not final. Gains are compared without a tolerance: for
// exact ties, pass gains whose sums are exact. Ties go to the least cost, then the fewest words (arcs whose `is_word`
// is 1), then the smallest arcs.
GainPath search_ngrams(std::int32_t states, std::int64_t arcs, const std::int32_t* source, const std::int32_t* target,
                       const std::int32_t* word, const std::uint8_t* is_word, const double* cost,
                       const double* final_cost, const NgramGains& gains);

}  // namespace latticemetric
