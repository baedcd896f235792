// The order of a lattice as it was read: which of its rows lie on complete paths, and where they go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace latticemetric {

// The arcs and final states of a graph, in any order.
struct ReadGraph {
  std::int64_t start;  // negative if there is none
  const std::vector<std::int32_t>&source, &target, &final;
};

// The order of a lattice, as `validated` in `lattice/validation.py` sorts it.
struct LatticeOrder {
  std::int32_t states = 0;  // 0 if there is no order: `validated` says what is wrong, or numbers have large gaps
  bool is_sorted = false;   // whether all rows stay as they are; then the vectors are empty
  std::vector<std::size_t> arcs, ends;  // the rows that stay, in their order: arcs sorted by source, ascending states
  std::vector<std::int32_t> rank;       // of each state: its new number, or -1 if no complete path passes it
};

LatticeOrder lattice_order(const ReadGraph& graph);

// Replaces a column by its values in these rows.
template <typename T>
void take_rows(std::vector<T>& values, const std::vector<std::size_t>& rows) {
  std::vector<T> found;
  found.reserve(rows.size());
  for (const auto row : rows) found.push_back(values[row]);
  values = std::move(found);
}

// Replaces a column of states by the new numbers of those in these rows.
inline void take_states(std::vector<std::int32_t>& states, const std::vector<std::size_t>& rows,
                        const std::vector<std::int32_t>& rank) {
  take_rows(states, rows);
  for (auto& state : states) state = rank[static_cast<std::size_t>(state)];
}

}  // namespace latticemetric
