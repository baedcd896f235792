#include "tuning/tuned_graph.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "memory/budget.hpp"

namespace latticemetric {
namespace {

// Adds edges to the last node, which must be complete before the next one begins.
class Builder {
 public:
  Builder(std::int64_t arcs, std::size_t ends) {
    graph_.arcs = arcs;
    graph_.ends = static_cast<std::int64_t>(ends);
    graph_.begin.push_back(0);
    graph_.tail_begin.push_back(0);
  }

  void add_tail(std::int32_t node) { graph_.tail.push_back(node); }

  // Ends an edge.
  void add_edge(std::int64_t origin, double words) {
    poll(4);
    graph_.tail_begin.push_back(static_cast<std::int64_t>(graph_.tail.size()));
    graph_.words.push_back(words);
    graph_.origin.push_back(origin);
  }

  void end_node() { graph_.begin.push_back(static_cast<std::int64_t>(graph_.origin.size())); }

  TunedGraph taken() { return std::move(graph_); }

 private:
  TunedGraph graph_;
};

}  // namespace

// Nodes are states from the last to the first. So the search goes from final states to the start, and the choices of
// the start come first. A path that ends is preferred to those that go on, as in `best_path`.
TunedGraph tuned_graph(const Lattice& lattice, const std::vector<std::int32_t>& finals) {
  std::vector<std::int64_t> end_of(static_cast<std::size_t>(lattice.states), -1);
  for (std::size_t k = 0; k < finals.size(); ++k) end_of[finals[k]] = static_cast<std::int64_t>(k);
  const auto begin = arc_begins(lattice);
  Builder builder(lattice.arcs, finals.size());
  for (std::int32_t s = lattice.states - 1; s >= 0; --s) {
    if (end_of[s] >= 0) builder.add_edge(lattice.arcs + end_of[s], 0);
    for (auto a = begin[s]; a < begin[s + 1]; ++a) {
      builder.add_tail(lattice.states - 1 - lattice.target[a]);
      builder.add_edge(a, lattice.is_word[a]);
    }
    builder.end_node();
  }
  return builder.taken();
}

TunedGraph tuned_graph(const Forest& forest, const std::vector<std::int32_t>& goals) {
  Builder builder(forest.edges, goals.size());
  std::int64_t e = 0;
  for (std::int32_t v = 0; v < forest.nodes; ++v) {
    for (; e < forest.edges && forest.head[e] == v; ++e) {
      // In the order of the target side, which is that of edges in preorder.
      for (auto k = forest.target_begin[e]; k < forest.target_begin[e + 1]; ++k)
        if (forest.target[k] < 0) builder.add_tail(forest.tail[forest.tail_begin[e] - forest.target[k] - 1]);
      builder.add_edge(e, static_cast<double>(forest.words[e]));
    }
    builder.end_node();
  }
  for (std::size_t k = 0; k < goals.size(); ++k) {
    builder.add_tail(goals[k]);
    builder.add_edge(forest.edges + static_cast<std::int64_t>(k), 0);
  }
  builder.end_node();
  return builder.taken();
}

double largest_sum(const TunedGraph& graph, const double* column) {
  std::vector<double> largest(static_cast<std::size_t>(graph.nodes()), 0);
  for (std::int32_t v = 0; v < graph.nodes(); ++v)
    for (auto e = graph.begin[v]; e < graph.begin[v + 1]; ++e) {
      poll(4);
      double sum = std::fabs(column[graph.origin[e]]);
      for (auto t = graph.tail_begin[e]; t < graph.tail_begin[e + 1]; ++t) sum += largest[graph.tail[t]];
      largest[v] = std::max(largest[v], sum);
    }
  return largest[graph.goal()];
}

EdgeCosts::EdgeCosts(const TunedGraph& graph, const UnitColumns& columns) {
  const auto edges = static_cast<std::size_t>(graph.edges());
  poll(static_cast<std::int64_t>(6 * edges));
  for (std::size_t k = 0; k < columns.size(); ++k) {
    exact[k].resize(edges);
    rough[k].resize(edges);
    for (std::size_t e = 0; e < edges; ++e) {
      exact[k][e] = columns[k][graph.origin[e]];
      rough[k][e] = static_cast<double>(exact[k][e]);
    }
  }
}

}  // namespace latticemetric
