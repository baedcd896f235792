// A lattice as a parser of any format reads it, put in order.
#pragma once

#include <cstdint>
#include <vector>

#include "blocks/lattice_words.hpp"

namespace latticemetric {

// The costs of a score column.
struct ReadColumn {
  std::vector<double> arc, final;  // by arc; by final state
};

struct ReadLattice {
  std::int32_t states = 0;
  std::vector<std::int32_t> source, target, final;
  std::vector<std::int32_t> word;  // of each arc: its number, 0 for ε
  std::vector<ReadColumn> costs;   // by score column
  LatticeWords words;

  std::int64_t arcs() const { return static_cast<std::int64_t>(source.size()); }

  // Returns the row of a final state.
  std::size_t row_of(std::int32_t state) const;
};

// Sorts states and arcs, and removes those that are on no complete path, as `validated` in `lattice/validation.py`
// does. Counts the states. Returns false if there is no order, or if numbers of states have large gaps.
bool put_in_order(ReadLattice& lattice, std::int64_t start);

}  // namespace latticemetric
