// The cheapest path of a graph at exact weights.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tuning/tuned_graph.hpp"

namespace latticemetric {

// A direction in the plane. Of paths that cost the same at a point, it asks for one that costs least just beside it.
struct Direction {
  int x = 0, y = 0;
};

// Searches in doubles, then decides in integers: only edges that lie on a path within the rounding error of the best
// can lie on the best path.
class CertifiedSearch {
 public:
  // Throws `TooLarge` if sums of costs of a path have more than `sum_bits` bits.
  CertifiedSearch(const TunedGraph& graph, const EdgeCosts& costs, int sum_bits);

  // Searches at a point, in doubles. Returns the costs of a path that is nearly the best.
  PathSums roughly_best(const WeightPoint& point);

  // Finds the cheapest path at the point of the last search in doubles; see `TunedGraph` for ties, which a direction
  // decides before.
  PathSums best(Direction direction = {});

  // Returns the edges of the path that `best` found, from the goal on.
  std::vector<std::int64_t> edges() const;

 private:
  // What is known of the best derivation of a node among the edges that are kept.
  struct Derivation {
    Int128 cost;
    std::int64_t slope;
    double words;
    std::int64_t edge;

    bool comes_before(const Derivation& other) const {
      if (cost != other.cost) return cost < other.cost;
      return slope != other.slope ? slope < other.slope : words < other.words;
    }
  };

  void keep_near(double limit);
  bool has_tails(std::int64_t edge) const;
  Derivation derivation_by(std::int64_t edge, Direction direction) const;
  template <typename EdgeOf>
  PathSums sums_along(const EdgeOf& edge_of, std::vector<std::int64_t>* edges) const;
  double rough_cost(std::int64_t edge) const;

  const TunedGraph& graph_;
  const EdgeCosts& costs_;
  std::array<double, 3> largest_{};  // of each column: the largest sum of absolute costs of a path
  double longest_ = 0;               // the largest number of edges of a path
  WeightPoint point_{0, 0, 1};
  double x_ = 0, y_ = 0;
  std::vector<double> inside_, outside_;   // by node: the cost of its best derivation, and the least of the rest
  std::vector<std::int64_t> choice_;       // by node: the edge that the search in doubles chose
  std::vector<std::vector<std::int64_t>> kept_;  // by node: the edges near the best
  std::vector<std::int32_t> reached_;      // the nodes with kept edges, from the goal on
  std::vector<Derivation> found_;          // by node, if it is reached
};

}  // namespace latticemetric
