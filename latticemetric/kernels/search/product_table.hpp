// The recognition-rate automaton fused with a lattice: what completing a path gains from each of their states.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <utility>
#include <vector>

#include "graphs/lattice.hpp"
#include "memory/budget.hpp"
#include "recognition/automaton.hpp"
#include "recognition/reference_positions.hpp"

namespace latticemetric {

// B(s, i, m) is what completing gains from lattice state s with i reference words behind, the last m of them matched in
// a row (m < order). With arcs a : s -> t,
//
//   B(s, i, m) = best of  -beta (|r| - i)                               s final: the rest is deleted
//                         B(t, i, m)                                    a is ε
//                         max of                                        a has a word
//                           B(t, i+1, 0)                                   substitution
//                           -alpha + B(t, i, 0)                            insertion
//                           (m+1) unit + B(t, i+1, min(m+1, order-1))      match, a's word is r[i]
//                           -beta (j-i) + unit + B(t, j+1, min(1, order-1))  match after deletions, a's word is r[j]
//
// Before other edits, and before ε, nothing need be deleted: B(s, i, m) >= -beta + B(s, i+1, 0), so that it can as well
// be deleted later. What is best of arcs and ends a rule says: the maximum, if arcs are chosen to gain as much as they
// can, or the minimum, if they are chosen by an opponent of who chooses the edits. A rule also says what arcs and ends
// cost, in the unit of gains.
//
// Row 0 (m = 0) is dense: two shifted maxima over the row of t for each arc. Rows m >= 1 differ from it only where
// a match can follow, so a state has them only if one can; elsewhere B(s, i, m) = B(s, i, 0).
//
// Rows are padded to whole blocks, so that loops over them have no remainder. The padding holds a value so low that
// nothing is taken from it; it is set anew for each state, so that it cannot creep up or overflow.
template <typename V, typename Rule>
class RecognitionTable {
 public:
  using Value = V;

  // Gains as the rule scales them.
  RecognitionTable(const Lattice& graph, const std::int32_t* reference, std::int32_t size, Gains gains, Rule rule)
      : graph_(graph),
        rule_(std::move(rule)),
        size_(size),
        order_(gains.order),
        gains_(gains),
        begin_(arc_begins(graph)),
        padded_((static_cast<std::size_t>(size) + 1 + block - 1) / block * block),
        stride_(padded_ + block),
        insertions_(),
        dense_(filled(static_cast<std::size_t>(graph.states) * stride_, nothing)),
        run_rows_(graph.states, -1),
        edited_(stride_),
        places_(graph, reference, size) {
    insertions_.fill(gains_.insertion);
  }

  void fill() {
    for (std::int32_t s = graph_.states - 1; s >= 0; --s) complete(s);
  }

  // visit(first, last) while the values of these states are in memory: all are.
  template <typename Visit>
  void each_part(Visit visit) const {
    visit(0, graph_.states - 1);
  }
  void pass(std::int32_t, std::int32_t, std::int32_t) {}

  // A table takes at most so much.
  static double most_bytes(std::int32_t states, std::size_t size, std::int32_t order) {
    return static_cast<double>(sizeof(Value)) * states * (static_cast<double>(size) + 2 * block) * order;
  }

  Value value(std::int32_t s, std::int32_t i, std::int32_t m) const { return row(s, m)[i]; }
  const Value* row(std::int32_t s, std::int32_t m) const { return m > 0 && has_runs(s) ? run_row(s, m) : dense(s); }
  bool has_runs(std::int32_t s) const { return run_rows_[s] >= 0; }
  Value ending(std::int32_t s, std::int32_t i) const {
    return static_cast<Value>(deletions(size_ - i) - rule_.end_cost(s));
  }

  // By a match of an arc, and by what comes after it.
  Value matched(std::int64_t a, std::int32_t i, std::int32_t m) const {
    return static_cast<Value>(gains_.match(m) - rule_.cost(a) + value(graph_.target[a], i + 1, gains_.next_run(m)));
  }
  Value deletions(std::int32_t words) const { return static_cast<Value>(words * gains_.deletion); }

  // The arcs of state s are begin(s) .. begin(s + 1).
  std::int64_t begin(std::int32_t s) const { return begin_[s]; }
  const std::int64_t* begins() const { return begin_.data(); }
  const ReferencePlaces& places() const { return places_; }
  const EditGains<Value>& gains() const { return gains_; }
  Rule& rule() { return rule_; }
  const Rule& rule() const { return rule_; }

  // The states of the automaton, by their numbers: all of them, beside each state of the lattice.
  std::int32_t first_state(std::int32_t) const { return 0; }
  std::int32_t states(std::int32_t) const { return (size_ + 1) * order_; }

 protected:
  static constexpr std::size_t block = std::max<std::size_t>(2, 32 / sizeof(Value));
  // Half the range away from zero: it stays below every value when a penalty is taken from it (see `fits`).
  static constexpr Value nothing = std::numeric_limits<Value>::min() / 2;

  static Value better(Value a, Value b) { return Rule::opposed ? std::min(a, b) : std::max(a, b); }

  const Lattice& graph_;
  Rule rule_;
  const std::int32_t size_, order_;
  const EditGains<Value> gains_;
  std::vector<std::int64_t> begin_;

 private:
  Value* dense(std::int32_t s) { return dense_.data() + static_cast<std::size_t>(s) * stride_; }
  const Value* dense(std::int32_t s) const { return dense_.data() + static_cast<std::size_t>(s) * stride_; }
  std::size_t run_begin(std::int32_t s, std::int32_t m) const {
    return (static_cast<std::size_t>(run_rows_[s]) + static_cast<std::size_t>(m) - 1) * stride_;
  }
  Value* run_row(std::int32_t s, std::int32_t m) { return runs_.data() + run_begin(s, m); }
  const Value* run_row(std::int32_t s, std::int32_t m) const { return runs_.data() + run_begin(s, m); }

  void complete(std::int32_t s) {
    Value* const row = dense(s);
    if (Rule::opposed) std::fill(row, row + padded_, std::numeric_limits<Value>::max() / 2);
    if (graph_.is_final(s))
      for (std::int32_t i = 0; i <= size_; ++i) row[i] = ending(s, i);
    bool matches_follow = false;
    for (auto a = begin_[s]; a < begin_[s + 1]; ++a) {
      poll(static_cast<std::int64_t>(padded_ / 4));
      if (may_match(a)) {
        matches_follow = true;
        if (Rule::opposed) continue;
      }
      if (graph_.label[a] == 0)
        keep_better(row, dense(graph_.target[a]), rule_.cost(a));
      else
        substitute_or_insert(row, dense(graph_.target[a]), rule_.cost(a));
    }
    if (matches_follow && Rule::opposed)
      weigh_matches(s);
    else if (matches_follow)
      add_matches(s);
    std::fill(row + size_ + 1, row + stride_, nothing);
  }

  bool may_match(std::int64_t a) const {
    return graph_.label[a] == 0 ? has_runs(graph_.target[a]) : places_.has(a);
  }

  static void keep_better(Value* __restrict into, const Value* __restrict from, Value cost, std::size_t size) {
    for (; size > 0; size -= block, into += block, from += block)
      for (std::size_t k = 0; k < block; ++k) into[k] = better(into[k], static_cast<Value>(from[k] - cost));
  }
  void keep_better(Value* into, const Value* from, Value cost) { keep_better(into, from, cost, padded_); }

  void substitute_or_insert(Value* __restrict row, const Value* __restrict next, Value cost) const {
    const Value* __restrict const insertions = insertions_.data();
    for (std::size_t left = padded_; left > 0; left -= block, row += block, next += block)
      for (std::size_t k = 0; k < block; ++k) {
        const auto inserted = static_cast<Value>(next[k] + insertions[k]);
        row[k] = better(row[k], static_cast<Value>(std::max(next[k + 1], inserted) - cost));
      }
  }

  // Row 0 has every arc without its matches. With them it has the best of all; rows of m >= 1 add longer matches to it.
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
        if (graph_.label[a] == 0)
          keep_better(run_row(s, m), this->row(graph_.target[a], m), rule_.cost(a));
        else
          match(run_row(s, m), a, m);
      }
    }
    end_runs(s);
  }

  // The same where an opponent chooses the arcs that matches can follow: the best edit of each is found on its own.
  void weigh_matches(std::int32_t s) {
    if (order_ > 1) begin_runs(s);
    for (auto a = begin_[s]; a < begin_[s + 1]; ++a) {
      if (!may_match(a)) continue;
      const std::int32_t t = graph_.target[a];
      if (graph_.label[a] != 0) edit(a);
      for (std::int32_t m = 0; m < order_; ++m) {
        Value* const into = m == 0 ? dense(s) : run_row(s, m);
        if (graph_.label[a] == 0) {
          keep_better(into, this->row(t, m), rule_.cost(a));
        } else {
          if (m > 0) match(edited_.data(), a, m);
          keep_better(into, edited_.data(), 0);
        }
      }
    }
    if (order_ > 1) end_runs(s);
  }

  // No pointer into the rows of runs is kept over this: the table may move.
  void begin_runs(std::int32_t s) {
    run_rows_[s] = static_cast<std::int64_t>(runs_.size() / stride_);
    runs_.resize(runs_.size() + static_cast<std::size_t>(order_ - 1) * stride_, nothing);
    for (std::int32_t m = 1; m < order_; ++m) std::copy_n(dense(s), padded_, run_row(s, m));
  }
  void end_runs(std::int32_t s) {
    for (std::int32_t m = 1; m < order_; ++m) std::fill_n(run_row(s, m) + size_ + 1, stride_ - size_ - 1, nothing);
  }

  // Row 0 before an arc with a word of the reference.
  void edit(std::int64_t a) {
    const Value* const next = dense(graph_.target[a]);
    const Value cost = rule_.cost(a);
    for (std::size_t k = 0; k < padded_; ++k)
      edited_[k] = std::max(static_cast<Value>(next[k + 1] - cost), static_cast<Value>(next[k] + gains_.insertion - cost));
    match(edited_.data(), a, 0);
    delete_before(edited_.data(), a);
  }

  // Longer matches gain no less, so they replace shorter ones.
  void match(Value* into, std::int64_t a, std::int32_t m) const {
    for (auto place = places_.of(a); *place >= 0; ++place) into[*place] = std::max(into[*place], matched(a, *place, m));
  }

  // Deletions before the matches of an arc. Where deleting does not pay, it does not pay further away.
  void delete_before(Value* row, std::int64_t a) const {
    for (auto place = places_.of(a); *place >= 0; ++place) {
      poll(10);
      for (std::int32_t i = *place - 1; i >= 0; --i) {
        const auto deleted = static_cast<Value>(row[i + 1] + gains_.deletion);
        if (row[i] >= deleted) break;
        row[i] = deleted;
      }
    }
  }

  const std::size_t padded_, stride_;
  std::array<Value, block> insertions_;  // a block of them, ready to be loaded
  std::vector<Value> dense_;            // row 0 of every state
  std::vector<Value> runs_;             // rows 1 .. order-1 of the states that have them
  std::vector<std::int64_t> run_rows_;  // where a state's rows begin in runs_, or -1
  std::vector<Value> edited_;           // row m before one arc, for `weigh_matches`
  const ReferencePlaces places_;
};

}  // namespace latticemetric
