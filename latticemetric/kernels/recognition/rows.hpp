// Rows of the automaton of a recognition rate: for a set of strings, the best gain between two states.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "graphs/symbols.hpp"
#include "recognition/automaton.hpp"

namespace latticemetric {

// The row of state q for a set of strings holds the best gain of reaching each state from q, over all strings and all
// their alignments, with deletions before, between and after words. A row is meaningful from state first(q) on.
//
// A state may forget a match: (i, m) -> (i, m - 1), with gain 0. So (i, m - 1) is never worth more than (i, m), and a
// state that gains no more than one with a longer run can be left out.
template <typename Value>
class RecognitionRows {
 public:
  // Half the range, so that two of them can be added.
  static constexpr Value unreachable = std::numeric_limits<Value>::min() / 2;
  static constexpr bool ends_are_final = true;   // rows include deletions at the end
  static constexpr bool may_forget_matches = true;  // a state can do all that one with a shorter run does

  // `reference` holds the symbols of its words: 1, 2, ...
  RecognitionRows(std::vector<Symbol> reference, EditGains<Value> gains)
      : reference_(std::move(reference)), size_(static_cast<std::int32_t>(reference_.size())), gains_(gains) {}

  const EditGains<Value>& gains() const { return gains_; }
  std::int32_t order() const { return gains_.order; }
  std::int32_t states() const { return gains_.state(size_ + 1, 0); }
  std::int32_t final_states() const { return gains_.state(size_, 0); }  // the first of them
  std::int32_t first(std::int32_t q) const { return gains_.state(gains_.position(q), 0); }

  static bool is_unreachable(Value value) {
    return value < unreachable / 2;
  }

  // Resets unreachable values, to which gains may have been added.
  void reset_unreachable(std::int32_t q, Value* row) const {
    for (std::int32_t s = first(q); s < states(); ++s) row[s] = is_unreachable(row[s]) ? unreachable : row[s];
  }

  // Computes the row of the empty string.
  void start(std::int32_t q, Value* row) const {
    std::fill(row + first(q), row + states(), unreachable);
    std::fill(row + first(q), row + q + 1, Value{0});
    add_deletions(q, row);
  }

  // Computes the row after one more word.
  void advance(std::int32_t q, const Value* from, Symbol word, Value* into) const {
    with_order([&](auto order) { add_word(order, q, from, word, into); });
    reset_unreachable(q, into);
    add_deletions(q, into);
  }

  struct Reached {
    std::int32_t state;
    Value value;
  };

  // Lists the states of a row that best values can continue from. It leaves out states that gain no more than one with
  // a longer run, and states that a deletion reaches, since whatever follows can delete that word as well.
  void frontier(std::int32_t q, const Value* row, std::vector<Reached>& reached) const {
    with_order([&](auto order) { find_frontier(order, q, row, reached); });
  }

  bool matches(std::int32_t i, Symbol word) const { return reference_[i] == word; }

  // Returns whether reading a word has the same result from q as from first(q), because it does not prolong the run of
  // q.
  bool ignores_run(std::int32_t q, Symbol word) const {
    const std::int32_t i = gains_.position(q);
    return i == size_ || !matches(i, word);
  }

  // into[k] = max(into[k], value + from[k])
  static void keep_larger_sums(Value* __restrict into, const Value* __restrict from, Value value, std::int32_t count) {
    for (std::int32_t k = 0; k < count; ++k) into[k] = std::max(into[k], static_cast<Value>(value + from[k]));
  }

 private:
  // Calls `function` with the order; as a constant, where it is common. Loops over runs are much faster if the compiler
  // knows how many there are.
  template <typename Function>
  void with_order(Function function) const {
    if (gains_.order == 4) return function(std::integral_constant<std::int32_t, 4>());
    if (gains_.order == 1) return function(std::integral_constant<std::int32_t, 1>());
    function(gains_.order);
  }

  // This is an unrolled form of `EditGains::each_reading`.
  template <typename Order>
  void add_word(Order order, std::int32_t q, const Value* from, Symbol word, Value* into) const {
    const std::int32_t end = states(), begin = first(q);
    const EditGains<Value> gains = gains_;
    Value before = unreachable;
    for (std::int32_t s = begin, i = s / order; s < end; s += order, ++i) {
      std::fill(into + s + 1, into + s + order, unreachable);
      into[s] = std::max(static_cast<Value>(from[s] + gains.insertion),
                         static_cast<Value>(before + gains.substitution));
      before = from[s];
      if (s == begin || !matches(i - 1, word)) continue;
      for (std::int32_t m = 0; m < order; ++m) {
        Value& matched = into[s + next_run(order, m)];
        matched = std::max(matched, static_cast<Value>(from[s - order + m] + gains.match(m)));
      }
      for (std::int32_t m = order - 1; m > 0; --m) into[s + m - 1] = std::max(into[s + m - 1], into[s + m]);
    }
  }

  template <typename Order>
  void find_frontier(Order order, std::int32_t q, const Value* row, std::vector<Reached>& reached) const {
    reached.clear();
    const Value deletion = gains_.deletion;
    const std::int32_t end = states();
    Value deleted = unreachable;
    for (std::int32_t s = first(q); s < end; s += order) {
      Value kept = unreachable;
      for (std::int32_t m = order - 1; m >= 0; --m) {
        const Value value = row[s + m];
        if (is_unreachable(value) || (!is_unreachable(kept) && value <= kept) || (m == 0 && value <= deleted)) continue;
        Reached& one = reached.emplace_back();  // field by field: a store of both fields would wait for both
        one.state = s + m;
        one.value = kept = value;
      }
      deleted = static_cast<Value>(row[s] + deletion);
    }
  }

  void add_deletions(std::int32_t q, Value* row) const {
    const Value deletion = gains_.deletion;
    const std::int32_t order = gains_.order, end = states();
    Value best = row[first(q)];
    for (std::int32_t s = first(q) + order; s < end; s += order)
      row[s] = best = std::max(row[s], static_cast<Value>(best + deletion));
  }

  const std::vector<Symbol> reference_;
  const std::int32_t size_;
  const EditGains<Value> gains_;
};

}  // namespace latticemetric
