// The best paths of a lattice under a recognition rate, by the values of the states that they pass.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

// The transitions of the best paths of the product, by the values of its states. A rule says which paths are answers.
template <typename Values, typename Rule>
class BestTransitions {
  using Value = typename Values::Value;

 public:
  using Completion = typename Rule::Completion;

  BestTransitions(const Lattice& graph, const std::int64_t* begin, const ReferencePlaces& places, std::int32_t size,
                  const Values& values, Rule& rule)
      : graph_(graph), begin_(begin), places_(places), size_(size), gains_(values.gains()), values_(values), rule_(rule) {}

  std::int32_t first_state(std::int32_t s) const { return values_.first_state(s); }
  std::int32_t states(std::int32_t s) const { return values_.states(s); }

  bool ends(std::int32_t s, std::int32_t state) {
    if (gains_.position(state) != size_ || !graph_.is_final(s)) return false;
    return static_cast<Value>(values_.value(s, size_, gains_.run(state)) + rule_.end_cost(s)) <= rule_.slack(s, state);
  }

  Completion ending(std::int32_t s) const { return rule_.ending(s); }
  Completion before(std::int64_t arc, Edit edit, const Completion& rest) const { return rule_.before(arc, edit, rest); }

  template <typename Visit>
  void each_transition(std::int32_t s, std::int32_t state, Visit visit) {
    const std::int32_t i = gains_.position(state), m = gains_.run(state);
    const Value best = values_.value(s, i, m), slack = rule_.slack(s, state);
    const auto propose = [&](std::int64_t a, std::int32_t t, std::int32_t r, Value added, Edit edit) {
      const auto lost = best - added - values_.value(t, gains_.position(r), gains_.run(r));  // of more than 16 bits
      if (lost > slack) return;
      rule_.reach(t, r, static_cast<Value>(slack - lost));
      visit(a, t, r, edit);
    };
    const bool is_last = i == size_;
    if (!is_last) propose(silent, s, gains_.state(i + 1, 0), gains_.deletion, Edit::deletion);
    for (auto a = begin_[s]; a < begin_[s + 1]; ++a) {
      const std::int32_t t = graph_.target[a];
      const Value cost = rule_.cost(a);
      if (graph_.label[a] == 0) {
        propose(a, t, state, static_cast<Value>(-cost), Edit::substitution);
        continue;
      }
      gains_.each_reading(i, m, is_last, !is_last && places_.matches(a, i),
                          [&](std::int32_t j, std::int32_t run, Value gain, Edit edit) {
                            propose(a, t, gains_.state(j, run), static_cast<Value>(gain - cost), edit);
                          });
    }
  }

 private:
  const Lattice& graph_;
  const std::int64_t* const begin_;
  const ReferencePlaces& places_;
  const std::int32_t size_;
  const EditGains<Value> gains_;
  const Values& values_;
  Rule& rule_;
};

// The states of the product that best paths pass, with their values.
template <typename V>
class MarkedStates {
 public:
  using Value = V;

  explicit MarkedStates(const EditGains<Value>& gains) : gains_(gains), begin_{0} {}

  // Those of one state of the lattice after the other, by their numbers.
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
  // Beside state s of the lattice: begin(s) .. end(s) - 1, counted over all states of it.
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
  std::vector<std::size_t> begin_;  // of each state of the lattice
  std::vector<std::int32_t> states_;
  std::vector<Value> values_;
};

// States of the product that are to be marked, by states of the lattice: a bit for each of those between the first and
// the last one.
class ToBeMarked {
 public:
  explicit ToBeMarked(std::int32_t states) : rows_(static_cast<std::size_t>(states)) {}

  // Whether it was not among them before.
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

  // Visits each once, by their numbers; also larger ones of this state that are added meanwhile.
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
    std::int32_t first = 0;  // of its words of 64 bits
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

template <typename Band, typename Rule>
MarkedStates<typename Band::Value> marked(const Lattice& graph, const std::int64_t* begin, const ReferencePlaces& places,
                                          std::int32_t size, Band& band, Rule& rule) {
  MarkedStates<typename Band::Value> found(band.gains());
  BestTransitions<Band, Rule> transitions(graph, begin, places, size, band, rule);
  const EditGains<typename Band::Value> gains = band.gains();
  ToBeMarked to_be_marked(graph.states);
  to_be_marked.add(0, 0);
  band.each_part([&](std::int32_t first, std::int32_t last) {
    for (std::int32_t s = first; s <= last; ++s) {
      to_be_marked.take(s, [&](std::int32_t state) {
        poll(20);
        found.add(state, band.value(s, gains.position(state), gains.run(state)));
        transitions.each_transition(s, state, [&](std::int64_t, std::int32_t t, std::int32_t r, Edit) {
          if (to_be_marked.add(t, r) && t > last) band.pass(t, gains.position(r), gains.run(r));
        });
      });
      found.end_state();
    }
  });
  found.end();
  return found;
}

}  // namespace latticemetric
