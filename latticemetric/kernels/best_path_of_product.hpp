// Ties among the best paths of a product of a lattice with an automaton.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "budget.hpp"
#include "recognition_search.hpp"

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

inline CompletionCost ending(const Graph& graph, std::int32_t s) { return {graph.final_cost[s], 0}; }

inline CompletionCost before(const Graph& graph, std::int64_t arc, const CompletionCost& rest) {
  return arc == silent ? rest : CompletionCost{graph.cost[arc] + rest.cost, graph.is_word[arc] + rest.words};
}

// A product has so many states beside each state of the lattice, numbered so that silent transitions go to larger
// ones. It says
//
//   Completion                        by what completions of a path are ordered; the smallest is the best
//   ends(s, q)                        whether a best path may end in (s, q)
//   ending(s)                         the completion that ends here
//   each_transition(s, q, visit)      visit(arc or silent, t, r, gain) for each transition to (t, r) of a best path
//   before(arc or silent, gain, rest) a transition, and the completion after it
//
// It may visit more than the transitions of best paths, if completions tell which paths are the best. The answer is the
// lattice's path of the smallest completion, then of lexicographically smallest arcs.
template <typename Product>
class BestPathOfProduct {
  using Completion = typename Product::Completion;

 public:
  BestPathOfProduct(Product& product, std::int32_t lattice_states, std::int64_t arcs, const std::int32_t* target,
                    std::int32_t states)
      : product_(product), lattice_states_(lattice_states), arcs_(arcs), target_(target), states_(states) {}

  std::vector<std::int64_t> arcs() {
    mark_states();
    complete_states();
    return smallest_arcs();
  }

  // Of the whole path, once its arcs are known.
  const Completion& completion() { return completion(0, 0); }

 private:
  // Product states on best paths, a bit each.
  void mark_states() {
    words_a_state_ = (static_cast<std::size_t>(states_) + 63) / 64;
    marked_ = filled(words_a_state_ * lattice_states_, std::uint64_t{0});
    mark(0, 0);
    for (std::int32_t s = 0; s < lattice_states_; ++s) {
      // Silent transitions mark later bits of the same state, so each word is read again after each of its bits.
      each_marked(s, [&](std::int32_t q) {
        poll(20);
        product_.each_transition(s, q, [&](std::int64_t, std::int32_t t, std::int32_t r, const auto&) { mark(t, r); });
      });
    }
    first_ = filled(marked_.size(), std::size_t{0});
    std::size_t count = 0;
    for (std::size_t w = 0; w < marked_.size(); ++w) {
      first_[w] = count;
      count += static_cast<std::size_t>(__builtin_popcountll(marked_[w]));
    }
    completions_ = filled(count, Completion{});
  }

  void mark(std::int32_t s, std::int32_t q) {
    marked_[words_a_state_ * s + static_cast<std::size_t>(q) / 64] |= std::uint64_t{1} << (q % 64);
  }

  template <typename Visit>
  void each_marked(std::int32_t s, Visit visit) {
    for (std::size_t w = 0; w < words_a_state_; ++w) {
      std::uint64_t done = 0;
      while (const std::uint64_t left = marked_[words_a_state_ * s + w] & ~done) {
        done |= left & (~left + 1);
        visit(static_cast<std::int32_t>(w * 64) + __builtin_ctzll(left));
      }
    }
  }

  Completion& completion(std::int32_t s, std::int32_t q) {
    const std::size_t w = words_a_state_ * s + static_cast<std::size_t>(q) / 64;
    const std::uint64_t lower = marked_[w] & ((std::uint64_t{1} << (q % 64)) - 1);
    return completions_[first_[w] + static_cast<std::size_t>(__builtin_popcountll(lower))];
  }

  // The smallest completion of each marked state.
  void complete_states() {
    std::vector<std::int32_t> marked;
    for (std::int32_t s = lattice_states_ - 1; s >= 0; --s) {
      marked.clear();
      each_marked(s, [&](std::int32_t q) { marked.push_back(q); });
      for (auto q = marked.rbegin(); q != marked.rend(); ++q) {
        poll(20);
        Completion best;
        if (product_.ends(s, *q)) best = product_.ending(s);
        product_.each_transition(s, *q, [&](std::int64_t a, std::int32_t t, std::int32_t r, const auto& gain) {
          best = std::min(best, product_.before(a, gain, completion(t, r)));
        });
        completion(s, *q) = best;
      }
    }
  }

  // One lattice path has many alignments, hence many product states after the same arcs. All of them that are on best
  // paths are kept, and the smallest arc that any of them takes comes next.
  std::vector<std::int64_t> smallest_arcs() {
    std::vector<std::int64_t> path;
    std::vector<std::int32_t> here{0}, next;
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(states_), 0);
    std::int32_t s = 0;
    for (;;) {
      follow_silent(s, here, seen);
      bool stop = false;
      std::int64_t smallest = arcs_;
      for (const auto q : here) {
        poll(50);
        const Completion best = completion(s, q);
        stop = stop || (product_.ends(s, q) && product_.ending(s) == best);
        product_.each_transition(s, q, [&](std::int64_t a, std::int32_t t, std::int32_t r, const auto& gain) {
          if (a == silent || a > smallest || !(product_.before(a, gain, completion(t, r)) == best)) return;
          if (a < smallest) next.clear();
          smallest = a;
          next.push_back(r);
        });
      }
      if (stop || smallest == arcs_) return path;
      path.push_back(smallest);
      s = target_[smallest];
      std::sort(next.begin(), next.end());
      next.erase(std::unique(next.begin(), next.end()), next.end());
      here.swap(next);
      next.clear();
    }
  }

  void follow_silent(std::int32_t s, std::vector<std::int32_t>& states, std::vector<std::uint8_t>& seen) {
    for (const auto q : states) seen[q] = 1;
    for (std::size_t k = 0; k < states.size(); ++k) {
      const Completion best = completion(s, states[k]);
      product_.each_transition(s, states[k], [&](std::int64_t a, std::int32_t, std::int32_t r, const auto& gain) {
        if (a != silent || seen[r] || !(product_.before(a, gain, completion(s, r)) == best)) return;
        seen[r] = 1;
        states.push_back(r);
      });
    }
    for (const auto q : states) seen[q] = 0;
  }

  Product& product_;
  const std::int32_t lattice_states_;
  const std::int64_t arcs_;
  const std::int32_t* target_;
  const std::int32_t states_;
  std::size_t words_a_state_ = 0;
  std::vector<std::uint64_t> marked_;
  std::vector<std::size_t> first_;  // the number of the first marked state of each 64
  std::vector<Completion> completions_;
};

}  // namespace latticemetric
