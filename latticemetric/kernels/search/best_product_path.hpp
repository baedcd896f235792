// Ties among the best paths of a product of a lattice with an automaton.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "graphs/lattice.hpp"
#include "memory/budget.hpp"
#include "search/numbered_states.hpp"

namespace latticemetric {

// The arc of a transition on which the lattice stays where it is.
constexpr std::int64_t silent = -1;

// What completes a path of a lattice, where its gain decides nothing any more: less cost is better, then fewer words.
struct CompletionCost {
  double cost = std::numeric_limits<double>::infinity();
  std::int64_t words = 0;
  bool operator<(const CompletionCost& other) const {
    return cost < other.cost || (cost == other.cost && words < other.words);
  }
  bool operator==(const CompletionCost& other) const { return cost == other.cost && words == other.words; }
};

inline CompletionCost ending(const Lattice& graph, std::int32_t s) { return {graph.final_cost[s], 0}; }

inline CompletionCost before(const Lattice& graph, std::int64_t arc, const CompletionCost& rest) {
  return arc == silent ? rest : CompletionCost{graph.cost[arc] + rest.cost, graph.is_word[arc] + rest.words};
}

// A product has states beside each state of the lattice, numbered so that silent transitions go to larger ones. It says
//
//   first_state(s), states(s)         that those beside s are first_state(s) and so many that follow
//   Completion                        by what completions of a path are ordered; the smallest is the best
//   ends(s, q)                        whether a best path may end in (s, q)
//   ending(s)                         the completion that ends here
//   each_transition(s, q, visit)      visit(arc or silent, t, r, gain) for each transition to (t, r) of a best path
//   before(arc or silent, gain, rest) a transition, and the completion after it
//
// It may visit more than the transitions of best paths, if completions tell which paths are the best. The answer is the
// lattice's path of the smallest completion, then of lexicographically smallest arcs.
//
// Completions are kept for as long as something leads to them; of each state only the number of its best transition
// stays, so that a product that is all ties takes two bytes a state.
template <typename Product>
class BestPathOfProduct {
  using Completion = typename Product::Completion;

 public:
  // Arcs are sorted by source. `marked` are the states that transitions lead to, if they are known.
  BestPathOfProduct(Product& product, std::int32_t lattice_states, std::int64_t arcs, const std::int32_t* source,
                    const std::int32_t* target, const NumberedStates* marked = nullptr)
      : product_(product), lattice_states_(lattice_states), arcs_(arcs), source_(source), target_(target),
        marked_(marked) {}

  std::vector<std::int64_t> arcs() {
    if (marked_ == nullptr) mark_states();
    complete_states();
    return best_arcs();
  }

  // Of the whole path, once its arcs are known.
  const Completion& completion() const { return completion_; }

 private:
  // The best completion of a product state, and where its arcs stand among those of the lattice state's others.
  struct Completed {
    Completion completion;
    std::int64_t arc = 0;     // the first one
    std::int32_t after = 0;   // the rank where it leads to
    std::int32_t rank = 0;

    bool has_smaller_arcs(std::int64_t other, std::int32_t rest) const {
      return arc < other || (arc == other && after < rest);
    }
  };
  static constexpr std::int64_t stop = -1;  // less than any arc: what begins another path is smaller

  // ---- Product states on best paths ---------------------------------------------------------------------------------

  void mark_states() {
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
    marked_ = &found_;
  }

  // ---- From the end to the start ----------------------------------------------------------------------------------

  void complete_states() {
    transitions_ = filled(marked_->size(), Small{0});
    completed_.resize(static_cast<std::size_t>(lattice_states_));
    constexpr std::size_t few = std::size_t{1} << 16;  // stay: to know when nothing leads to them takes longer
    const auto first_source = marked_->size() > few ? sources() : std::vector<std::int32_t>();
    std::vector<std::int32_t> marked;
    std::int64_t a = first_source.empty() ? 0 : arcs_;
    for (std::int32_t s = lattice_states_ - 1; s >= 0; --s) {
      marked.clear();
      marked_->each(s, [&](std::int32_t q) { marked.push_back(q); });
      auto& here = completed_[s];
      here.resize(marked.size());
      for (std::size_t k = marked.size(); k-- > 0;) complete(s, marked[k], here[k]);
      rank(here);
      for (; a > 0 && source_[a - 1] == s; --a)
        if (first_source[target_[a - 1]] == s) std::vector<Completed>().swap(completed_[target_[a - 1]]);
    }
    completion_ = completed_[0][0].completion;
  }

  // The first state that leads to each.
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
      const Completed& rest = completed_[t][marked_->number(t, r) - marked_->begin(t)];
      const Completion completion = product_.before(a, gain, rest.completion);
      const std::int64_t arc = a == silent ? rest.arc : a;
      const std::int32_t after = a == silent ? rest.after : rest.rank;
      if (chosen != none && !(completion < best.completion) &&
          !(completion == best.completion && !best.has_smaller_arcs(arc, after)))
        return;
      best = {completion, arc, after, 0};
      chosen = seen;
    });
    keep(marked_->number(s, q), chosen);
  }

  // Equal arcs have equal ranks.
  void rank(std::vector<Completed>& here) {
    if (here.size() < 2) return;
    order_.resize(here.size());
    for (std::size_t k = 0; k < here.size(); ++k) order_[k] = static_cast<std::int32_t>(k);
    poll(static_cast<std::int64_t>(20 * here.size()));
    std::sort(order_.begin(), order_.end(), [&](std::int32_t a, std::int32_t b) {
      return here[a].has_smaller_arcs(here[b].arc, here[b].after);
    });
    for (std::size_t k = 1; k < here.size(); ++k) {
      const Completed &before = here[order_[k - 1]], &one = here[order_[k]];
      here[order_[k]].rank = before.rank + before.has_smaller_arcs(one.arc, one.after);
    }
  }

  // ---- From the start to the end ----------------------------------------------------------------------------------

  std::vector<std::int64_t> best_arcs() {
    std::vector<std::int64_t> path;
    std::int32_t s = 0, q = 0;
    for (std::uint32_t chosen; (chosen = kept(marked_->number(s, q))) > ending;) {
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

  // The best transition of a marked state: none, its end, or one of those that are visited, from `ending` + 1 on.
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
  const NumberedStates* marked_;
  std::vector<Small> transitions_;                  // of marked states
  std::unordered_map<std::size_t, std::uint32_t> large_;
  std::vector<std::vector<Completed>> completed_;   // of states of the lattice that something may still lead to
  std::vector<std::int32_t> order_;
  Completion completion_;
};

}  // namespace latticemetric
