#include "graphs/best_derivation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "graphs/derivations.hpp"
#include "graphs/tie_order.hpp"
#include "memory/budget.hpp"

namespace latticemetric {
namespace {

struct DerivationCost {
  double cost = std::numeric_limits<double>::infinity();
  double words = 0;  // a double: shared nodes can make the count larger than any integer type
  std::int64_t edge = -1;
  bool operator<(const DerivationCost& other) const {
    return edge >= 0 && (other.edge < 0 || comes_first(*this, other));
  }
};

}  // namespace

double largest_cost(const Forest& graph) {
  std::vector<double> largest(graph.nodes, 0);
  for (std::int64_t e = 0; e < graph.edges; ++e) {
    double cost = std::fabs(graph.cost[e]);
    for (auto k = graph.tail_begin[e]; k < graph.tail_begin[e + 1]; ++k) cost += largest[graph.tail[k]];
    largest[graph.head[e]] = std::max(largest[graph.head[e]], cost);
  }
  double all = 0;
  for (std::int32_t v = 0; v < graph.nodes; ++v)
    all = std::max(all, largest[v] + (std::isfinite(graph.goal_cost[v]) ? std::fabs(graph.goal_cost[v]) : 0));
  return all;
}

double most_words(const Forest& graph) {
  std::vector<double> most(graph.nodes, 0);
  double all = 0;
  for (std::int64_t e = 0; e < graph.edges; ++e) {
    auto words = static_cast<double>(graph.words[e]);
    for (auto k = graph.tail_begin[e]; k < graph.tail_begin[e + 1]; ++k) words += most[graph.tail[k]];
    most[graph.head[e]] = std::max(most[graph.head[e]], words);
    all = std::max(all, words);
  }
  return all;
}

// Edges are visited in ascending order, and an edge replaces an earlier one only if it is better. So among ties, the
// smallest edges stay.
std::vector<std::int64_t> best_derivation(const Forest& graph) {
  std::vector<DerivationCost> best(graph.nodes);
  for (std::int64_t e = 0; e < graph.edges; ++e) {
    poll(10);
    DerivationCost derivation{graph.cost[e], static_cast<double>(graph.words[e]), e};
    for (auto k = graph.target_begin[e]; k < graph.target_begin[e + 1]; ++k) {
      if (graph.target[k] > 0) continue;
      const DerivationCost& tail = best[graph.tail[graph.tail_begin[e] - graph.target[k] - 1]];
      derivation.cost += tail.cost;
      derivation.words += tail.words;
    }
    if (derivation < best[graph.head[e]]) best[graph.head[e]] = derivation;
  }
  DerivationCost root;
  for (std::int32_t v = 0; v < graph.nodes; ++v) {
    if (!std::isfinite(graph.goal_cost[v])) continue;
    DerivationCost derivation = best[v];
    derivation.cost += graph.goal_cost[v];
    if (derivation < root) root = derivation;
  }
  std::vector<std::int64_t> edges;
  std::vector<std::int64_t> pending;
  if (root.edge >= 0) pending.push_back(root.edge);
  while (!pending.empty()) {
    const auto e = pending.back();
    pending.pop_back();
    edges.push_back(e);
    require_writable(edges.size());
    for (auto k = graph.target_begin[e + 1]; k > graph.target_begin[e]; --k)
      if (graph.target[k - 1] < 0)
        pending.push_back(best[graph.tail[graph.tail_begin[e] - graph.target[k - 1] - 1]].edge);
  }
  return edges;
}

}  // namespace latticemetric
