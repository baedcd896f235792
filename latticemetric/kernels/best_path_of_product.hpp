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

// A product has so many states beside each state of the lattice, numbered so that silent transitions go to larger
// ones. It says
//
//   ends(s, q)                         whether a best path may end in (s, q)
//   optimal_transitions(s, q, visit)   visit(arc or silent, t, r) for each transition to (t, r) that keeps the best gain
//
// The answer is the lattice's path of least cost, then of fewest words, then of lexicographically smallest arcs.
template <typename Product>
class BestPathOfProduct {
 public:
  BestPathOfProduct(Product& product, const Graph& graph, std::int32_t states)
      : product_(product), graph_(graph), states_(states) {}

  std::vector<std::int64_t> arcs() {
    mark_optimal();
    price_optimal();
    return smallest_arcs();
  }

 private:
  struct Price {
    double cost;
    std::int64_t words;
    bool operator<(const Price& other) const {
      return cost < other.cost || (cost == other.cost && words < other.words);
    }
    bool operator==(const Price& other) const { return cost == other.cost && words == other.words; }
  };

  // Product states on optimal paths, a bit each.
  void mark_optimal() {
    words_a_state_ = (static_cast<std::size_t>(states_) + 63) / 64;
    marked_ = filled(words_a_state_ * graph_.states, std::uint64_t{0});
    mark(0, 0);
    for (std::int32_t s = 0; s < graph_.states; ++s) {
      // Silent transitions mark later bits of the same state, so each word is read again after each of its bits.
      each_marked(s, [&](std::int32_t q) {
        poll(20);
        product_.optimal_transitions(s, q, [&](std::int64_t, std::int32_t t, std::int32_t r) { mark(t, r); });
      });
    }
    slots_ = filled(marked_.size(), std::size_t{0});
    std::size_t count = 0;
    for (std::size_t w = 0; w < marked_.size(); ++w) {
      slots_[w] = count;
      count += static_cast<std::size_t>(__builtin_popcountll(marked_[w]));
    }
    prices_ = filled(count, Price{});
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

  Price& price(std::int32_t s, std::int32_t q) {
    const std::size_t w = words_a_state_ * s + static_cast<std::size_t>(q) / 64;
    const std::uint64_t before = marked_[w] & ((std::uint64_t{1} << (q % 64)) - 1);
    return prices_[slots_[w] + static_cast<std::size_t>(__builtin_popcountll(before))];
  }

  Price onward(std::int64_t a, std::int32_t t, std::int32_t q) {
    const Price rest = price(t, q);
    return a == silent ? rest : Price{graph_.cost[a] + rest.cost, graph_.is_word[a] + rest.words};
  }

  // price(s, q): the least (cost, words) still to come along optimal transitions.
  void price_optimal() {
    std::vector<std::int32_t> marked;
    for (std::int32_t s = graph_.states - 1; s >= 0; --s) {
      marked.clear();
      each_marked(s, [&](std::int32_t q) { marked.push_back(q); });
      for (auto q = marked.rbegin(); q != marked.rend(); ++q) {
        poll(20);
        Price best{std::numeric_limits<double>::infinity(), 0};
        if (product_.ends(s, *q)) best = {graph_.final_cost[s], 0};
        product_.optimal_transitions(s, *q, [&](std::int64_t a, std::int32_t t, std::int32_t r) {
          const Price candidate = onward(a, t, r);
          if (candidate < best) best = candidate;
        });
        price(s, *q) = best;
      }
    }
  }

  // One lattice path has many alignments, hence many product states after the same arcs: all that can still end at
  // the best price are kept, and the smallest arc that any of them takes comes next.
  std::vector<std::int64_t> smallest_arcs() {
    std::vector<std::int64_t> path;
    std::vector<std::int32_t> here{0}, next;
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(states_), 0);
    std::int32_t s = 0;
    for (;;) {
      keep_cheapest(s, here);
      follow_silent(s, here, seen);
      bool stop = false;
      std::int64_t smallest = graph_.arcs;
      for (const auto q : here) {
        poll(50);
        const Price best = price(s, q);
        stop = stop || (product_.ends(s, q) && Price{graph_.final_cost[s], 0} == best);
        product_.optimal_transitions(s, q, [&](std::int64_t a, std::int32_t t, std::int32_t r) {
          if (a == silent || a > smallest || !(onward(a, t, r) == best)) return;
          if (a < smallest) next.clear();
          smallest = a;
          next.push_back(r);
        });
      }
      if (stop || smallest == graph_.arcs) return path;
      path.push_back(smallest);
      s = graph_.target[smallest];
      std::sort(next.begin(), next.end());
      next.erase(std::unique(next.begin(), next.end()), next.end());
      here.swap(next);
      next.clear();
    }
  }

  void keep_cheapest(std::int32_t s, std::vector<std::int32_t>& states) {
    Price best{std::numeric_limits<double>::infinity(), 0};
    for (const auto q : states) best = std::min(best, price(s, q));
    states.erase(std::remove_if(states.begin(), states.end(), [&](std::int32_t q) { return !(price(s, q) == best); }),
                 states.end());
  }

  void follow_silent(std::int32_t s, std::vector<std::int32_t>& states, std::vector<std::uint8_t>& seen) {
    for (const auto q : states) seen[q] = 1;
    for (std::size_t k = 0; k < states.size(); ++k) {
      const Price best = price(s, states[k]);
      product_.optimal_transitions(s, states[k], [&](std::int64_t a, std::int32_t, std::int32_t r) {
        if (a != silent || seen[r] || !(price(s, r) == best)) return;
        seen[r] = 1;
        states.push_back(r);
      });
    }
    for (const auto q : states) seen[q] = 0;
  }

  Product& product_;
  const Graph& graph_;
  const std::int32_t states_;
  std::size_t words_a_state_ = 0;
  std::vector<std::uint64_t> marked_;
  std::vector<std::size_t> slots_;
  std::vector<Price> prices_;
};

}  // namespace latticemetric
