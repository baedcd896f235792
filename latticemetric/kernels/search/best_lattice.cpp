#include "search/best_lattice.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "memory/budget.hpp"
#include "search/best_product_path.hpp"

namespace latticemetric {
namespace {

// Determinizes best alignments by the subset construction, so that each path is accepted once, however many best
// alignments it has. Every product state is on some best path, so every subset is, too.
class Subsets {
 public:
  using Set = std::vector<std::size_t>;  // product states, ascending; each reference's follow those of the one before
  struct Step {
    std::int64_t arc;
    std::int32_t target;  // one of the sets of the arc's target
  };
  struct Node {
    bool ends = false;
    std::vector<Step> steps;  // sorted by arc
  };

  Subsets(const Lattice& lattice, std::vector<BestAlignments> alignments)
      : lattice_(lattice), alignments_(std::move(alignments)), sets_(static_cast<std::size_t>(lattice.states)) {
    offset_.push_back(0);
    for (const auto& one : alignments_) offset_.push_back(offset_.back() + one.ends.size());
  }

  // Returns the nodes of each state of the lattice.
  std::vector<std::vector<Node>> nodes() {
    Set start;
    for (std::size_t k = 0; k < alignments_.size(); ++k) start.push_back(offset_[k]);
    number(0, std::move(start));
    std::vector<std::vector<Node>> nodes(sets_.size());
    for (std::int32_t s = 0; s < lattice_.states; ++s) {
      nodes[s].resize(sets_[s].size());
      for (const auto& [set, at] : sets_[s]) fill(set, nodes[s][at]);
      sets_[s].clear();
    }
    return nodes;
  }

 private:
  std::int32_t number(std::int32_t s, Set set) {
    return sets_[s].emplace(std::move(set), static_cast<std::int32_t>(sets_[s].size())).first->second;
  }

  void fill(const Set& set, Node& node) {
    moves_.clear();
    reached_ = set;
    std::make_heap(reached_.begin(), reached_.end(), std::greater<>());
    for (std::size_t last = static_cast<std::size_t>(-1); !reached_.empty();) {
      std::pop_heap(reached_.begin(), reached_.end(), std::greater<>());
      const std::size_t state = reached_.back();
      reached_.pop_back();
      if (std::exchange(last, state) != state) leave(state, node);
    }
    std::sort(moves_.begin(), moves_.end());
    for (auto move = moves_.begin(); move != moves_.end();) {
      const std::int64_t a = move->first;
      Set next;
      for (; move != moves_.end() && move->first == a; ++move)
        if (next.empty() || next.back() != move->second) next.push_back(move->second);
      node.steps.push_back({a, number(lattice_.target[a], std::move(next))});
    }
  }

  void leave(std::size_t state, Node& node) {
    const auto k = std::upper_bound(offset_.begin(), offset_.end(), state) - offset_.begin() - 1;
    const BestAlignments& one = alignments_[k];
    const std::size_t q = state - offset_[k];
    poll(20 + static_cast<std::int64_t>(one.first[q + 1] - one.first[q]));
    node.ends = node.ends || one.ends[q];
    for (auto t = one.first[q]; t < one.first[q + 1]; ++t) {
      const std::size_t target = one.target[t] + offset_[k];
      if (one.arc[t] != silent) {
        moves_.emplace_back(one.arc[t], target);
      } else {
        reached_.push_back(target);
        std::push_heap(reached_.begin(), reached_.end(), std::greater<>());
      }
    }
  }

  const Lattice& lattice_;
  const std::vector<BestAlignments> alignments_;
  std::vector<std::size_t> offset_;                     // by reference: where its product states begin
  std::vector<std::map<Set, std::int32_t>> sets_;       // by lattice state: its subsets, until their nodes are filled
  std::vector<std::pair<std::int64_t, std::size_t>> moves_;
  Set reached_;
};

// Merges nodes of the same lattice state that have the same future.
BestLattice merged(const Lattice& lattice, const std::vector<std::vector<Subsets::Node>>& nodes) {
  using Future = std::pair<bool, std::vector<std::pair<std::int64_t, std::int32_t>>>;  // it ends; arcs, targets
  std::vector<std::pair<std::int32_t, Future>> states;  // from the last state of the lattice to the first
  std::vector<std::vector<std::int32_t>> number(nodes.size());
  for (auto s = lattice.states; s-- > 0;) {
    std::map<Future, std::int32_t> known;
    for (const auto& node : nodes[s]) {
      Future future{node.ends, {}};
      poll(static_cast<std::int64_t>(20 + 4 * node.steps.size()));
      for (const auto& step : node.steps)
        future.second.emplace_back(step.arc, number[lattice.target[step.arc]][step.target]);
      const auto [found, is_new] = known.emplace(std::move(future), static_cast<std::int32_t>(states.size()));
      if (is_new) states.emplace_back(s, found->first);
      number[s].push_back(found->second);
    }
  }
  BestLattice best;
  const auto last = static_cast<std::int32_t>(states.size()) - 1;
  for (std::int32_t k = last; k >= 0; --k) {
    const auto& [s, future] = states[k];
    best.state.push_back(s);
    best.ends.push_back(future.first);
    for (const auto& [arc, target] : future.second) {
      best.source.push_back(last - k);
      best.target.push_back(last - target);
      best.arc.push_back(arc);
    }
  }
  return best;
}

}  // namespace

BestLattice best_lattice(const Lattice& lattice, const std::vector<std::vector<std::int32_t>>& references, Gains gains,
                         SearchMethod method) {
  std::vector<BestAlignments> alignments;
  for (const auto& reference : references)
    alignments.push_back(best_alignments(lattice, reference.data(), static_cast<std::int32_t>(reference.size()), gains,
                                         method));
  return merged(lattice, Subsets(lattice, std::move(alignments)).nodes());
}

}  // namespace latticemetric
