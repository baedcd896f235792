#include "graphs/inside_outside.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "graphs/log_sums.hpp"
#include "memory/budget.hpp"

namespace latticemetric {

// The pass upwards computes in logarithms, which do not underflow however large the costs are; the pass downwards
// computes in probabilities of edges, given their head.
InsideOutside inside_outside(const Forest& graph) {
  const auto nodes = static_cast<std::size_t>(graph.nodes);
  InsideOutside result;
  LogSums sums(nodes);
  auto &best = sums.best, &more = sums.more;
  result.transition.resize(static_cast<std::size_t>(graph.edges));
  auto* const transition = result.transition.data();
  std::vector<double> sum(static_cast<std::size_t>(graph.edges));
  std::int64_t end = 0;
  for (std::int32_t v = 0; v < graph.nodes; ++v) {
    poll(50);
    const auto begin = end;
    for (; end < graph.edges && graph.head[end] == v; ++end) {
      sum[end] = -graph.cost[end];
      for (auto k = graph.tail_begin[end]; k < graph.tail_begin[end + 1]; ++k) sum[end] += best[graph.tail[k]];
      best[v] = std::max(best[v], sum[end]);
    }
    if (begin == end) continue;
    for (auto e = begin; e < end; ++e) {
      transition[e] = sum[e] - best[v];
      for (auto k = graph.tail_begin[e]; k < graph.tail_begin[e + 1]; ++k) transition[e] += more[graph.tail[k]];
    }
    more[v] = take_shares(transition + begin, transition + end);
  }
  double best_goal = log_of_nothing;
  for (std::size_t v = 0; v < nodes; ++v) best_goal = std::max(best_goal, best[v] - graph.goal_cost[v]);
  result.ending.assign(nodes, log_of_nothing);
  for (std::size_t v = 0; v < nodes; ++v)
    if (std::isfinite(graph.goal_cost[v])) result.ending[v] = best[v] - graph.goal_cost[v] - best_goal + more[v];
  result.log_total = log_of_nothing;
  if (nodes > 0) result.log_total = best_goal + take_shares(result.ending.data(), result.ending.data() + nodes);
  result.node = result.ending;
  for (auto e = graph.edges; e-- > 0;)
    for (auto k = graph.tail_begin[e]; k < graph.tail_begin[e + 1]; ++k)
      result.node[graph.tail[k]] += result.node[graph.head[e]] * transition[e];
  return result;
}

}  // namespace latticemetric
