#include "graphs/inside_outside.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "memory/budget.hpp"

namespace latticemetric {
namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

// Replaces logarithms of weights by the weights' shares of their sum. Returns the logarithm of the sum.
double normalise(double* begin, double* end) {
  const double largest = *std::max_element(begin, end);
  double sum = 0;
  for (auto* share = begin; share < end; ++share) sum += *share = std::exp(*share - largest);
  for (auto* share = begin; share < end; ++share) *share /= sum;
  return largest + std::log(sum);
}

}  // namespace

// The pass upwards computes in logarithms, which do not underflow however large the costs are; the pass downwards
// computes in probabilities of edges, given their head. The log of the sum over a node's derivations is split into
// `best`, the log of the best derivation (a sum of costs), and `more`, by how much the log of the sum is larger, which
// is small. Kept apart, the small number is not rounded to the precision of the large one.
InsideOutside inside_outside(const Forest& graph) {
  const auto nodes = static_cast<std::size_t>(graph.nodes);
  InsideOutside result;
  std::vector<double> best(nodes, nothing), more(nodes, 0);
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
    more[v] = normalise(transition + begin, transition + end);
  }
  double best_goal = nothing;
  for (std::size_t v = 0; v < nodes; ++v) best_goal = std::max(best_goal, best[v] - graph.goal_cost[v]);
  result.ending.assign(nodes, nothing);
  for (std::size_t v = 0; v < nodes; ++v)
    if (std::isfinite(graph.goal_cost[v])) result.ending[v] = best[v] - graph.goal_cost[v] - best_goal + more[v];
  result.log_total = nothing;
  if (nodes > 0) result.log_total = best_goal + normalise(result.ending.data(), result.ending.data() + nodes);
  result.node = result.ending;
  for (auto e = graph.edges; e-- > 0;)
    for (auto k = graph.tail_begin[e]; k < graph.tail_begin[e + 1]; ++k)
      result.node[graph.tail[k]] += result.node[graph.head[e]] * transition[e];
  return result;
}

}  // namespace latticemetric
