// The order of a lattice that was read from Kaldi's text or binary archives.
#pragma once

#include <cstdint>
#include <vector>

#include "formats/label_rows.hpp"
#include "graphs/lattice_order.hpp"

namespace latticemetric {

// Keeps only the rows of labels that arcs or final states have, and gives them new numbers.
template <typename T>
void drop_unused_rows(LabelRows<T>& rows, std::vector<std::int32_t>& arcs, std::vector<std::int32_t>& ends) {
  std::vector<std::int32_t> number(rows.begin.size(), 0);
  for (const auto* column : {&arcs, &ends})
    for (const auto row : *column) number[static_cast<std::size_t>(row)] = 1;
  number[0] = 0;
  std::vector<std::int64_t> used;
  for (std::size_t row = 1; row < number.size(); ++row) {
    if (number[row] == 0) continue;
    used.push_back(static_cast<std::int64_t>(row) - 1);
    number[row] = static_cast<std::int32_t>(used.size());
  }
  if (used.size() + 1 == rows.begin.size()) return;
  rows = taken_rows(rows.begin.data(), rows.values.data(), used.data(), used.size());
  for (auto* column : {&arcs, &ends})
    for (auto& row : *column) row = number[static_cast<std::size_t>(row)];
}

// Removes states and arcs that are on no complete path, and sorts the others, as `validated` in
// `lattice/validation.py` does; `word` is the column of words. Returns the number of states; 0 if there is no order, or
// if rows would move but `may_move` is false. Then the columns stay as they are.
template <typename Machine>
std::int32_t sort_columns(Machine& machine, std::vector<std::int32_t>& word, bool may_move) {
  const LatticeOrder order = lattice_order({machine.start, machine.source, machine.target, machine.final});
  if (order.states == 0 || order.is_sorted) return order.states;
  if (!may_move) return 0;
  take_states(machine.source, order.arcs, order.rank);
  take_states(machine.target, order.arcs, order.rank);
  take_states(machine.final, order.ends, order.rank);
  for (auto* column : {&word, &machine.transitions}) take_rows(*column, order.arcs);
  for (auto& costs : machine.cost) take_rows(costs, order.arcs);
  take_rows(machine.final_transitions, order.ends);
  for (auto& costs : machine.final_cost) take_rows(costs, order.ends);
  drop_unused_rows(machine.transition_rows, machine.transitions, machine.final_transitions);
  return order.states;
}

}  // namespace latticemetric
