// Graphs whose costs depend on two weights.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "graphs/forest.hpp"
#include "graphs/lattice.hpp"
#include "tuning/geometry.hpp"

namespace latticemetric {

// The costs of a path in units: it costs c[0] + x c[1] + y c[2] at the weights x and y.
struct PathSums {
  std::array<std::int64_t, 3> c{};

  // Returns the cost at a point times the point's `w`.
  Int128 at(const WeightPoint& point) const { return point.w * c[0] + point.x * c[1] + point.y * c[2]; }
  // Returns the half-plane in which this path costs at most as much as another one.
  HalfPlane no_more_than(const PathSums& other) const {
    return reduced(HalfPlane{other.c[1] - c[1], other.c[2] - c[2], other.c[0] - c[0]});
  }
  bool operator==(const PathSums& other) const { return c == other.c; }
};

// A lattice or forest for searches from the end of paths to their start, or from leaves to the goal: each node has
// edges to smaller nodes, the last node is the goal. Among equal derivations, those with fewer words come first, then
// those whose edges come first, from the goal on.
struct TunedGraph {
  std::vector<std::int64_t> begin;       // the first edge of each node, and the end of the last
  std::vector<std::int64_t> tail_begin;  // the first tail of each edge, and the end of the last
  std::vector<std::int32_t> tail;
  std::vector<double> words;             // of each edge
  std::vector<std::int64_t> origin;      // the arc (edge) of the graph; the number of arcs plus k for its k-th end
  std::int64_t arcs = 0, ends = 0;       // of the graph

  std::int32_t nodes() const { return static_cast<std::int32_t>(begin.size()) - 1; }
  std::int64_t edges() const { return begin.back(); }
  std::int32_t goal() const { return nodes() - 1; }
  // Returns how many costs each column has: by arc (edge), then by end.
  std::int64_t rows() const { return arcs + ends; }
};

// Returns the graph of a lattice's paths. `finals` are its final states, in the order of the columns' last values.
TunedGraph tuned_graph(const Lattice& lattice, const std::vector<std::int32_t>& finals);

// Returns the graph of a forest's derivations. `goals` are its goals, in the order of the columns' last values.
TunedGraph tuned_graph(const Forest& forest, const std::vector<std::int32_t>& goals);

// Returns the largest sum of absolute costs of a path.
double largest_sum(const TunedGraph& graph, const double* column);

// The columns of costs of a graph, in units.
using UnitColumns = std::array<const std::int64_t*, 3>;

// The costs of the edges of a graph.
struct EdgeCosts {
  EdgeCosts(const TunedGraph& graph, const UnitColumns& columns);

  std::array<std::vector<std::int64_t>, 3> exact;
  std::array<std::vector<double>, 3> rough;  // the same costs, for searches in doubles

  PathSums sums(std::int64_t edge) const {
    const auto e = static_cast<std::size_t>(edge);
    return {{exact[0][e], exact[1][e], exact[2][e]}};
  }
};

}  // namespace latticemetric
