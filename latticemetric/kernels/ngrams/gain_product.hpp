// The product of a lattice with the automaton of n-gram gains.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphs/incoming_arcs.hpp"
#include "memory/budget.hpp"
#include "ngrams/gain_automaton.hpp"

namespace latticemetric {

// An item is a pair of a lattice state and an automaton state; a step is an arc read in an item of its source. Steps
// are many, so each is stored in four bytes, as the n-gram it completes; the rest follows from their order.
class GainProduct {
 public:
  GainProduct(std::int32_t states, std::int64_t arcs, const std::int32_t* source, const std::int32_t* target,
              const std::int32_t* word, const NgramGains& gains)
      : automaton_(gains),
        in_(incoming_arcs(states, arcs, target)),
        source_(source),
        item_at_(static_cast<std::size_t>(automaton_.size()), -1) {
    for (std::int32_t t = 0; t < states; ++t) {
      first_step_.push_back(ngram_.size());
      if (t == 0) reach(NgramTrie::root);
      each_arc_and_item(t, [&](std::int64_t a, std::int64_t i) {
        const auto ngram = word[a] == 0 ? NgramTrie::none : automaton_.longest_ngram(state_[i], word[a]);
        ngram_.push_back(ngram);
        reach(next_state(i, ngram));
      });
      begin_.push_back(items());
    }
  }

  std::int64_t items() const { return static_cast<std::int64_t>(state_.size()); }
  std::size_t steps() const { return ngram_.size(); }

  // Returns the first item of a state. Its last item comes before the first one of the next state.
  std::int64_t begin(std::int32_t s) const { return begin_[s]; }

  // Calls visit(arc, item, next item, gain) for each step into a state.
  template <typename Visit>
  void each_step_into(std::int32_t t, Visit visit) {
    for (auto i = begin_[t]; i < begin_[t + 1]; ++i) item_at_[state_[i]] = i;
    auto longest_ngram = ngram_.data() + first_step_[t];
    each_arc_and_item(t, [&](std::int64_t a, std::int64_t i) {
      const auto ngram = *longest_ngram++;
      visit(a, i, item_at_[next_state(i, ngram)], ngram == NgramTrie::none ? 0 : automaton_.gain(ngram));
    });
  }

 private:
  template <typename Visit>
  void each_arc_and_item(std::int32_t t, Visit visit) {
    for (auto k = in_.begin[t]; k < in_.begin[t + 1]; ++k) {
      const auto a = in_.arc[k];
      for (auto i = begin_[source_[a]]; i < begin_[source_[a] + 1]; ++i) {
        poll(10);
        visit(a, i);
      }
    }
  }

  void reach(std::int32_t state) {
    auto& at = item_at_[state];
    if (at >= begin_.back()) return;
    at = items();
    state_.push_back(state);
  }

  std::int32_t next_state(std::int64_t item, std::int32_t ngram) const {
    return ngram == NgramTrie::none ? state_[item] : automaton_.state(ngram);
  }

  const GainAutomaton automaton_;
  const IncomingArcs in_;
  const std::int32_t* source_;
  std::vector<std::int64_t> begin_{0};     // by lattice state: its first item
  std::vector<std::int32_t> state_;        // by item: the automaton state
  std::vector<std::size_t> first_step_;    // by lattice state: the first step into it
  std::vector<std::int32_t> ngram_;         // by step: the longest n-gram that its word ends; none for ε
  std::vector<std::int64_t> item_at_;      // by automaton state: its item in the lattice state read last
};

}  // namespace latticemetric
