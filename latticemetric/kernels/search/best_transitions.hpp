// The transitions of the best paths of a lattice under a recognition rate, found from the values of product states.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "graphs/lattice.hpp"
#include "memory/budget.hpp"
#include "memory/numbered_bits.hpp"
#include "recognition/automaton.hpp"
#include "recognition/reference_positions.hpp"
#include "search/best_product_path.hpp"
#include "search/numbered_states.hpp"

namespace latticemetric {

// The transitions that best paths of the product may take. The objective says how much worse than the best a path may
// be.
template <typename Values, typename Objective>
class BestTransitions {
  using Value = typename Values::Value;

 public:
  using Completion = typename Objective::Completion;

  BestTransitions(const Lattice& lattice, const std::int64_t* begin, const ReferencePositions& positions,
                  std::int32_t size, const Values& values, Objective& objective)
      : lattice_(lattice), begin_(begin), positions_(positions), size_(size), gains_(values.gains()), values_(values),
        objective_(objective) {}

  std::int32_t first_state(std::int32_t s) const { return values_.first_state(s); }
  std::int32_t states(std::int32_t s) const { return values_.states(s); }

  bool ends(std::int32_t s, std::int32_t state) {
    if (gains_.position(state) != size_ || !lattice_.is_final(s)) return false;
    return static_cast<Value>(values_.value(s, size_, gains_.run(state)) +
                              objective_.end_cost(s)) <= objective_.slack(s, state);
  }

  Completion ending(std::int32_t s) const { return objective_.ending(s); }
  Completion before(std::int64_t arc, Edit edit,
                    const Completion& rest) const { return objective_.before(arc, edit, rest); }

  template <typename Visit>
  void each_transition(std::int32_t s, std::int32_t state, Visit visit) {
    const std::int32_t i = gains_.position(state), m = gains_.run(state);
    const Value best = values_.value(s, i, m), slack = objective_.slack(s, state);
    const auto propose = [&](std::int64_t a, std::int32_t t, std::int32_t r, Value added, Edit edit) {
      const auto lost = best - added - values_.value(t, gains_.position(r), gains_.run(r));  // may exceed 16 bits
      if (lost > slack) return;
      objective_.reach(t, r, static_cast<Value>(slack - lost));
      visit(a, t, r, edit);
    };
    const bool is_last = i == size_;
    if (!is_last) propose(silent, s, gains_.state(i + 1, 0), gains_.deletion, Edit::deletion);
    for (auto a = begin_[s]; a < begin_[s + 1]; ++a) {
      const std::int32_t t = lattice_.target[a];
      const Value cost = objective_.cost(a);
      if (lattice_.label[a] == 0) {
        propose(a, t, state, static_cast<Value>(-cost), Edit::substitution);
        continue;
      }
      gains_.each_reading(i, m, is_last, !is_last && positions_.matches(a, i),
                          [&](std::int32_t j, std::int32_t run, Value gain, Edit edit) {
                            propose(a, t, gains_.state(j, run), static_cast<Value>(gain - cost), edit);
                          });
    }
  }

 private:
  const Lattice& lattice_;
  const std::int64_t* const begin_;
  const ReferencePositions& positions_;
  const std::int32_t size_;
  const EditGains<Value> gains_;
  const Values& values_;
  Objective& objective_;
};

// The product states on best paths, with their values.
template <typename V>
class OptimalStates {
 public:
  using Value = V;

  explicit OptimalStates(const EditGains<Value>& gains) : gains_(gains), begin_{0} {}

  // Adds a product state. States of the lattice come one after the other, each with its automaton states in ascending
  // order: `end_state` ends one, `end` ends all.
  void add(std::int32_t state, Value value) {
    states_.push_back(state);
    values_.push_back(value);
  }
  void end_state() { begin_.push_back(states_.size()); }
  void end() {
    const auto lattice_states = static_cast<std::int32_t>(begin_.size()) - 1;
    numbers_.allot(
        lattice_states, [&](std::int32_t s) { return first_state(s); }, [&](std::int32_t s) { return states(s); });
    for (std::int32_t s = 0; s < lattice_states; ++s)
      for (auto n = begin(s); n < end(s); ++n) numbers_.set(s, states_[n]);
    numbers_.number();
  }

  const NumberedStates& numbers() const { return numbers_; }
  std::size_t size() const { return states_.size(); }
  // The product states of lattice state s have the numbers begin(s) .. end(s) - 1.
  std::size_t begin(std::int32_t s) const { return begin_[s]; }
  std::size_t end(std::int32_t s) const { return begin_[s + 1]; }
  std::int32_t state(std::size_t number) const { return states_[number]; }
  std::size_t number(std::int32_t s, std::int32_t state) const { return numbers_.number(s, state); }

  const EditGains<Value>& gains() const { return gains_; }
  std::int32_t first_state(std::int32_t s) const { return begin(s) < end(s) ? states_[begin(s)] : 0; }
  std::int32_t states(std::int32_t s) const {
    return begin(s) < end(s) ? states_[end(s) - 1] - states_[begin(s)] + 1 : 0;
  }
  Value value(std::int32_t s, std::int32_t i, std::int32_t m) const {
    const std::int32_t state = gains_.state(i, m);
    return numbers_.has(s, state) ? values_[number(s, state)] : no_value<Value>;
  }

 private:
  const EditGains<Value> gains_;
  NumberedStates numbers_;
  std::vector<std::size_t> begin_;  // by state of the lattice
  std::vector<std::int32_t> states_;
  std::vector<Value> values_;
};

// Product states that are still to be visited. Each state of the lattice has a bit for each automaton state between the
// first and the last one that was added.
class PendingStates {
 public:
  explicit PendingStates(std::int32_t states) : rows_(static_cast<std::size_t>(states)) {}

  // Adds a state. Returns whether it is new.
  bool add(std::int32_t s, std::int32_t state) {
    Row& row = rows_[s];
    const std::int32_t word = state / 64;
    if (row.bits.empty()) open(row, word);
    if (word < row.first) {
      row.bits.insert(row.bits.begin(), static_cast<std::size_t>(row.first - word), 0);
      row.first = word;
    }
    const auto at = static_cast<std::size_t>(word - row.first);
    if (at >= row.bits.size()) row.bits.resize(at + 1, 0);
    const bool is_new = !(row.bits[at] & bit(state));
    row.bits[at] |= bit(state);
    return is_new;
  }

  // Visits each pending state of lattice state s once, in ascending order, and forgets them. `visit` may add larger
  // ones, which are visited, too.
  template <typename Visit>
  void take(std::int32_t s, Visit visit) {
    Row& row = rows_[s];
    for (std::size_t at = 0; at < row.bits.size(); ++at) {
      const std::int32_t first = (row.first + static_cast<std::int32_t>(at)) * 64;
      each_bit(row.bits, at, [&](std::int32_t k) { visit(first + k); });
    }
    if (row.bits.empty()) return;
    spare_.push_back(std::move(row.bits));
    row.bits = {};
  }

 private:
  struct Row {
    std::int32_t first = 0;  // the first of its 64-bit words
    std::vector<std::uint64_t> bits;
  };

  void open(Row& row, std::int32_t word) {
    if (!spare_.empty()) {
      row.bits = std::move(spare_.back());
      spare_.pop_back();
      row.bits.clear();
    }
    row.first = word;
    row.bits.push_back(0);
  }

  std::vector<Row> rows_;
  std::vector<std::vector<std::uint64_t>> spare_;
};

// Finds the product states on best paths: follows best transitions from the start.
template <typename Band, typename Objective>
OptimalStates<typename Band::Value> optimal_states(const Lattice& lattice, const std::int64_t* begin,
                                                   const ReferencePositions& positions, std::int32_t size, Band& band,
                                                   Objective& objective) {
  OptimalStates<typename Band::Value> found(band.gains());
  BestTransitions<Band, Objective> transitions(lattice, begin, positions, size, band, objective);
  const EditGains<typename Band::Value> gains = band.gains();
  PendingStates pending(lattice.states);
  pending.add(0, 0);
  band.each_part([&](std::int32_t first, std::int32_t last) {
    for (std::int32_t s = first; s <= last; ++s) {
      pending.take(s, [&](std::int32_t state) {
        poll(20);
        found.add(state, band.value(s, gains.position(state), gains.run(state)));
        transitions.each_transition(s, state, [&](std::int64_t, std::int32_t t, std::int32_t r, Edit) {
          if (pending.add(t, r) && t > last) band.note_entry(t, gains.position(r), gains.run(r));
        });
      });
      found.end_state();
    }
  });
  found.end();
  return found;
}

// Follows one best path of a lattice that is a chain, and calls visit(edit) for each of its edits. Of transitions that
// are equally good, it takes the one with the smallest rank(edit). Unlike `optimal_states`, it keeps no other best
// paths: texts that repeat words have more of them than fit into memory.
template <typename Band, typename Objective, typename Rank, typename Visit>
void follow_best(const Lattice& lattice, const std::int64_t* begin, const ReferencePositions& positions,
                 std::int32_t size, Band& band, Objective& objective, Rank rank, Visit visit) {
  struct Step {
    std::int32_t s, state;
    Edit edit;
  };
  BestTransitions<Band, Objective> transitions(lattice, begin, positions, size, band, objective);
  const EditGains<typename Band::Value> gains = band.gains();
  std::optional<Step> step = Step{0, 0, Edit::insertion};
  band.each_part([&](std::int32_t, std::int32_t last) {
    while (step && step->s <= last) {
      poll(20);
      std::optional<Step> next;
      transitions.each_transition(step->s, step->state,
                                  [&](std::int64_t, std::int32_t t, std::int32_t r, Edit edit) {
                                    if (!next || rank(edit) < rank(next->edit)) next = Step{t, r, edit};
                                  });
      if (next) visit(next->edit);
      step = next;
    }
    if (step) band.note_entry(step->s, gains.position(step->state), gains.run(step->state));
  });
}

}  // namespace latticemetric
