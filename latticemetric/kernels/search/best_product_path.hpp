// Ties among the best paths of a product of a lattice with an automaton.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "graphs/lattice.hpp"
#include "graphs/tie_order.hpp"
#include "memory/budget.hpp"
#include "search/numbered_states.hpp"

namespace latticemetric {

// The arc of a silent transition, on which the state of the lattice does not change.
constexpr std::int64_t silent = -1;

// The rest of a path, compared where gains tie: less cost is better, then fewer words.
struct CompletionCost {
  double cost = std::numeric_limits<double>::infinity();
  std::int64_t words = 0;
  bool operator<(const CompletionCost& other) const { return comes_first(*this, other); }
  bool operator==(const CompletionCost& other) const { return costs_as_much(*this, other); }
};

inline CompletionCost ending(const Lattice& lattice, std::int32_t s) { return {lattice.final_cost[s], 0}; }

inline CompletionCost before(const Lattice& lattice, std::int64_t arc, const CompletionCost& rest) {
  return arc == silent ? rest : CompletionCost{lattice.cost[arc] + rest.cost, lattice.is_word[arc] + rest.words};
}

// A product pairs each state of the lattice with states of an automaton, numbered so that silent transitions go to
// larger states. It defines
//
//   first_state(s), states(s)         the first automaton state paired with s, and the number of states from there on
//   Completion                        how completions of a path are ordered; the smallest is the best
//   ends(s, q)                        whether a best path may end in (s, q)
//   ending(s)                         the completion of a path that ends in s
//   each_transition(s, q, visit)      calls visit(arc or silent, t, r, gain) for each transition of a best path to (t, r)
//   before(arc or silent, gain, rest) the completion by a transition, then `rest`
//
// `each_transition` may visit transitions of other paths, too, if completions tell which paths are the best. The result
// is the path of the lattice with the smallest completion; among ties, the one with the lexicographically smallest
// arcs.
//
// The completions of a lattice state are dropped once all arcs into it have been followed (unless there are few
// states). After that, only the number of the best transition is kept, so that a product in which everything ties takes
// two bytes per state.
template <typename Product>
class BestProductPath {
  using Completion = typename Product::Completion;

 public:
  // Arcs are sorted by source. `optimal` holds the product states on best paths, if they are known.
  BestProductPath(Product& product, std::int32_t lattice_states, std::int64_t arcs, const std::int32_t* source,
                  const std::int32_t* target, const NumberedStates* optimal = nullptr)
      : product_(product), lattice_states_(lattice_states), arcs_(arcs), source_(source), target_(target),
        optimal_(optimal) {}

  std::vector<std::int64_t> arcs() {
    if (optimal_ == nullptr) mark_optimal_states();
    complete_states();
    return best_arcs();
  }

  // Returns the completion of the whole path. Call `arcs` first.
  const Completion& completion() const { return completion_; }

 private:
  // The best completion of a product state, and the rank of its arcs among those of the same lattice state.
  struct Completed {
    Completion completion;
    std::int64_t arc = 0;     // the first arc of the best completion
    std::int32_t after = 0;   // the rank of the state that this arc leads to
    std::int32_t rank = 0;

    bool has_smaller_arcs(std::int64_t other, std::int32_t rest) const {
      return arc < other || (arc == other && after < rest);
    }
  };
  static constexpr std::int64_t stop = -1;  // less than any arc: a path is smaller than its continuations

  // ---- Product states on best paths ---------------------------------------------------------------------------------

  void mark_optimal_states() {
    found_.allot(
        lattice_states_, [&](std::int32_t s) { return product_.first_state(s); },
        [&](std::int32_t s) { return product_.states(s); });
    found_.set(0, 0);
    for (std::int32_t s = 0; s < lattice_states_; ++s) {
      found_.each(s, [&](std::int32_t q) {
        poll(20);
        product_.each_transition(
            s, q, [&](std::int64_t, std::int32_t t, std::int32_t r, const auto&) { found_.set(t, r); });
      });
    }
    found_.number();
    optimal_ = &found_;
  }

  // ---- From the end to the start ----------------------------------------------------------------------------------

  void complete_states() {
    transitions_ = filled(optimal_->size(), Small{0});
    completed_.resize(static_cast<std::size_t>(lattice_states_));
    constexpr std::size_t few = std::size_t{1} << 16;  // are never dropped: finding out when takes longer
    const bool drops = optimal_->size() > few;
    const auto first_source = drops ? sources() : std::vector<std::int32_t>();
    std::vector<Completed> all(drops ? 0 : optimal_->size());
    std::vector<std::vector<Completed>> rows(drops ? completed_.size() : 0);
    std::vector<std::int32_t> optimal;
    std::int64_t a = drops ? arcs_ : 0;
    for (std::int32_t s = lattice_states_ - 1; s >= 0; --s) {
      optimal.clear();
      optimal_->each(s, [&](std::int32_t q) { optimal.push_back(q); });
      if (drops) rows[s].resize(optimal.size());
      completed_[s] = drops ? rows[s].data() : all.data() + optimal_->begin(s);
      for (std::size_t k = optimal.size(); k-- > 0;) complete(s, optimal[k], completed_[s][k]);
      rank(completed_[s], optimal.size());
      for (; a > 0 && source_[a - 1] == s; --a)
        if (first_source[target_[a - 1]] == s) std::vector<Completed>().swap(rows[target_[a - 1]]);
    }
    completion_ = completed_[0][0].completion;
  }

  // Returns, for each state of the lattice, the first state with an arc to it.
  std::vector<std::int32_t> sources() const {
    std::vector<std::int32_t> first(static_cast<std::size_t>(lattice_states_), 0);
    for (std::int64_t a = arcs_; a-- > 0;) first[target_[a]] = source_[a];
    return first;
  }

  void complete(std::int32_t s, std::int32_t q, Completed& best) {
    poll(20);
    std::uint32_t chosen = none, seen = ending;
    if (product_.ends(s, q)) {
      best = {product_.ending(s), stop, 0, 0};
      chosen = ending;
    }
    product_.each_transition(s, q, [&](std::int64_t a, std::int32_t t, std::int32_t r, const auto& gain) {
      ++seen;
      const Completed& rest = completed_[t][optimal_->number(t, r) - optimal_->begin(t)];
      const Completion completion = product_.before(a, gain, rest.completion);
      const std::int64_t arc = a == silent ? rest.arc : a;
      const std::int32_t after = a == silent ? rest.after : rest.rank;
      if (chosen != none && !(completion < best.completion) &&
          !(completion == best.completion && !best.has_smaller_arcs(arc, after)))
        return;
      best = {completion, arc, after, 0};
      chosen = seen;
    });
    keep(optimal_->number(s, q), chosen);
  }

  // Ranks the product states of a lattice state by the arcs of their completions. Equal arcs have equal ranks.
  void rank(Completed* here, std::size_t size) {
    if (size < 2) return;
    order_.resize(size);
    for (std::size_t k = 0; k < size; ++k) order_[k] = static_cast<std::int32_t>(k);
    poll(static_cast<std::int64_t>(20 * size));
    std::sort(order_.begin(), order_.end(), [&](std::int32_t a, std::int32_t b) {
      return here[a].has_smaller_arcs(here[b].arc, here[b].after);
    });
    for (std::size_t k = 1; k < size; ++k) {
      const Completed &before = here[order_[k - 1]], &one = here[order_[k]];
      here[order_[k]].rank = before.rank + before.has_smaller_arcs(one.arc, one.after);
    }
  }

  // ---- From the start to the end ----------------------------------------------------------------------------------

  std::vector<std::int64_t> best_arcs() {
    std::vector<std::int64_t> path;
    std::int32_t s = 0, q = 0;
    for (std::uint32_t chosen; (chosen = kept(optimal_->number(s, q))) > ending;) {
      std::uint32_t seen = ending;
      std::int32_t next = s, state = q;
      product_.each_transition(s, q, [&](std::int64_t a, std::int32_t t, std::int32_t r, const auto&) {
        if (++seen != chosen) return;
        if (a != silent) path.push_back(a);
        next = t;
        state = r;
      });
      s = next;
      q = state;
    }
    return path;
  }

  // The best transition of an optimal state: `none`, `ending`, or a transition by the order in which they are visited,
  // counted from `ending` + 1 on.
  static constexpr std::uint32_t none = 0, ending = 1;
  using Small = std::uint16_t;
  static constexpr Small large = std::numeric_limits<Small>::max();

  void keep(std::size_t number, std::uint32_t transition) {
    transitions_[number] = static_cast<Small>(std::min<std::uint32_t>(transition, large));
    if (transition >= large) large_[number] = transition;
  }
  std::uint32_t kept(std::size_t number) const {
    return transitions_[number] == large ? large_.at(number) : transitions_[number];
  }

  Product& product_;
  const std::int32_t lattice_states_;
  const std::int64_t arcs_;
  const std::int32_t *source_, *target_;
  NumberedStates found_;
  const NumberedStates* optimal_;
  std::vector<Small> transitions_;                  // of optimal states: the best transition, or `large`
  std::unordered_map<std::size_t, std::uint32_t> large_;
  std::vector<Completed*> completed_;               // by state of the lattice, while arcs into it are left
  std::vector<std::int32_t> order_;
  Completion completion_;
};

}  // namespace latticemetric
