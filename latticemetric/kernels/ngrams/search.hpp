// The path of a lattice whose n-grams gain most.
#pragma once

#include <cstdint>
#include <vector>

#include "ngrams/gain_automaton.hpp"

namespace latticemetric {

// Arcs are sorted by source and go from smaller to larger states; 0 is the start; a word is 0 where there is none, and
// negative where no n-gram has it; `final_cost` is infinite where a state is not final. Gains are compared as they are:
// where they should tie exactly, give such whose sums are exact. Ties: least cost, fewest words (arcs whose `is_word` is
// 1), smallest arcs.
std::vector<std::int64_t> search_ngrams(std::int32_t states, std::int64_t arcs, const std::int32_t* source,
                                        const std::int32_t* target, const std::int32_t* word,
                                        const std::uint8_t* is_word, const double* cost, const double* final_cost,
                                        const NgramGains& gains);

}  // namespace latticemetric
