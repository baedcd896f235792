// The best path of a graph for all weights of a box: a subdivision into convex cells with one path each.
//
// The least cost of a path is a concave function of the weights. It lies below the costs of any paths that are known.
// If the cheapest known path of a cell is the cheapest path of all at each corner of the cell, then it is so in the
// whole cell. Each corner where it is not gives a new path, so the search ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tuning/geometry.hpp"
#include "tuning/tuned_graph.hpp"

namespace latticemetric {

// A part of the box in which a path is the cheapest. Inside, all cheapest paths have the same sums.
struct WeightCell {
  PathSums sums;
  Polygon polygon;
  std::vector<std::int64_t> path;  // the edges of the path inside, by the tie rule; from the goal on
};

// Returns the cells, which fill the box. Throws `TooLarge` if there are more than `most_cells`.
std::vector<WeightCell> subdivision(const TunedGraph& graph, const UnitColumns& columns, const WeightBox& box,
                                    std::size_t most_cells);

// A part of a line of weights (x, 0) in which a path is the cheapest; it ends at `end.x / end.w`.
struct WeightSegment {
  PathSums sums;
  WeightPoint end;
  std::vector<std::int64_t> path;
};

// Returns the segments from `low_x` to `high_x`, over `unit`. The third column is 0.
std::vector<WeightSegment> segments(const TunedGraph& graph, const UnitColumns& columns, std::int64_t low_x,
                                    std::int64_t high_x, std::int64_t unit, std::size_t most_segments);

}  // namespace latticemetric
