#include "tuning/weight_map.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "memory/budget.hpp"

namespace latticemetric {
namespace {

// The middles of the n equal parts of each side of a box: point k is (first + k step) / unit.
struct GridAxes {
  Int128 first_x, step_x, first_y, step_y, unit;
  std::int64_t n;

  GridAxes(const WeightBox& box, std::size_t parts) : n(static_cast<std::int64_t>(parts)) {
    const Int128 width = box.high_x - box.low_x, height = box.high_y - box.low_y;
    first_x = 2 * n * static_cast<Int128>(box.low_x) + width;
    first_y = 2 * n * static_cast<Int128>(box.low_y) + height;
    step_x = 2 * width;
    step_y = 2 * height;
    unit = 2 * n * static_cast<Int128>(box.unit);
  }
};

// A part of a row of the grid in a cell: the points from `begin` to `end`, both inside or on the border.
struct GridRun {
  std::int64_t begin, end;
  std::size_t cell;

  bool operator<(const GridRun& other) const {
    return std::tie(begin, end, cell) < std::tie(other.begin, other.end, other.cell);
  }
};

// Returns the largest integer that is at most a / b, where b > 0.
Int128 floor_of(Int128 a, Int128 b) { return a / b - (a % b < 0 ? 1 : 0); }

// Returns the points of row j in a polygon; `end` is before `begin` if there are none.
GridRun run_in(const Polygon& polygon, const GridAxes& axes, std::int64_t j) {
  Int128 begin = 0, end = axes.n - 1;
  for (const auto& edge : polygon.edges) {
    const Int128 slope = edge.a * axes.step_x;
    const Int128 start =
        edge.a * axes.first_x + edge.b * (axes.first_y + j * axes.step_y) + edge.c * axes.unit;
    if (slope > 0)
      begin = std::max(begin, -floor_of(start, slope));
    else if (slope < 0)
      end = std::min(end, floor_of(start, -slope));
    else if (start < 0)
      return {0, -1, 0};
  }
  return {static_cast<std::int64_t>(std::min<Int128>(begin, axes.n)), static_cast<std::int64_t>(std::max<Int128>(end, -1)), 0};
}

// Cuts the sorted runs of a row so that each point has one, that of the first cell.
void cut_overlaps(std::vector<GridRun>& runs, std::int64_t n) {
  std::int64_t points = 0;
  for (const auto& run : runs) points += run.end - run.begin + 1;
  if (points == n) return;
  std::vector<std::size_t> first(static_cast<std::size_t>(n), SIZE_MAX);
  for (const auto& run : runs)
    for (auto k = run.begin; k <= run.end; ++k) {
      auto& cell = first[static_cast<std::size_t>(k)];
      cell = std::min(cell, run.cell);
    }
  runs.clear();
  for (std::int64_t k = 0; k < n; ++k) {
    const auto cell = first[static_cast<std::size_t>(k)];
    if (!runs.empty() && runs.back().cell == cell)
      runs.back().end = k;
    else
      runs.push_back({k, k, cell});
  }
}

struct CornerPair {
  WeightPoint from, to;

  bool operator==(const CornerPair& other) const { return from == other.from && to == other.to; }
};

struct HashOfCorners {
  std::size_t operator()(const CornerPair& pair) const {
    return HashOfPoint()(pair.from) * 1000003 ^ HashOfPoint()(pair.to);
  }
};

// The rows of the grid that a polygon may touch.
std::pair<std::int64_t, std::int64_t> rows_of(const Polygon& polygon, const GridAxes& axes) {
  const double unit = static_cast<double>(axes.unit), first = static_cast<double>(axes.first_y) / unit,
               step = static_cast<double>(axes.step_y) / unit;
  double low = INFINITY, high = -INFINITY;
  for (const auto& corner : polygon.corners) {
    low = std::min(low, (corner.second() - first) / step);
    high = std::max(high, (corner.second() - first) / step);
  }
  const auto within = [&](double row) {
    return static_cast<std::int64_t>(std::clamp(row, 0.0, static_cast<double>(axes.n - 1)));
  };
  return {within(std::floor(low) - 1), within(std::ceil(high) + 1)};
}

}  // namespace

std::vector<double> sums_on_grid(const std::vector<ScoredCells>& graphs, std::size_t columns, const WeightBox& box,
                                 std::size_t n) {
  const GridAxes axes(box, n);
  // Where a row of statistics begins and ends along the first weight, then the sums.
  const std::size_t width = (n + 1) * columns;
  std::vector<double> changes(n * width, 0.0);
  std::vector<std::vector<GridRun>> runs(n);
  for (const auto& graph : graphs) {
    for (auto& row : runs) row.clear();
    for (std::size_t cell = 0; cell < graph.polygons.size(); ++cell) {
      const auto [low, high] = rows_of(graph.polygons[cell], axes);
      poll(20 * (high - low + 1) * static_cast<std::int64_t>(graph.polygons[cell].size()));
      for (auto j = low; j <= high; ++j) {
        GridRun run = run_in(graph.polygons[cell], axes, j);
        run.cell = cell;
        if (run.begin <= run.end) runs[static_cast<std::size_t>(j)].push_back(run);
      }
    }
    for (std::size_t j = 0; j < n; ++j) {
      std::sort(runs[j].begin(), runs[j].end());
      cut_overlaps(runs[j], axes.n);
      for (const auto& run : runs[j]) {
        const double* const row = graph.rows.data() + run.cell * columns;
        double* const begin = changes.data() + j * width + static_cast<std::size_t>(run.begin) * columns;
        double* const end = changes.data() + j * width + static_cast<std::size_t>(run.end + 1) * columns;
        for (std::size_t c = 0; c < columns; ++c) {
          begin[c] += row[c];
          end[c] -= row[c];
        }
      }
    }
  }
  std::vector<double> sums(n * n * columns);
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<double> sum(columns, 0.0);
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t c = 0; c < columns; ++c)
        sums[(j * n + k) * columns + c] = sum[c] += changes[j * width + k * columns + c];
  }
  return sums;
}

std::vector<Border> borders(const std::vector<ScoredCells>& graphs, std::size_t columns, std::size_t most) {
  std::vector<Border> found;
  for (const auto& graph : graphs) {
    std::unordered_map<CornerPair, std::size_t, HashOfCorners> cells;  // the first cell of each edge
    for (std::size_t cell = 0; cell < graph.polygons.size(); ++cell) {
      const Polygon& polygon = graph.polygons[cell];
      poll(100 * static_cast<std::int64_t>(polygon.size()));
      for (std::size_t e = 0; e < polygon.size(); ++e) {
        const WeightPoint from = reduced(polygon.corners[e]), to = reduced(polygon.corners[(e + 1) % polygon.size()]);
        const auto other = cells.find({to, from});  // the neighbour goes round the other way
        if (other == cells.end()) {
          cells.emplace(CornerPair{from, to}, cell);
          continue;
        }
        const double* const row = graph.rows.data() + cell * columns;
        if (std::equal(row, row + columns, graph.rows.data() + other->second * columns)) continue;
        if (found.size() == most) return found;
        found.push_back({from.first(), from.second(), to.first(), to.second()});
      }
    }
  }
  return found;
}

}  // namespace latticemetric
