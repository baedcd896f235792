#include "tuning/tuned_graph.hpp"

#include <cstddef>

#include "memory/budget.hpp"

namespace latticemetric {
namespace {

// Adds edges to the last node, which must be complete before the next one begins.
class Builder {
 public:
  Builder(std::int64_t arcs, const std::array<UnitColumn, 3>& columns) : arcs_(arcs), columns_(columns) {
    graph_.begin.push_back(0);
    graph_.tail_begin.push_back(0);
  }

  void add_tail(std::int32_t node) { graph_.tail.push_back(node); }

  // Ends an edge. `row` is the arc, or the number of arcs plus that of the end.
  void add_edge(std::int64_t row, double words) {
    poll(8);
    graph_.tail_begin.push_back(static_cast<std::int64_t>(graph_.tail.size()));
    graph_.words.push_back(words);
    graph_.origin.push_back(row < arcs_ ? row : arcs_ - row - 1);
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const auto cost = columns_[k][static_cast<std::size_t>(row)];
      graph_.cost[k].push_back(cost);
      graph_.rough[k].push_back(static_cast<double>(cost));
    }
  }

  void end_node() { graph_.begin.push_back(static_cast<std::int64_t>(graph_.origin.size())); }

  TunedGraph taken() { return std::move(graph_); }

 private:
  const std::int64_t arcs_;
  const std::array<UnitColumn, 3>& columns_;
  TunedGraph graph_;
};

}  // namespace

// Nodes are states from the last to the first. So the search goes from final states to the start, and the choices of
// the start come first. A path that ends is preferred to those that go on, as in `best_path`.
TunedGraph tuned_graph(const Lattice& lattice, const std::vector<std::int32_t>& finals,
                             const std::array<UnitColumn, 3>& columns) {
  std::vector<std::int64_t> end_of(static_cast<std::size_t>(lattice.states), -1);
  for (std::size_t k = 0; k < finals.size(); ++k) end_of[finals[k]] = static_cast<std::int64_t>(k);
  const auto begin = arc_begins(lattice);
  Builder builder(lattice.arcs, columns);
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

TunedGraph tuned_graph(const Forest& forest, const std::vector<std::int32_t>& goals,
                             const std::array<UnitColumn, 3>& columns) {
  Builder builder(forest.edges, columns);
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

}  // namespace latticemetric
