// The recognition-rate automaton (Chiang & DeNeefe 2008, fig. 1), a row at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "graphs/symbols.hpp"
#include "recognition/automaton.hpp"

namespace latticemetric {

// The row of state q for some strings holds the best gain of reaching each state from q, over all alignments of all of
// them, with deletions before, between and after words. A row is meaningful from state first(q) on.
//
// A state may forget a match: (i, m) -> (i, m - 1), with gain 0. So (i, m - 1) is never worth more than (i, m), and what
// is dominated can be left out.
template <typename Value>
class RecognitionRows {
 public:
  // Half the range away from zero, so that two of them can be added.
  static constexpr Value nothing = std::numeric_limits<Value>::min() / 2;
  static constexpr bool ends_are_final = true;   // deletions at the end are made
  static constexpr bool forgets_matches = true;  // a state does all that one with fewer matches behind it does

  // The reference by its words' classes: 1, 2, ...
  RecognitionRows(std::vector<Symbol> reference, EditGains<Value> gains)
      : reference_(std::move(reference)), size_(static_cast<std::int32_t>(reference_.size())), gains_(gains) {}

  const EditGains<Value>& gains() const { return gains_; }
  std::int32_t order() const { return gains_.order; }
  std::int32_t states() const { return gains_.state(size_ + 1, 0); }
  std::int32_t final_states() const { return gains_.state(size_, 0); }  // the first of them
  std::int32_t first(std::int32_t q) const { return gains_.state(gains_.position(q), 0); }

  static bool is_nothing(Value value) {
    return value < nothing / 2;
  }

  // Values that gains were added to nothing of are nothing again.
  void clean(std::int32_t q, Value* row) const {
    for (std::int32_t s = first(q); s < states(); ++s) row[s] = is_nothing(row[s]) ? nothing : row[s];
  }

  // The row of the empty string.
  void start(std::int32_t q, Value* row) const {
    std::fill(row + first(q), row + states(), nothing);
    std::fill(row + first(q), row + q + 1, Value{0});
    add_deletions(q, row);
  }

  // The row after one more word.
  void advance(std::int32_t q, const Value* from, Symbol word, Value* into) const {
    with_order([&](auto order) { add_word(order, q, from, word, into); });
    clean(q, into);
    add_deletions(q, into);
  }

  struct Reached {
    std::int32_t state;
    Value value;
  };

  // The states of a row that best values can go on from: not those that gain no more than one with more matches
  // behind it, nor those that a deletion reaches, since whatever follows can delete that word as well.
  void frontier(std::int32_t q, const Value* row, std::vector<Reached>& reached) const {
    with_order([&](auto order) { find_frontier(order, q, row, reached); });
  }

  bool matches(std::int32_t i, Symbol word) const { return reference_[i] == word; }

  // Whether a word leads from a state to what it leads to from first(q): it does not prolong the matches behind q.
  bool forgets_by(std::int32_t q, Symbol word) const {
    const std::int32_t i = gains_.position(q);
    return i == size_ || !matches(i, word);
  }

  // into[k] = max(into[k], value + from[k])
  static void keep_larger_sums(Value* __restrict into, const Value* __restrict from, Value value, std::int32_t count) {
    for (std::int32_t k = 0; k < count; ++k) into[k] = std::max(into[k], static_cast<Value>(value + from[k]));
  }

 private:
  // Loops over the matches behind a state are much faster if the compiler knows how many there may be.
  template <typename Function>
  void with_order(Function function) const {
    if (gains_.order == 4) return function(std::integral_constant<std::int32_t, 4>());
    if (gains_.order == 1) return function(std::integral_constant<std::int32_t, 1>());
    function(gains_.order);
  }

  template <typename Order>
  void add_word(Order order, std::int32_t q, const Value* from, Symbol word, Value* into) const {
    const std::int32_t end = states(), begin = first(q);
    const EditGains<Value> gains = gains_;
    Value before = nothing;
    for (std::int32_t s = begin, i = s / order; s < end; s += order, ++i) {
      std::fill(into + s + 1, into + s + order, nothing);
      into[s] = std::max(static_cast<Value>(from[s] + gains.insertion), static_cast<Value>(before + gains.substitution));
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
    Value deleted = nothing;
    for (std::int32_t s = first(q); s < end; s += order) {
      Value kept = nothing;
      for (std::int32_t m = order - 1; m >= 0; --m) {
        const Value value = row[s + m];
        if (is_nothing(value) || (!is_nothing(kept) && value <= kept) || (m == 0 && value <= deleted)) continue;
        Reached& one = reached.emplace_back();  // by its parts: a store of both would wait for these
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
