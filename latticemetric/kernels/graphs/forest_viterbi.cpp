#include "graphs/forest_viterbi.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "memory/budget.hpp"

namespace latticemetric {

// Inside costs: of the cheapest derivation of a node. Outside costs: of the cheapest rest of a derivation around a
// node.
BestCostsThroughEdges best_costs_through_edges(const Forest& graph) {
  const auto nodes = static_cast<std::size_t>(graph.nodes);
  std::vector<double> inside(nodes, std::numeric_limits<double>::infinity());
  std::vector<double> outside(graph.goal_cost, graph.goal_cost + nodes);
  for (std::int64_t e = 0; e < graph.edges; ++e) {
    double cost = graph.cost[e];
    for (auto k = graph.tail_begin[e]; k < graph.tail_begin[e + 1]; ++k) cost += inside[graph.tail[k]];
    inside[graph.head[e]] = std::min(inside[graph.head[e]], cost);
  }
  BestCostsThroughEdges through{std::vector<double>(static_cast<std::size_t>(graph.edges)), std::vector<double>(nodes)};
  std::vector<double> after;   // after[k]: the inside costs of the tails from the k-th on
  for (auto e = graph.edges; e-- > 0;) {
    poll(20);
    const auto begin = graph.tail_begin[e], end = graph.tail_begin[e + 1];
    after.assign(static_cast<std::size_t>(end - begin) + 1, 0);
    for (auto k = end; k-- > begin;) after[k - begin] = after[k - begin + 1] + inside[graph.tail[k]];
    double around = outside[graph.head[e]] + graph.cost[e];
    through.edge[e] = around + after[0];
    for (auto k = begin; k < end; ++k) {
      auto& tail = outside[graph.tail[k]];
      tail = std::min(tail, around + after[k - begin + 1]);
      around += inside[graph.tail[k]];
    }
  }
  for (std::size_t v = 0; v < nodes; ++v) through.ending[v] = inside[v] + graph.goal_cost[v];
  return through;
}

}  // namespace latticemetric
