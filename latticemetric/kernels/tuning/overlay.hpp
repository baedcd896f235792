// The best weights for many graphs together: the overlay of their subdivisions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "tuning/geometry.hpp"
#include "tuning/tuned_graph.hpp"

namespace latticemetric {

// The cells of a graph, and a row of statistics for the text of each cell. Rows add up over graphs.
struct ScoredCells {
  std::vector<PathSums> sums;
  std::vector<Polygon> polygons;
  std::vector<double> rows;
};

// Returns for each pair of rows, `low` and `high`, a bound: no sums between them, column by column, have a larger
// merit. If both are equal, the bound is the merit.
using MeritBounds =
    std::function<std::vector<double>(const std::vector<double>& low, const std::vector<double>& high)>;

// How far to search.
struct OverlayLimits {
  double slack = 0;                // merits that differ by less are equal
  bool all_faces = false;          // find all faces of the largest merit, not one
  std::size_t most_faces = 1;      // keep so many faces
  double least_margin = 0;         // leave out regions around which strings change sooner, in shares of the box
  std::size_t most_boxes = 1;      // give up after so many boxes
};

// The weights of the largest merit.
struct BestWeights {
  double merit = 0;
  double bound = 0;                // no weights of the box have a larger merit; the merit, unless the search gave up
  std::vector<Polygon> faces;      // parts of the box with this merit
  std::size_t boxes = 0;           // how many were examined
};

class Overlay {
 public:
  // `columns` is the number of columns of statistics.
  Overlay(const WeightBox& box, std::size_t columns);

  void add(ScoredCells graph) { graphs_.push_back(std::move(graph)); }
  std::size_t size() const { return graphs_.size(); }
  std::size_t columns() const { return columns_; }
  const std::vector<ScoredCells>& graphs() const { return graphs_; }

  // Finds the best weights if graph g counts `counts[g]` times.
  BestWeights best(const std::vector<double>& counts, const MeritBounds& bounds, const OverlayLimits& limits) const;

  // Returns the cell of each graph that contains a point; of several, the first.
  std::vector<std::int32_t> cells_at(const WeightPoint& point) const;

  // Returns the part of the box in which each graph stays in its cell; an empty polygon if it has no area.
  Polygon common_part(const std::vector<std::int32_t>& cells) const;

 private:
  const WeightBox box_;  // over a unit that can be halved often
  const std::size_t columns_;
  std::vector<ScoredCells> graphs_;
};

}  // namespace latticemetric
