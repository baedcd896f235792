// The product of a lattice with the automaton of a recognition rate: the best gain from each state to the end.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "graphs/lattice.hpp"
#include "memory/budget.hpp"
#include "recognition/automaton.hpp"
#include "recognition/reference_positions.hpp"

namespace latticemetric {

// B(s, i, m) is the best gain of completing a path from state s of the lattice and state (i, m) of the automaton. With
// arcs a : s -> t,
//
//   B(s, i, m) = best of  -beta (|r| - i)                               s final: the rest is deleted
//                         B(t, i, m)                                    a is ε
//                         max of                                        a has a word
//                           B(t, i+1, 0)                                   substitution
//                           -alpha + B(t, i, 0)                            insertion
//                           (m+1) unit + B(t, i+1, min(m+1, order-1))      match, a's word is r[i]
//                           -beta (j-i) + unit + B(t, j+1, min(1, order-1))  match after deletions, a's word is r[j]
//
// Words need not be deleted before other edits, nor before ε: since B(s, i, m) >= -beta + B(s, i+1, 0), they can be
// deleted later. The objective gives the costs of arcs and ends, in the unit of gains. It also says whether arcs are
// chosen for the maximum or, by an adversary of the aligner, for the minimum.
//
// Row 0 (m = 0) is dense: for each arc, two shifted maxima over the row of t. Rows m >= 1 differ from it only where a
// match can follow. So a state has them only if one can; elsewhere B(s, i, m) = B(s, i, 0).
//
// Rows are padded to whole blocks, so that loops over them have no remainder. The padding is so low that it never wins
// a maximum. It is set again for each state, so that it neither creeps up nor overflows.
template <typename V, typename Objective>
class ProductTable {
 public:
  using Value = V;

  // `gains` are in the same unit as the objective's costs.
  ProductTable(const Lattice& lattice, const std::int32_t* reference, std::int32_t size,
               const EditGains<Value>& gains, Objective objective)
      : lattice_(lattice),
        objective_(std::move(objective)),
        size_(size),
        order_(gains.order),
        gains_(gains),
        begin_(arc_begins(lattice)),
        padded_((static_cast<std::size_t>(size) + 1 + block - 1) / block * block),
        stride_(padded_ + block),
        insertions_(),
        dense_(filled(static_cast<std::size_t>(lattice.states) * stride_, unreachable)),
        run_rows_(static_cast<std::size_t>(lattice.states), nullptr),
        edited_(stride_),
        positions_(lattice, reference, size) {
    insertions_.fill(gains_.insertion);
  }
  ProductTable(ProductTable&&) = default;

  void fill() {
    for (std::int32_t s = lattice_.states - 1; s >= 0; --s) complete(s);
  }

  // Calls visit(first, last) once, for all states: all values are in memory (unlike those of `ProductBand`).
  template <typename Visit>
  void each_part(Visit visit) const {
    visit(0, lattice_.states - 1);
  }
  void note_entry(std::int32_t, std::int32_t, std::int32_t) {}

  // Returns an upper bound of the bytes of a table.
  static double most_bytes(std::int32_t states, std::size_t size, std::int32_t order) {
    return static_cast<double>(sizeof(Value)) * states * (static_cast<double>(size) + 2 * block) * order;
  }

  Value value(std::int32_t s, std::int32_t i, std::int32_t m) const { return row(s, m)[i]; }
  const Value* row(std::int32_t s, std::int32_t m) const { return m > 0 && has_runs(s) ? run_row(s, m) : dense(s); }
  bool has_runs(std::int32_t s) const { return run_rows_[s] != nullptr; }
  Value ending(std::int32_t s, std::int32_t i) const {
    return static_cast<Value>(deletions(size_ - i) - objective_.end_cost(s));
  }

  // Returns the value of a match by an arc and of what comes after it.
  Value matched(std::int64_t a, std::int32_t i, std::int32_t m) const {
    return static_cast<Value>(gains_.match(m) - objective_.cost(a) +
                              value(lattice_.target[a], i + 1, gains_.next_run(m)));
  }
  Value deletions(std::int32_t words) const { return static_cast<Value>(words * gains_.deletion); }

  // The arcs of state s are begin(s) .. begin(s + 1).
  std::int64_t begin(std::int32_t s) const { return begin_[s]; }
  const std::int64_t* begins() const { return begin_.data(); }
  const ReferencePositions& positions() const { return positions_; }
  const EditGains<Value>& gains() const { return gains_; }
  Objective& objective() { return objective_; }
  const Objective& objective() const { return objective_; }

  // Each state of the lattice is paired with all states of the automaton, numbered from 0.
  std::int32_t first_state(std::int32_t) const { return 0; }
  std::int32_t states(std::int32_t) const { return (size_ + 1) * order_; }

 protected:
  static constexpr std::size_t block = std::max<std::size_t>(2, 32 / sizeof(Value));
  // Half the range: it stays below every value when a penalty is subtracted (see `fits`).
  static constexpr Value unreachable = std::numeric_limits<Value>::min() / 2;

  static Value better(Value a, Value b) { return Objective::adversarial ? std::min(a, b) : std::max(a, b); }

  const Lattice& lattice_;
  Objective objective_;
  const std::int32_t size_, order_;
  const EditGains<Value> gains_;
  std::vector<std::int64_t> begin_;

 private:
  Value* dense(std::int32_t s) { return dense_.data() + static_cast<std::size_t>(s) * stride_; }
  const Value* dense(std::int32_t s) const { return dense_.data() + static_cast<std::size_t>(s) * stride_; }
  Value* run_row(std::int32_t s, std::int32_t m) const { return run_rows_[s] + static_cast<std::size_t>(m - 1) * stride_; }

  void complete(std::int32_t s) {
    Value* const row = dense(s);
    if (Objective::adversarial) std::fill(row, row + padded_, std::numeric_limits<Value>::max() / 2);
    if (lattice_.is_final(s))
      for (std::int32_t i = 0; i <= size_; ++i) row[i] = ending(s, i);
    bool matches_follow = false;
    for (auto a = begin_[s]; a < begin_[s + 1]; ++a) {
      poll(static_cast<std::int64_t>(padded_ / 4));
      if (may_match(a)) {
        matches_follow = true;
        if (Objective::adversarial) continue;
      }
      if (lattice_.label[a] == 0)
        keep_better(row, dense(lattice_.target[a]), objective_.cost(a));
      else
        substitute_or_insert(row, dense(lattice_.target[a]), objective_.cost(a));
    }
    if (matches_follow && Objective::adversarial)
      add_matches_by_arc(s);
    else if (matches_follow)
      add_matches(s);
    std::fill(row + size_ + 1, row + stride_, unreachable);
  }

  bool may_match(std::int64_t a) const {
    return lattice_.label[a] == 0 ? has_runs(lattice_.target[a]) : positions_.has(a);
  }

  static void keep_better(Value* __restrict into, const Value* __restrict from, Value cost, std::size_t size) {
    for (; size > 0; size -= block, into += block, from += block)
      for (std::size_t k = 0; k < block; ++k) into[k] = better(into[k], static_cast<Value>(from[k] - cost));
  }
  void keep_better(Value* into, const Value* from, Value cost) { keep_better(into, from, cost, padded_); }

  // This and `match` are an unrolled form of `EditGains::each_reading`.
  void substitute_or_insert(Value* __restrict row, const Value* __restrict next, Value cost) const {
    const Value* __restrict const insertions = insertions_.data();
    for (std::size_t left = padded_; left > 0; left -= block, row += block, next += block)
      for (std::size_t k = 0; k < block; ++k) {
        const auto inserted = static_cast<Value>(next[k] + insertions[k]);
        row[k] = better(row[k], static_cast<Value>(std::max(next[k + 1], inserted) - cost));
      }
  }

  // Adds matches to row 0, which has all arcs without their matches. Then adds rows m >= 1, with longer matches.
  void add_matches(std::int32_t s) {
    for (auto a = begin_[s]; a < begin_[s + 1]; ++a) {
      match(dense(s), a, 0);
      delete_before(dense(s), a);
    }
    if (order_ == 1) return;
    begin_runs(s);
    for (auto a = begin_[s]; a < begin_[s + 1]; ++a) {
      if (!may_match(a)) continue;
      for (std::int32_t m = 1; m < order_; ++m) {
        if (lattice_.label[a] == 0)
          keep_better(run_row(s, m), this->row(lattice_.target[a], m), objective_.cost(a));
        else
          match(run_row(s, m), a, m);
      }
    }
    end_runs(s);
  }

  // Adds matches where an adversary chooses the arcs: first takes the best edit of each arc, then the worst arc.
  void add_matches_by_arc(std::int32_t s) {
    if (order_ > 1) begin_runs(s);
    for (auto a = begin_[s]; a < begin_[s + 1]; ++a) {
      if (!may_match(a)) continue;
      const std::int32_t t = lattice_.target[a];
      if (lattice_.label[a] != 0) edit(a);
      for (std::int32_t m = 0; m < order_; ++m) {
        Value* const into = m == 0 ? dense(s) : run_row(s, m);
        if (lattice_.label[a] == 0) {
          keep_better(into, this->row(t, m), objective_.cost(a));
        } else {
          if (m > 0) match(edited_.data(), a, m);
          keep_better(into, edited_.data(), 0);
        }
      }
    }
    if (order_ > 1) end_runs(s);
  }

  // Adds rows m >= 1 to a state.
  void begin_runs(std::int32_t s) {
    const std::size_t size = static_cast<std::size_t>(order_ - 1) * stride_;
    if (room_ < size) {
      // Large tables have large blocks, which the C library gives back to the system at once; small ones, one block for
      // all states.
      constexpr std::size_t usual = std::size_t{1} << 15;
      const std::size_t least = std::min(usual, size * static_cast<std::size_t>(s + 1));
      room_ = std::max({size, least, allotted_ / 4});
      allotted_ += room_;
      runs_.push_back(std::unique_ptr<Value[]>(new Value[room_]));
      free_ = runs_.back().get();
    }
    run_rows_[s] = free_;
    free_ += size;
    room_ -= size;
    for (std::int32_t m = 1; m < order_; ++m) std::copy_n(dense(s), padded_, run_row(s, m));
  }
  void end_runs(std::int32_t s) {
    for (std::int32_t m = 1; m < order_; ++m) std::fill_n(run_row(s, m) + size_ + 1, stride_ - size_ - 1, unreachable);
  }

  // Computes in `edited_` row 0 of a state that has this arc only. The reference has the arc's word.
  void edit(std::int64_t a) {
    const Value* const next = dense(lattice_.target[a]);
    const Value cost = objective_.cost(a);
    for (std::size_t k = 0; k < padded_; ++k)
      edited_[k] = std::max(static_cast<Value>(next[k + 1] - cost),
                            static_cast<Value>(next[k] + gains_.insertion - cost));
    match(edited_.data(), a, 0);
    delete_before(edited_.data(), a);
  }

  // Adds the matches of an arc to row m, which already has those of shorter runs: longer ones gain no less, so they
  // replace them.
  void match(Value* into, std::int64_t a, std::int32_t m) const {
    for (auto position = positions_.of(a); *position >= 0; ++position)
      into[*position] = std::max(into[*position], matched(a, *position, m));
  }

  // Adds deletions before the matches of an arc. Where deleting one word more does not pay, deleting still more does
  // not, either.
  void delete_before(Value* row, std::int64_t a) const {
    for (auto position = positions_.of(a); *position >= 0; ++position) {
      poll(10);
      for (std::int32_t i = *position - 1; i >= 0; --i) {
        const auto deleted = static_cast<Value>(row[i + 1] + gains_.deletion);
        if (row[i] >= deleted) break;
        row[i] = deleted;
      }
    }
  }

  const std::size_t padded_, stride_;
  std::array<Value, block> insertions_;  // one block of them, to be loaded as a vector
  std::vector<Value> dense_;            // row 0 of every state
  std::vector<std::unique_ptr<Value[]>> runs_;  // rows 1 .. order-1 of the states that have them, in blocks
  Value* free_ = nullptr;                       // the rest of the last block
  std::size_t room_ = 0, allotted_ = 0;         // the numbers of values in this rest, and in all blocks
  std::vector<Value*> run_rows_;                // by state: row 1, or null
  std::vector<Value> edited_;           // row m before one arc, for `add_matches_by_arc`
  const ReferencePositions positions_;
};

}  // namespace latticemetric
