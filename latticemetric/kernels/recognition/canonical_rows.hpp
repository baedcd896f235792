// The automaton of a recognition rate, with one alignment for each choice of matches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "recognition/rows.hpp"

namespace latticemetric {

// A string has many alignments with the same gain. A search through strings would meet each string once for each of
// them. So this automaton has one alignment for each choice of matches.
//
// Between two matches it does not matter which words are substituted, inserted or deleted, nor in which order: u words
// against g words of the reference gain s (alpha + beta) - u alpha - g beta if s of them are substituted. If
// alpha + beta > 0, words are substituted as long as there are any to substitute, and the rest is inserted or deleted.
// Otherwise all are inserted before all are deleted. Deletions wait for the next match, or for the end.
//
// State (i, m) of the automaton has the number i * block + m. If words are substituted, (i, order) is the state after
// insertions: before the next match, no word may be substituted, and none deleted.
template <typename Value>
class CanonicalRows {
 public:
  static constexpr Value unreachable = std::numeric_limits<Value>::min() / 2;  // half the range: two can be added
  static constexpr bool ends_are_final = false;                             // deletions at the end: see `ending`
  static constexpr bool may_forget_matches = false;

  // `reference` holds the symbols of its words: 1, 2, ...
  CanonicalRows(std::vector<Symbol> reference, EditGains<Value> gains)
      : reference_(std::move(reference)), size_(static_cast<std::int32_t>(reference_.size())), gains_(gains),
        substitutes_(gains.insertion + gains.deletion < gains.substitution),
        block_(gains.order + (substitutes_ ? 1 : 0)), inserted_(substitutes_ ? gains.order : 0),
        matched_once_(gains.next_run(0)) {}

  std::int32_t states() const { return (size_ + 1) * block_; }
  std::int32_t final_states() const { return size_ * block_; }
  std::int32_t first(std::int32_t q) const { return q / block_ * block_; }
  std::int32_t after(std::int32_t q) const { return first(q) + block_; }  // the states of the next word and beyond
  std::int32_t order() const { return block_; }

  static bool is_unreachable(Value value) { return value < unreachable / 2; }

  // Resets unreachable values, to which gains may have been added.
  void reset_unreachable(std::int32_t q, Value* row) const {
    for (std::int32_t s = first(q); s < states(); ++s) row[s] = is_unreachable(row[s]) ? unreachable : row[s];
  }

  // Computes the row of the empty string.
  void start(std::int32_t q, Value* row) const {
    std::fill(row + first(q), row + states(), unreachable);
    row[q] = 0;
  }

  // Computes the row after one more word. This and `step_back` are unrolled forms of `EditGains::each_reading`.
  void advance(std::int32_t q, const Value* from, Symbol word, Value* into) const {
    std::fill(into + first(q), into + states(), unreachable);
    Value deleted = unreachable;  // the best gain with deletions just before this word
    for (std::int32_t s = first(q), i = s / block_; s < states(); s += block_, ++i) {
      const Value open = *std::max_element(from + s, from + s + gains_.order);
      const Value inserting = substitutes_ ? from[s + gains_.order] : unreachable;
      keep(into[s + inserted_], std::max(open, inserting) + gains_.insertion);
      if (i == size_) break;
      Value* const next = into + s + block_;
      if (substitutes_) keep(next[0], open + gains_.substitution);
      if (reference_[i] == word) {
        for (std::int32_t m = 0; m < gains_.order; ++m) keep(next[gains_.next_run(m)], from[s + m] + gains_.match(m));
        keep(next[matched_once_], std::max(inserting, deleted) + gains_.match(0));
      }
      deleted = static_cast<Value>(std::max(open, deleted) + gains_.deletion);
    }
    reset_unreachable(q, into);
  }

  // Computes `before`, the best gain from each state by reading `word` and then what `after` covers. This is `advance`
  // backwards, for states from first(q) on.
  void step_back(std::int32_t q, const Value* after, Symbol word, Value* before) const {
    Value deleted = unreachable;
    for (std::int32_t i = size_, s = i * block_; s >= first(q); s -= block_, --i) {
      const bool matches = i < size_ && reference_[i] == word;
      const Value* const next = after + s + block_;
      const Value match = matches ? next[matched_once_] + gains_.match(0) : unreachable;
      Value other = std::max<Value>(after[s + inserted_] + gains_.insertion, deleted);
      if (substitutes_) {
        before[s + gains_.order] = std::max<Value>(after[s + inserted_] + gains_.insertion, match);
        if (i < size_) keep(other, next[0] + gains_.substitution);
      }
      for (std::int32_t m = 0; m < gains_.order; ++m)
        before[s + m] = matches ? std::max<Value>(other, next[gains_.next_run(m)] + gains_.match(m)) : other;
      deleted = static_cast<Value>(std::max(match, deleted) + gains_.deletion);
    }
    reset_unreachable(q, before);
  }

  // Returns the gain of ending in a state: the rest of the reference is deleted.
  Value ending(std::int32_t s) const {
    const std::int32_t left = size_ - s / block_;
    return s % block_ == gains_.order && left > 0 ? unreachable : static_cast<Value>(left * gains_.deletion);
  }

  struct Reached {
    std::int32_t state;
    Value value;
  };

  // Lists the reachable states of a row. None is left out as worse than another: a row covers many strings, and what is
  // best over all of them need not be best for each.
  void frontier(std::int32_t q, const Value* row, std::vector<Reached>& reached) const {
    reached.clear();
    for (std::int32_t s = first(q); s < states(); ++s)
      if (!is_unreachable(row[s])) reached.push_back({s, row[s]});
  }

  static void keep_larger_sums(Value* __restrict into, const Value* __restrict from, Value value, std::int32_t count) {
    for (std::int32_t k = 0; k < count; ++k) into[k] = std::max(into[k], static_cast<Value>(value + from[k]));
  }

 private:
  template <typename Sum>
  static void keep(Value& kept, Sum sum) {
    kept = std::max(kept, static_cast<Value>(sum));
  }

  const std::vector<Symbol> reference_;
  const std::int32_t size_;
  const EditGains<Value> gains_;
  const bool substitutes_;
  const std::int32_t block_;
  const std::int32_t inserted_, matched_once_;  // places in a block
};

}  // namespace latticemetric
