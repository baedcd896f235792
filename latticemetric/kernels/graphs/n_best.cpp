#include "graphs/n_best.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "graphs/ngram_trie.hpp"
#include "graphs/tie_order.hpp"
#include "memory/budget.hpp"
#include "memory/pair_set.hpp"

namespace latticemetric {
namespace {

enum class Distinct { strings, paths };

constexpr std::int32_t stop = -1;  // in place of an arc: the path ends; it comes before all arcs

TooLarge too_many_partial_paths() {
  return TooLarge("the partial strings of the search do not fit into memory; prune the lattice, ask for fewer strings, "
                  "or allow more memory (--max-memory)");
}

// The best way from each state to an end, exactly; and the choices at each state (an arc, or to stop), best first.
template <Distinct distinct>
class Completions {
 public:
  struct Completion {
    double cost = std::numeric_limits<double>::infinity();
    std::int32_t words = 0;
  };

  explicit Completions(const Lattice& lattice)
      : lattice_(lattice), arc_begin_(arc_begins(lattice)), best_(static_cast<std::size_t>(lattice.states)),
        choices_(static_cast<std::size_t>(lattice.states)) {
    for (std::int32_t s = lattice.states - 1; s >= 0; --s) {
      poll(8);
      best_[s] = beginning_with(s, stop);
      for (auto a = arc_begin_[s]; a < arc_begin_[s + 1]; ++a) {
        const Completion other = beginning_with(s, static_cast<std::int32_t>(a));
        if (comes_first(other, best_[s])) best_[s] = other;
      }
    }
  }

  // Returns the best completion from state `s` that begins with a choice.
  Completion beginning_with(std::int32_t s, std::int32_t choice) const {
    if (choice == stop) return {lattice_.final_cost[s], 0};
    const Completion& rest = best_[lattice_.target[choice]];
    const bool adds_word = distinct == Distinct::paths || lattice_.label[choice] != 0;
    return {lattice_.cost[choice] + rest.cost, rest.words + adds_word};
  }

  // Sorts the choices at a state, when the first path gets there.
  void sort_choices(std::int32_t s) {
    if (choices_[s].count != unsorted) return;
    ranked_.clear();
    const auto rank = [&](std::int32_t choice) {
      const auto [cost, words] = beginning_with(s, choice);
      if (std::isfinite(cost)) ranked_.push_back({cost, words, choice});
    };
    rank(stop);
    for (auto a = arc_begin_[s]; a < arc_begin_[s + 1]; ++a) rank(static_cast<std::int32_t>(a));
    poll(static_cast<std::int64_t>(40 * ranked_.size()));
    std::sort(ranked_.begin(), ranked_.end(), [](const Ranked& a, const Ranked& b) {
      return costs_as_much(a, b) ? a.choice < b.choice : comes_first(a, b);
    });
    choices_[s] = {sorted_.size(), static_cast<std::int32_t>(ranked_.size())};
    for (const Ranked& one : ranked_) sorted_.push_back(one.choice);
  }
  bool has_choice(std::int32_t s, std::int32_t k) const { return k < choices_[s].count; }
  std::int32_t choice(std::int32_t s, std::int32_t k) const { return sorted_[choices_[s].begin + k]; }

 private:
  static constexpr std::int32_t unsorted = -1;
  struct Choices {
    std::size_t begin = 0;
    std::int32_t count = unsorted;
  };
  struct Ranked {
    double cost;
    std::int32_t words, choice;
  };

  const Lattice& lattice_;
  const std::vector<std::int64_t> arc_begin_;
  std::vector<Completion> best_;      // by state
  std::vector<Choices> choices_;      // by state
  std::vector<std::int32_t> sorted_;  // the choices of all states that are sorted
  std::vector<Ranked> ranked_;
};

// A* search (Hart, Nilsson & Raphael 1968) over prefixes of strings and states. The heuristic is the exact cost of the
// best completion, so the first path that waits is the next best path, and it is followed to its end at once. Each node
// on the way leaves its next choice waiting. A second path that reaches a state with the same words is dropped there:
// whatever follows, the first path is better.
template <Distinct distinct>
class NBestSearch {
 public:
  explicit NBestSearch(const Lattice& lattice) : lattice_(lattice), completions_(lattice) {}

  NBest run(std::int64_t most) {
    wait(add({0, none, stop, NgramTrie::root, 0, 0}));
    while (found() < most && !waiting_.empty()) {
      const std::int32_t end = follow(next());
      if (end != none) write(end);
    }
    return std::move(best_);
  }

 private:
  static constexpr std::int32_t none = -1;

  // The end of a path from the start. Its arcs are those of its parents, from the root on.
  struct Node {
    double cost;
    std::int32_t parent, arc;
    std::int32_t prefix;  // the words up to here, if strings are distinct
    std::int32_t arcs;
    std::int32_t choice;  // the index of the next choice to be followed from here
  };
  // The best path by the next choice of a node. A node waits once at most.
  struct Waiting {
    double cost;
    std::int32_t words, node;
  };

  std::int64_t found() const { return static_cast<std::int64_t>(best_.begin.size()) - 1; }

  std::int32_t state(const Node& node) const { return node.arc == stop ? 0 : lattice_.target[node.arc]; }
  std::int32_t words(const Node& node) const {
    return distinct == Distinct::strings ? prefixes_.length(node.prefix) : node.arcs;
  }
  std::int32_t next_choice(const Node& node) const { return completions_.choice(state(node), node.choice); }

  // Puts the next choice of a node among those that wait, if the node has one.
  void wait(std::int32_t number) {
    Node& node = nodes_[number];
    const std::int32_t s = state(node);
    while (completions_.has_choice(s, node.choice) && is_known(node, next_choice(node))) ++node.choice;
    if (!completions_.has_choice(s, node.choice)) return;
    const auto completion = completions_.beginning_with(s, next_choice(node));
    waiting_.push_back({node.cost + completion.cost, words(node) + completion.words, number});
    std::push_heap(waiting_.begin(), waiting_.end(), order());
  }

  std::int32_t next() {
    std::pop_heap(waiting_.begin(), waiting_.end(), order());
    const std::int32_t number = waiting_.back().node;
    waiting_.pop_back();
    return number;
  }

  // Follows the best path by the next choice of a node. Returns its last node, or `none` if a better path has the same
  // words.
  std::int32_t follow(std::int32_t number) {
    for (;;) {
      poll(100);
      const Node node = nodes_[number];
      const std::int32_t arc = next_choice(node);
      const bool adds_word = distinct == Distinct::strings && arc != stop && lattice_.label[arc] != 0;
      const std::int32_t prefix = adds_word ? prefixes_.add(node.prefix, lattice_.label[arc]) : node.prefix;
      const bool is_new = distinct == Distinct::paths || reached_.insert(prefix, reached_by(arc));
      ++nodes_[number].choice;
      wait(number);
      if (!is_new) return none;
      if (arc == stop) return number;
      number = add({node.cost + lattice_.cost[arc], number, arc, prefix, node.arcs + 1, 0});
    }
  }

  std::int32_t add(const Node& node) {
    if (nodes_.size() == std::numeric_limits<std::int32_t>::max()) throw too_many_partial_paths();
    nodes_.push_back(node);
    completions_.sort_choices(state(node));
    return static_cast<std::int32_t>(nodes_.size()) - 1;
  }

  // Returns where a choice leads: to a state, or behind all states.
  std::int32_t reached_by(std::int32_t arc) const { return arc == stop ? lattice_.states : lattice_.target[arc]; }

  // Returns whether a better path leads where a choice would, with the same words.
  bool is_known(const Node& node, std::int32_t arc) const {
    if (distinct == Distinct::paths) return false;
    const bool adds_word = arc != stop && lattice_.label[arc] != 0;
    const std::int32_t prefix = adds_word ? prefixes_.child(node.prefix, lattice_.label[arc]) : node.prefix;
    return prefix != NgramTrie::none && reached_.contains(prefix, reached_by(arc));
  }

  void write(std::int32_t end) {
    for (std::int32_t node = end; nodes_[node].parent != none; node = nodes_[node].parent)
      best_.arcs.push_back(nodes_[node].arc);
    std::reverse(best_.arcs.begin() + best_.begin.back(), best_.arcs.end());
    best_.begin.push_back(static_cast<std::int64_t>(best_.arcs.size()));
  }

  // A heap has its largest entry at the front, so the order is reversed.
  auto order() const {
    return [this](const Waiting& a, const Waiting& b) {
      return costs_as_much(a, b) ? has_smaller_arcs(b.node, a.node) : comes_first(b, a);
    };
  }

  // Compares the paths by the next choices of two nodes. They part behind the last node that they share, and the best
  // completions have the smallest arcs: so the arcs there decide.
  bool has_smaller_arcs(std::int32_t one, std::int32_t other) const {
    std::int32_t arc = next_choice(nodes_[one]), other_arc = next_choice(nodes_[other]);
    const auto step_back = [this](std::int32_t& node, std::int32_t& last) {
      last = nodes_[node].arc;
      node = nodes_[node].parent;
    };
    while (nodes_[one].arcs > nodes_[other].arcs) step_back(one, arc);
    while (nodes_[other].arcs > nodes_[one].arcs) step_back(other, other_arc);
    while (one != other) {
      step_back(one, arc);
      step_back(other, other_arc);
    }
    return arc < other_arc;
  }

  const Lattice& lattice_;
  Completions<distinct> completions_;
  std::vector<Node> nodes_;
  std::vector<Waiting> waiting_;  // a heap
  NgramTrie prefixes_;
  PairSet reached_;  // the states that were reached, each with the words before it
  NBest best_;
};

template <Distinct distinct>
NBest n_best(const Lattice& lattice, std::int64_t most) {
  if (lattice.arcs > std::numeric_limits<std::int32_t>::max()) throw TooLarge("the lattice has too many arcs; prune it");
  try {
    return NBestSearch<distinct>(lattice).run(most);
  } catch (const OverBudget&) {
    throw too_many_partial_paths();
  }
}

}  // namespace

NBest n_best_strings(const Lattice& lattice, std::int64_t most) { return n_best<Distinct::strings>(lattice, most); }

NBest n_best_paths(const Lattice& lattice, std::int64_t most) { return n_best<Distinct::paths>(lattice, most); }

}  // namespace latticemetric
