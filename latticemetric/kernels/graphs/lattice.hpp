// A lattice as columns, and what follows from its shape alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace latticemetric {

// Arcs are sorted by source and go from smaller to larger states; 0 is the start.
struct Lattice {
  std::int32_t states;
  std::int64_t arcs;
  const std::int32_t* source;
  const std::int32_t* target;
  const std::int32_t* label;     // the word that metrics compare; 0 for ε
  const std::uint8_t* is_word;   // whether an arc has a word in the result
  const double* cost;
  const double* final_cost;      // of each state; infinite if it is not final

  bool is_final(std::int32_t s) const { return std::isfinite(final_cost[s]); }
};

// Costs as integers in a common unit, so that sums with gains are exact.
struct IntegerCosts {
  const std::int64_t* arc;
  const std::int64_t* final;
};

// Returns where the items of each group begin once they are sorted by group, and the end of the last group.
inline std::vector<std::int64_t> group_begins(std::int32_t groups, std::int64_t items, const std::int32_t* group) {
  std::vector<std::int64_t> begin(static_cast<std::size_t>(groups) + 1, 0);
  for (std::int64_t k = 0; k < items; ++k) ++begin[group[k] + 1];
  for (std::int32_t g = 0; g < groups; ++g) begin[g + 1] += begin[g];
  return begin;
}

// Returns the first arc of each state, and then the number of arcs.
inline std::vector<std::int64_t> arc_begins(const Lattice& lattice) {
  return group_begins(lattice.states, lattice.arcs, lattice.source);
}

// Returns the largest number of arcs on a path from the start; of words, if `words_only`.
inline std::int64_t longest_path(const Lattice& lattice, bool words_only) {
  std::vector<std::int64_t> longest(static_cast<std::size_t>(lattice.states), 0);
  for (std::int64_t a = lattice.arcs - 1; a >= 0; --a) {
    auto& here = longest[lattice.source[a]];
    here = std::max(here, longest[lattice.target[a]] + (!words_only || lattice.label[a] != 0));
  }
  return lattice.states > 0 ? longest[0] : 0;
}

inline std::int64_t largest_cost(const Lattice& lattice, IntegerCosts costs) {
  std::int64_t largest = 0;
  for (std::int64_t a = 0; a < lattice.arcs; ++a) largest = std::max<std::int64_t>(largest, std::llabs(costs.arc[a]));
  for (std::int32_t s = 0; s < lattice.states; ++s)
    if (lattice.is_final(s)) largest = std::max<std::int64_t>(largest, std::llabs(costs.final[s]));
  return largest;
}

}  // namespace latticemetric
