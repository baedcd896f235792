// Estimates the memory of n-gram posteriors, so that too many n-grams are refused before they are counted.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/incoming_arcs.hpp"

namespace latticemetric {

struct WordArc {
  std::int32_t source;
  std::int32_t word;   // 0: none
  double transition;
};

// Throws `OverBudget` if the tables of `ngram_posteriors` need more than the budget. Exact lower bounds make this
// certain; a random sample of n-grams makes it nearly certain: for each length of n-grams, it refuses at most one in a
// million lattices that fit.
//
// Arcs are sorted by target. `begin` has the first arc of each state, and the end of the last state's arcs.
void require_ngram_memory(std::int32_t states, const std::vector<std::int64_t>& begin, const std::vector<WordArc>& arcs,
                          std::int32_t order);

}  // namespace latticemetric
