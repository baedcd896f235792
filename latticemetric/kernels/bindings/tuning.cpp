// Python bindings of searches for the best weights of score columns.
#include <nanobind/stl/array.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "bindings/binding.hpp"
#include "bindings/graphs.hpp"
#include "tuning/line_sums.hpp"
#include "tuning/overlay.hpp"
#include "tuning/subdivision.hpp"
#include "tuning/tuned_graph.hpp"
#include "tuning/weight_map.hpp"

namespace latticemetric {
namespace {

using namespace nb::literals;

constexpr std::int64_t largest_in_plane = std::int64_t{1} << plane_sum_bits,
                       largest_on_line = std::int64_t{1} << line_sum_bits;

constexpr std::size_t most_grid_points = 1 << 12;  // along a side

// The arcs (edges) of the paths of cells or segments, and where each path begins.
struct PathRows {
  std::vector<std::int64_t> arcs, begin{0};

  void add(const TunedGraph& graph, const std::vector<std::int64_t>& path) {
    for (const auto edge : path) {
      const auto origin = graph.origin[static_cast<std::size_t>(edge)];
      if (origin < graph.arcs) arcs.push_back(origin);
    }
    begin.push_back(static_cast<std::int64_t>(arcs.size()));
  }

  nb::tuple taken() { return nb::make_tuple(column(std::move(arcs)), column(std::move(begin))); }
};

void require_range(std::int64_t low, std::int64_t high, std::int64_t unit, std::int64_t largest = largest_in_plane) {
  require(unit > 0 && unit < largest, "the unit of weights must be positive and small");
  require(low < high && low > -largest && high < largest, "a range of weights is empty or too large");
}

// The cells of a graph in a box of weights.
class NativeCells {
 public:
  // `graph` is the one whose cells these are.
  NativeCells(const TunedGraph& graph, const WeightBox& box, std::vector<WeightCell> cells)
      : box_(box), cells_(std::move(cells)) {
    for (const auto& cell : cells_) rows_.add(graph, cell.path);
    for (auto& cell : cells_) cell.path = {};
  }

  std::size_t size() const { return cells_.size(); }
  const WeightBox& box() const { return box_; }
  const std::vector<WeightCell>& view() const { return cells_; }

  Output<std::int64_t> sums() const {
    std::vector<std::int64_t> values;
    for (const auto& cell : cells_) values.insert(values.end(), cell.sums.c.begin(), cell.sums.c.end());
    return to_numpy(std::move(values), {cells_.size(), 3});
  }

  nb::tuple paths() const { return PathRows(rows_).taken(); }

  // Returns the half-planes of all cells, and where those of each cell begin.
  nb::tuple edges() const {
    std::vector<std::int64_t> values, begin{0};
    for (const auto& cell : cells_) {
      for (const auto& edge : cell.polygon.edges) values.insert(values.end(), {edge.a, edge.b, edge.c});
      begin.push_back(static_cast<std::int64_t>(values.size() / 3));
    }
    const auto rows = values.size() / 3;
    return nb::make_tuple(to_numpy(std::move(values), {rows, 3}), column(std::move(begin)));
  }

  // Returns the corners of all cells, in the order of edges, rounded.
  Output<double> corners() const {
    std::vector<double> values;
    for (const auto& cell : cells_)
      for (const auto& corner : cell.polygon.corners) values.insert(values.end(), {corner.first(), corner.second()});
    const auto rows = values.size() / 2;
    return to_numpy(std::move(values), {rows, 2});
  }

 private:
  const WeightBox box_;
  std::vector<WeightCell> cells_;
  PathRows rows_;
};

// Subdivisions of the same box.
class NativeOverlay {
 public:
  NativeOverlay(const std::array<std::int64_t, 5>& box, std::size_t columns)
      : given_(box), overlay_({box[0], box[1], box[2], box[3], box[4]}, columns) {
    require_range(box[0], box[1], box[4]);
    require_range(box[2], box[3], box[4]);
    require(columns > 0, "statistics have a column");
  }

  void add(const NativeCells& cells, nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> rows) {
    const auto& box = cells.box();
    require(given_ == std::array<std::int64_t, 5>{box.low_x, box.high_x, box.low_y, box.high_y, box.unit},
            "the subdivisions are of different boxes");
    require(rows.shape(0) == cells.size() && rows.shape(1) == overlay_.columns(), "a row of statistics is missing");
    ScoredCells graph;
    for (const auto& cell : cells.view()) {
      graph.sums.push_back(cell.sums);
      graph.polygons.push_back(cell.polygon);
    }
    graph.rows.assign(rows.data(), rows.data() + rows.size());
    for (const double value : graph.rows) require(std::fabs(value) <= DBL_MAX, "a statistic is not a finite number");
    overlay_.add(std::move(graph));
  }

  // Returns the merit, its bound, the number of boxes, and for each face: the cells of the graphs, and the corners of
  // the part in which they stay the same.
  nb::tuple best(Input<double> counts, const nb::object& bounds, double slack, bool all_faces, std::size_t most_faces,
                 double least_margin, std::size_t most_boxes) const {
    require(counts.size() == overlay_.size(), "each graph needs a count");
    for (std::size_t g = 0; g < counts.size(); ++g)
      require(counts.data()[g] >= 0 && counts.data()[g] <= DBL_MAX, "a count is negative or not finite");
    const std::vector<double> weights(counts.data(), counts.data() + counts.size());
    const auto bounds_of = [&](const std::vector<double>& low, const std::vector<double>& high) {
      const TakenGil taken;
      const std::size_t rows = low.size() / overlay_.columns();
      const auto as_rows = [&](const std::vector<double>& values) {
        return nb::cast(to_numpy(std::vector<double>(values), {rows, overlay_.columns()}));
      };
      const auto found = nb::cast<Input<double>>(bounds(as_rows(low), as_rows(high)));
      require(found.size() == rows, "each row needs a bound");
      return std::vector<double>(found.data(), found.data() + rows);
    };
    BestWeights found;
    std::vector<std::vector<std::int32_t>> cells;
    std::vector<Polygon> parts;
    {
      const KernelScope running;
      found = overlay_.best(weights, bounds_of, {slack, all_faces, most_faces, least_margin, most_boxes});
      for (const auto& face : found.faces) {
        cells.push_back(overlay_.cells_at(face.inside()));
        parts.push_back(overlay_.common_part(cells.back()));
      }
    }
    nb::list faces;
    for (std::size_t k = 0; k < parts.size(); ++k)
      faces.append(nb::make_tuple(column(std::move(cells[k])), corners_of(parts[k])));
    return nb::make_tuple(found.merit, found.bound, found.boxes, faces);
  }

  // Returns the corners of the part around the point (x / unit, y / unit) in which the cells of all graphs stay the
  // same; none if the point is where they change.
  Output<double> region(std::int64_t x, std::int64_t y, std::int64_t unit) const {
    require(unit > 0, "the unit of weights must be positive");
    Polygon part;
    {
      const KernelScope running;
      part = overlay_.common_part(overlay_.cells_at({x, y, unit}));
    }
    return corners_of(part);
  }

  // Returns the cell of each graph at the point (x / unit, y / unit).
  Output<std::int32_t> at(std::int64_t x, std::int64_t y, std::int64_t unit) const {
    require(unit > 0, "the unit of weights must be positive");
    std::vector<std::int32_t> cells;
    {
      const KernelScope running;
      cells = overlay_.cells_at({x, y, unit});
    }
    return column(std::move(cells));
  }

  // Returns the summed statistics at the middle of each of n × n parts of a box in this one; the first weight changes
  // fastest.
  Output<double> sums(const std::array<std::int64_t, 5>& part, std::size_t n) const {
    require_range(part[0], part[1], part[4]);
    require_range(part[2], part[3], part[4]);
    require(n > 0 && n <= most_grid_points, "the number of points is not possible");
    const auto inside = [&](std::size_t low, std::size_t high) {
      return Int128{part[low]} * given_[4] >= Int128{given_[low]} * part[4] &&
             Int128{part[high]} * given_[4] <= Int128{given_[high]} * part[4];
    };
    require(inside(0, 1) && inside(2, 3), "the part is not inside of the box");
    std::vector<double> found;
    {
      const KernelScope running;
      found = sums_on_grid(overlay_.graphs(), overlay_.columns(), {part[0], part[1], part[2], part[3], part[4]}, n);
    }
    return to_numpy(std::move(found), {n * n, overlay_.columns()});
  }

  // Returns the borders where statistics change: (x, y) of both ends; `most` of them if there are more.
  Output<double> borders(std::size_t most) const {
    std::vector<double> values;
    {
      const KernelScope running;
      for (const auto& one : latticemetric::borders(overlay_.graphs(), overlay_.columns(), most))
        values.insert(values.end(), one.begin(), one.end());
    }
    const auto rows = values.size() / 4;
    return to_numpy(std::move(values), {rows, 2, 2});
  }

 private:
  static Output<double> corners_of(const Polygon& polygon) {
    std::vector<double> values;
    for (const auto& corner : polygon.corners) values.insert(values.end(), {corner.first(), corner.second()});
    return to_numpy(std::move(values), {polygon.size(), 2});
  }

  const std::array<std::int64_t, 5> given_;
  Overlay overlay_;
};

// Graphs whose costs are counted in units. A column has the costs of all graphs, one after the other: of each graph,
// by arc (edge), then by end.
class NativeTunedGraphs {
 public:
  void add_lattice(const NativeLattice& lattice, Input<std::int32_t> ends) {
    const auto& view = lattice.with_words();
    add(view, view.states, ends);
  }
  void add_forest(const NativeForest& forest, Input<std::int32_t> ends) {
    add(forest.view(), forest.view().nodes, ends);
  }

  std::size_t size() const { return graphs_.size(); }

  // Returns the largest sum of absolute costs of a path, of all graphs.
  double largest_sum(Input<double> costs) const {
    require_rows(costs);
    require_finite(costs, "a cost is not finite");
    const KernelScope running;
    double largest = 0;
    for (std::size_t g = 0; g < graphs_.size(); ++g)
      largest = std::max(largest, latticemetric::largest_sum(graphs_[g], costs.data() + begin_[g]));
    return largest;
  }

  // Searches the graphs of the numbers `chosen` along a line. Returns how many segments each has; the ends of the
  // segments, rounded; their sums; and their paths.
  nb::tuple segments(Input<std::int64_t> chosen, const std::array<Input<std::int64_t>, 2>& columns, std::int64_t low,
                     std::int64_t high, std::int64_t unit, std::size_t most_segments) const {
    require_range(low, high, unit, largest_on_line);
    require_graphs(chosen);
    for (const auto& column : columns) require_columns(column, largest_on_line);
    std::vector<std::int64_t> sums, counts;
    std::vector<double> ends;
    PathRows rows;
    {
      const KernelScope running;
      const std::vector<std::int64_t> none(longest(chosen), 0);
      for (std::size_t k = 0; k < chosen.size(); ++k) {
        const auto& graph = graphs_[chosen.data()[k]];
        const auto first = begin_[chosen.data()[k]];
        const auto found = latticemetric::segments(
            graph, {columns[0].data() + first, columns[1].data() + first, none.data()}, low, high, unit, most_segments);
        for (const auto& one : found) {
          sums.insert(sums.end(), {one.sums.c[0], one.sums.c[1]});
          ends.push_back(one.end.first());
          rows.add(graph, one.path);
        }
        counts.push_back(static_cast<std::int64_t>(found.size()));
      }
    }
    const auto size = ends.size();
    return nb::make_tuple(column(std::move(counts)), column(std::move(ends)), to_numpy(std::move(sums), {size, 2}),
                          rows.taken());
  }

  // Returns the cells of a graph in a box.
  NativeCells cells(std::size_t number, const std::array<Input<std::int64_t>, 3>& columns,
                    const std::array<std::int64_t, 5>& box, std::size_t most_cells) const {
    require_range(box[0], box[1], box[4]);
    require_range(box[2], box[3], box[4]);
    require(number < graphs_.size(), "there is no graph of this number");
    const auto& graph = graphs_[number];
    const auto first = begin_[number];
    UnitColumns own;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      require_rows(columns[k]);
      own[k] = columns[k].data() + first;
      require_small(own[k], graph.rows(), largest_in_plane);
    }
    const WeightBox whole{box[0], box[1], box[2], box[3], box[4]};
    const KernelScope running;
    return {graph, whole, subdivision(graph, own, whole, most_cells)};
  }

 private:
  template <typename Graph>
  void add(const Graph& graph, std::int32_t states, const Input<std::int32_t>& ends) {
    require_aligned(ends);
    require(ends.size() > 0, "a graph has an end");
    for (std::size_t k = 0; k < ends.size(); ++k)
      require(ends.data()[k] >= (k == 0 ? 0 : ends.data()[k - 1] + 1) && ends.data()[k] < states,
              "ends must be states in ascending order");
    const KernelScope running;
    graphs_.push_back(tuned_graph(graph, {ends.data(), ends.data() + ends.size()}));
    begin_.push_back(begin_.back() + graphs_.back().rows());
  }

  template <typename T>
  void require_rows(const Input<T>& column) const {
    require_aligned(column);
    require(static_cast<std::int64_t>(column.size()) == begin_.back(), "a column differs in length from the graphs");
  }

  void require_columns(const Input<std::int64_t>& column, std::int64_t largest) const {
    require_rows(column);
    require_small(column.data(), begin_.back(), largest);
  }

  static void require_small(const std::int64_t* costs, std::int64_t size, std::int64_t largest) {
    require(std::all_of(costs, costs + size, [=](std::int64_t cost) { return cost < largest && cost > -largest; }),
            "a cost is too large");
  }

  void require_graphs(const Input<std::int64_t>& chosen) const {
    require_aligned(chosen);
    for (std::size_t k = 0; k < chosen.size(); ++k)
      require(chosen.data()[k] >= 0 && chosen.data()[k] < static_cast<std::int64_t>(graphs_.size()),
              "there is no graph of this number");
  }

  std::size_t longest(const Input<std::int64_t>& chosen) const {
    std::int64_t rows = 0;
    for (std::size_t k = 0; k < chosen.size(); ++k) rows = std::max(rows, graphs_[chosen.data()[k]].rows());
    return static_cast<std::size_t>(rows);
  }

  std::vector<TunedGraph> graphs_;
  std::vector<std::int64_t> begin_{0};  // the first cost of each graph, and the end of the last
};

// Returns the sums of statistics of each range of weights along a line.
Output<double> line_sums(nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> rows,
                         Input<std::int64_t> graph, Input<std::int64_t> last, Input<double> start,
                         Input<double> counts) {
  const std::size_t size = rows.shape(0), columns = rows.shape(1), ranges = last.size();
  require_aligned(graph, last, start, counts);
  require(graph.size() == size && start.size() == columns && columns > 0, "columns differ in length");
  for (std::size_t k = 0; k < size; ++k)
    require(graph.data()[k] >= 0 && static_cast<std::size_t>(graph.data()[k]) < counts.size(),
            "each graph needs a count");
  for (std::size_t k = 0; k < ranges; ++k)
    require(last.data()[k] >= (k == 0 ? 0 : last.data()[k - 1] + 1) && static_cast<std::size_t>(last.data()[k]) < size,
            "ranges must end at changes in ascending order");
  std::vector<double> sums;
  {
    const KernelScope running;
    sums = sums_along({rows.data(), graph.data(), last.data(), size, ranges, columns}, start.data(), counts.data());
  }
  return to_numpy(std::move(sums), {ranges + 1, columns});
}

}  // namespace

void bind_tuning(nb::module_& m) {
  nb::class_<NativeTunedGraphs>(m, "TunedGraphs")
      .def(nb::init<>())
      .def("add", &NativeTunedGraphs::add_lattice, "graph"_a, "ends"_a)
      .def("add", &NativeTunedGraphs::add_forest, "graph"_a, "ends"_a)
      .def("__len__", &NativeTunedGraphs::size)
      .def("largest_sum", &NativeTunedGraphs::largest_sum, "costs"_a)
      .def("segments", &NativeTunedGraphs::segments, "chosen"_a, "columns"_a, "low"_a, "high"_a, "unit"_a,
           "most_segments"_a)
      .def("cells", &NativeTunedGraphs::cells, "number"_a, "columns"_a, "box"_a, "most_cells"_a);
  m.def("line_sums", &line_sums, "rows"_a, "graph"_a, "last"_a, "start"_a, "counts"_a);
  nb::class_<NativeCells>(m, "WeightCells")
      .def("__len__", &NativeCells::size)
      .def("sums", &NativeCells::sums)
      .def("paths", &NativeCells::paths)
      .def("edges", &NativeCells::edges)
      .def("corners", &NativeCells::corners);
  nb::class_<NativeOverlay>(m, "Overlay")
      .def(nb::init<const std::array<std::int64_t, 5>&, std::size_t>(), "box"_a, "columns"_a)
      .def("add", &NativeOverlay::add, "cells"_a, "rows"_a)
      .def("best", &NativeOverlay::best, "counts"_a, "bounds"_a, "slack"_a, "all_faces"_a, "most_faces"_a,
           "least_margin"_a, "most_boxes"_a)
      .def("region", &NativeOverlay::region, "x"_a, "y"_a, "unit"_a)
      .def("at", &NativeOverlay::at, "x"_a, "y"_a, "unit"_a)
      .def("sums", &NativeOverlay::sums, "part"_a, "n"_a)
      .def("borders", &NativeOverlay::borders, "most"_a);
}

}  // namespace latticemetric
