// The automaton of an n-gram recognition rate (Chiang & DeNeefe 2008, eq. 5 and 6, fig. 1): its states, its transitions
// and their gains.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "memory/int128.hpp"

namespace latticemetric {

// Gains as integers. A match that completes k-grams of all lengths up to m gains m * unit, an insertion costs alpha, a
// deletion costs beta. All are multiplied by the same common denominator.
struct Gains {
  std::int32_t order;
  std::int64_t unit;
  std::int64_t alpha;
  std::int64_t beta;
};

// A rate, gain / total, in units of 1 / Gains::unit.
struct Ratio {
  Int128 gain;
  Int128 total;
};

// Returns whether the rate is the word recognition rate.
inline bool counts_words(Gains gains) { return gains.order == 1 && gains.alpha == gains.unit && gains.beta == 0; }

// Returns a bound of what any part of an alignment gains or loses: as if every word of the reference were matched and
// deleted, and every word of the hypothesis inserted.
template <typename Number>
Number largest_gain(Gains gains, Number hypothesis_words, Number reference_words) {
  const auto size = [](std::int64_t penalty) { return penalty < 0 ? -static_cast<Number>(penalty) : static_cast<Number>(penalty); };
  return static_cast<Number>(gains.order) * static_cast<Number>(gains.unit) * (reference_words + 1) +
         size(gains.alpha) * (hypothesis_words + 1) + size(gains.beta) * (reference_words + 1);
}

// Returns whether `Value` has room for `sums` times `largest`.
template <typename Value, typename Number>
bool fits(Number largest, int sums) {
  return largest < static_cast<Number>(std::numeric_limits<Value>::max()) / static_cast<Number>(sums);
}

// An edit of an alignment. A match has as its number the length of the longest n-gram that it completes.
enum class Edit : std::int32_t { insertion = -2, deletion = -1, substitution = 0 };
constexpr Edit match_of(std::int32_t length) { return static_cast<Edit>(length); }
constexpr bool is_match(Edit edit) { return static_cast<std::int32_t>(edit) > 0; }
constexpr char letter(Edit edit) {
  return edit == Edit::insertion ? 'I' : edit == Edit::deletion ? 'D' : is_match(edit) ? 'C' : 'S';
}

// Returns the length of a run of matches after one more match. States distinguish runs of up to `order - 1` matches.
template <typename Order>
constexpr std::int32_t next_run(Order order, std::int32_t run) {
  return std::min<std::int32_t>(run + 1, order - 1);
}

// In state (i, m), i words of the reference have been read, and the last m < order of them were matched in a row. Its
// transitions:
//
//   insertion     (i, m) -> (i, 0)                    -alpha
//   deletion      (i, m) -> (i+1, 0)                  -beta; reads no word of the hypothesis
//   substitution  (i, m) -> (i+1, 0)                  0
//   match         (i, m) -> (i+1, min(m+1, order-1))  (m+1) unit
//
// Par is a match after `order - 1` matches for each word of the reference. Gains at par are gains minus what par gains
// for the same words. They are small, and no edit gains anything if alpha and beta are not negative.
template <typename Value>
struct EditGains {
  EditGains(std::int32_t order, Value unit, Value alpha, Value beta, bool at_par = false)
      : order(order), unit(unit), substitution(at_par ? static_cast<Value>(-order * unit) : Value{0}),
        insertion(static_cast<Value>(-alpha)), deletion(static_cast<Value>(substitution - beta)) {}
  explicit EditGains(Gains gains, bool at_par = false)
      : EditGains(gains.order, static_cast<Value>(gains.unit), static_cast<Value>(gains.alpha),
                  static_cast<Value>(gains.beta), at_par) {}

  std::int32_t order;
  Value unit, substitution, insertion, deletion;

  Value match(std::int32_t run) const { return static_cast<Value>((run + 1) * unit + substitution); }
  std::int32_t next_run(std::int32_t run) const { return latticemetric::next_run(order, run); }

  Value of(Edit edit) const {
    if (edit == Edit::insertion) return insertion;
    if (edit == Edit::deletion) return deletion;
    return static_cast<Value>(static_cast<std::int32_t>(edit) * unit + substitution);
  }

  // Calls visit(i', m', gain, edit) for each transition from (i, m) that reads a word. `is_last` says that no word of
  // the reference is left, `matches` that the word is the next one of the reference. Inner loops that unroll this
  // function say so; tests/kernels/transitions.cpp compares them with it.
  template <typename Visit>
  void each_reading(std::int32_t i, std::int32_t m, bool is_last, bool matches, Visit visit) const {
    visit(i, 0, insertion, Edit::insertion);
    if (!is_last) each_pairing(i + 1, m, matches, visit);
  }

  // Calls visit(next, m', gain, edit) for each transition from a run of m matches that reads a word of both sides, the
  // reference's up to `next`. References that are graphs have several words between positions.
  template <typename Visit>
  void each_pairing(std::int32_t next, std::int32_t m, bool matches, Visit visit) const {
    visit(next, 0, substitution, Edit::substitution);
    if (matches) visit(next, next_run(m), match(m), match_of(m + 1));
  }

  // Returns how many runs, from no match on, differ in what they gain by a word. If it is no match, all gain the same.
  std::int32_t distinct_runs(bool matches) const { return matches ? order : 1; }

  // Calls visit(i', m', gain) for a match at position p >= i, after deleting the words from i to p - 1.
  template <typename Visit>
  void match_at(std::int32_t i, std::int32_t m, std::int32_t p, Visit visit) const {
    const std::int32_t run = p == i ? m : 0;
    visit(p + 1, next_run(run), static_cast<Value>(match(run) + static_cast<Value>(p - i) * deletion));
  }

  // State (i, m) has the number i * order + m.
  std::int32_t state(std::int32_t i, std::int32_t m) const { return i * order + m; }
  std::int32_t position(std::int32_t state) const { return state / order; }
  std::int32_t run(std::int32_t state) const { return state % order; }
};

// Means that there is no path: less than the value of every path that is searched for. With 16 bits, an edit can be
// subtracted from it without overflow only if edits are small (see `BandSearch::may_be_narrow`).
template <typename Value>
constexpr Value no_value = sizeof(Value) == 2 ? static_cast<Value>(-32000) : std::numeric_limits<Value>::min() / 2;

}  // namespace latticemetric
