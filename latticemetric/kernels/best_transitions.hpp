// The best paths of a lattice under a recognition rate, by the values of the states that they pass.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "best_path_of_product.hpp"
#include "budget.hpp"
#include "recognition_edits.hpp"
#include "recognition_search.hpp"
#include "reference_places.hpp"

namespace latticemetric {

// What a transition of the automaton does: a match is the length of the longest n-gram that it completes.
enum class Edit : std::int32_t { insertion = -2, deletion = -1, substitution = 0 };
constexpr Edit match(std::int32_t length) { return static_cast<Edit>(length); }

// The transitions of the best paths of the product, by the values of its states. A rule says which paths are answers.
// State (i, m) of the automaton is number i * order + m.
template <typename Values, typename Rule>
class BestTransitions {
  using Value = typename Values::Value;

 public:
  using Completion = typename Rule::Completion;

  BestTransitions(const Graph& graph, const std::int64_t* begin, const ReferencePlaces& places, std::int32_t size,
                  const Values& values, Rule& rule)
      : graph_(graph), begin_(begin), places_(places), size_(size), edits_(values.edits()), values_(values), rule_(rule) {}

  std::int32_t first_state(std::int32_t s) const { return values_.first_state(s); }
  std::int32_t states(std::int32_t s) const { return values_.states(s); }

  bool ends(std::int32_t s, std::int32_t state) {
    if (state / edits_.order != size_ || !graph_.is_final(s)) return false;
    return static_cast<Value>(values_.value(s, size_, state % edits_.order) + rule_.end_cost(s)) <= rule_.slack(s, state);
  }

  Completion ending(std::int32_t s) const { return rule_.ending(s); }
  Completion before(std::int64_t arc, Edit edit, const Completion& rest) const { return rule_.before(arc, edit, rest); }

  template <typename Visit>
  void each_transition(std::int32_t s, std::int32_t state, Visit visit) {
    const std::int32_t order = edits_.order, i = state / order, m = state % order, onward = (i + 1) * order;
    const Value best = values_.value(s, i, m), slack = rule_.slack(s, state);
    const auto propose = [&](std::int64_t a, std::int32_t t, std::int32_t r, Value added, Edit edit) {
      const auto lost = best - added - values_.value(t, r / order, r % order);  // of more than 16 bits
      if (lost > slack) return;
      rule_.reach(t, r, static_cast<Value>(slack - lost));
      visit(a, t, r, edit);
    };
    const bool more = i < size_;
    if (more) propose(silent, s, onward, edits_.deletion, Edit::deletion);
    for (auto a = begin_[s]; a < begin_[s + 1]; ++a) {
      const std::int32_t t = graph_.target[a];
      const Value cost = rule_.cost(a);
      if (graph_.label[a] == 0) {
        propose(a, t, state, static_cast<Value>(-cost), Edit::substitution);
        continue;
      }
      propose(a, t, i * order, static_cast<Value>(edits_.insertion - cost), Edit::insertion);
      if (!more) continue;
      propose(a, t, onward, static_cast<Value>(edits_.substitution - cost), Edit::substitution);
      if (places_.matches(a, i))
        propose(a, t, onward + edits_.longer(m), static_cast<Value>(edits_.match(m) - cost), match(m + 1));
    }
  }

 private:
  const Graph& graph_;
  const std::int64_t* const begin_;
  const ReferencePlaces& places_;
  const std::int32_t size_;
  const EditValues<Value> edits_;
  const Values& values_;
  Rule& rule_;
};

// The states of the product that best paths pass, with their values.
template <typename V>
class MarkedStates {
 public:
  using Value = V;

  explicit MarkedStates(const EditValues<Value>& edits) : edits_(edits), begin_{0} {}

  // Those of one state of the lattice after the other, by their numbers.
  void add(std::int32_t state, Value value) {
    states_.push_back(state);
    values_.push_back(value);
  }
  void end_state() { begin_.push_back(states_.size()); }

  std::size_t size() const { return states_.size(); }
  // Beside state s of the lattice: begin(s) .. end(s) - 1, counted over all states of it.
  std::size_t begin(std::int32_t s) const { return begin_[s]; }
  std::size_t end(std::int32_t s) const { return begin_[s + 1]; }
  std::int32_t state(std::size_t number) const { return states_[number]; }
  std::size_t number(std::int32_t s, std::int32_t state) const {
    const auto begin = states_.begin() + static_cast<std::ptrdiff_t>(begin_[s]);
    const auto end = states_.begin() + static_cast<std::ptrdiff_t>(begin_[s + 1]);
    const auto found = std::lower_bound(begin, end, state);
    return found != end && *found == state ? static_cast<std::size_t>(found - states_.begin()) : none;
  }

  const EditValues<Value>& edits() const { return edits_; }
  std::int32_t first_state(std::int32_t s) const { return begin_[s] < begin_[s + 1] ? states_[begin_[s]] : 0; }
  std::int32_t states(std::int32_t s) const {
    return begin_[s] < begin_[s + 1] ? states_[begin_[s + 1] - 1] - states_[begin_[s]] + 1 : 0;
  }
  Value value(std::int32_t s, std::int32_t i, std::int32_t m) const {
    const auto found = number(s, i * edits_.order + m);
    return found == none ? no_value<Value> : values_[found];
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  const EditValues<Value> edits_;
  std::vector<std::size_t> begin_;  // of each state of the lattice
  std::vector<std::int32_t> states_;
  std::vector<Value> values_;
};

// States of the product that are to be marked, by states of the lattice.
class ToBeMarked {
 public:
  explicit ToBeMarked(std::int32_t states) : head_(static_cast<std::size_t>(states), none) {}

  void add(std::int32_t s, std::int32_t state) {
    std::int32_t at = spare_;
    if (at == none) {
      at = static_cast<std::int32_t>(nodes_.size());
      nodes_.push_back({});
    } else {
      spare_ = nodes_[at].next;
    }
    nodes_[at] = {state, head_[s]};
    head_[s] = at;
  }

  // Each once, by their numbers.
  void take(std::int32_t s, std::vector<std::int32_t>& states) {
    states.clear();
    for (std::int32_t at = head_[s]; at != none;) {
      states.push_back(nodes_[at].state);
      const auto next = nodes_[at].next;
      nodes_[at].next = spare_;
      spare_ = at;
      at = next;
    }
    head_[s] = none;
    std::sort(states.begin(), states.end());
    states.erase(std::unique(states.begin(), states.end()), states.end());
  }

 private:
  static constexpr std::int32_t none = -1;
  struct Node {
    std::int32_t state, next;
  };
  std::vector<std::int32_t> head_;
  std::vector<Node> nodes_;
  std::int32_t spare_ = none;
};

template <typename Band, typename Rule>
MarkedStates<typename Band::Value> marked(const Graph& graph, const std::int64_t* begin, const ReferencePlaces& places,
                                          std::int32_t size, Band& band, Rule& rule) {
  MarkedStates<typename Band::Value> found(band.edits());
  BestTransitions<Band, Rule> transitions(graph, begin, places, size, band, rule);
  const std::int32_t order = band.edits().order;
  ToBeMarked to_be_marked(graph.states);
  to_be_marked.add(0, 0);
  std::vector<std::int32_t> here;
  band.each_part([&](std::int32_t first, std::int32_t last) {
    for (std::int32_t s = first; s <= last; ++s) {
      to_be_marked.take(s, here);
      for (std::size_t k = 0; k < here.size(); ++k) {
        const std::int32_t state = here[k];
        poll(20);
        found.add(state, band.value(s, state / order, state % order));
        transitions.each_transition(s, state, [&](std::int64_t, std::int32_t t, std::int32_t r, Edit) {
          if (t != s) {
            band.pass(t, r / order, r % order);
            return to_be_marked.add(t, r);
          }
          const auto at = std::lower_bound(here.begin() + static_cast<std::ptrdiff_t>(k), here.end(), r);
          if (at == here.end() || *at != r) here.insert(at, r);
        });
      }
      found.end_state();
    }
  });
  return found;
}

}  // namespace latticemetric
