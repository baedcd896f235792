// An estimate of the memory of n-gram posteriors: too many n-grams are refused before they are counted.
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

// Throws `OverBudget` if the tables of `ngram_posteriors` certainly need more than the budget: by counts that are exact
// lower bounds, or by a sample of n-grams that would be this large in one of a million lattices that fit.
//
// Arcs are sorted by target; `begin` is the first one of each state, and the end of the last.
void require_ngram_memory(std::int32_t states, const std::vector<std::int64_t>& begin, const std::vector<WordArc>& arcs,
                          std::int32_t order);

}  // namespace latticemetric
