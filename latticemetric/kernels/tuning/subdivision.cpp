#include "tuning/subdivision.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "memory/budget.hpp"
#include "tuning/certified_search.hpp"

namespace latticemetric {
namespace {

// A cell of the paths that are known so far.
struct KnownCell {
  PathSums sums;
  Polygon polygon;
  bool is_left = true;  // false once other cells have taken all of it
};

[[noreturn]] void report_bug() { throw std::logic_error("the cells of weights are inconsistent: this is a bug"); }

class Subdivider {
 public:
  Subdivider(const TunedGraph& graph, const EdgeCosts& costs, const WeightBox& box, std::size_t most_cells)
      : search_(graph, costs, plane_sum_bits), whole_(polygon_of(box)), most_cells_(most_cells) {}

  std::vector<WeightCell> cells() {
    const WeightPoint middle = whole_.inside();
    search_.roughly_best(middle);
    add({search_.best(), whole_});
    while (!to_confirm_.empty()) {
      const auto cell = to_confirm_.back();
      if (!cells_[cell].is_left || is_confirmed(cell)) to_confirm_.pop_back();
    }
    std::vector<WeightCell> found;
    for (auto& cell : cells_)
      if (cell.is_left) found.push_back(with_path(std::move(cell)));
    return found;
  }

 private:
  void add(KnownCell cell) {
    if (left_ >= most_cells_) throw TooLarge("the box of weights has too many cells");
    ++left_;
    to_confirm_.push_back(cells_.size());
    cells_.push_back(std::move(cell));
  }

  // Returns whether the path of a cell is the cheapest at all corners. If not, adds the cell of a cheaper one.
  bool is_confirmed(std::size_t number) {
    for (std::size_t k = 0; k < cells_[number].polygon.size(); ++k) {
      const WeightPoint corner = reduced(cells_[number].polygon.corners[k]);
      if (confirmed_.count(corner) > 0) continue;
      const Int128 known = cells_[number].sums.at(corner);
      PathSums cheaper = search_.roughly_best(corner);
      if (cheaper.at(corner) >= known) {
        cheaper = search_.best();
        if (cheaper.at(corner) >= known) {
          confirmed_.insert(corner);
          continue;
        }
      }
      insert(cheaper, number);
      return false;
    }
    return true;
  }

  // Adds the cell of a path that is cheaper than that of the cell `first` at one of its corners. The cells from which
  // it takes a part are connected: each has an edge, an end of which it takes, in common with another one.
  void insert(const PathSums& sums, std::size_t first) {
    const auto number = static_cast<std::int32_t>(cells_.size());
    Polygon region = whole_;
    std::vector<std::int32_t> near{static_cast<std::int32_t>(first)};
    std::unordered_set<std::int32_t> seen{near[0]};
    std::vector<std::pair<std::int32_t, std::int32_t>> beside;  // a cell, and the one beside it that was taken whole
    for (std::size_t k = 0; k < near.size(); ++k) {
      KnownCell& cell = cells_[near[k]];
      poll(100 * static_cast<std::int64_t>(cell.polygon.size()));
      const HalfPlane taken = sums.no_more_than(cell.sums);
      const std::vector<std::int32_t> beyond = cell.polygon.beyond;
      const Clipped clipped = clip(cell.polygon, taken.opposite(), sides_, number);
      if (clipped == Clipped::unchanged) continue;
      for (std::size_t e = 0; e < beyond.size(); ++e) {
        if (beyond[e] < 0) continue;
        if (sides_[e] < 0 || sides_[(e + 1) % beyond.size()] < 0) {
          if (seen.insert(beyond[e]).second) near.push_back(beyond[e]);
        } else if (clipped == Clipped::gone) {
          beside.emplace_back(beyond[e], near[k]);
        }
      }
      if (clipped == Clipped::cut)
        to_confirm_.push_back(static_cast<std::size_t>(near[k]));
      else
        --left_, cell.is_left = false;
      if (clip(region, taken, sides_, near[k]) == Clipped::gone) report_bug();
    }
    connect(region, sums, number, beside);
    add({sums, std::move(region)});
  }

  // A cell that was taken whole may have had edges on the border of the new cell: what is beyond them is now beside
  // the new cell.
  void connect(Polygon& region, const PathSums& sums, std::int32_t number,
               const std::vector<std::pair<std::int32_t, std::int32_t>>& beside) {
    for (const auto& [cell, taken] : beside) {
      const HalfPlane border = sums.no_more_than(cells_[cell].sums);
      for (std::size_t e = 0; e < region.size(); ++e)
        if (region.edges[e] == border) region.beyond[e] = cell;
      for (auto& behind : cells_[cell].polygon.beyond)
        if (behind == taken) behind = number;
    }
  }

  WeightCell with_path(KnownCell cell) {
    search_.roughly_best(cell.polygon.inside());
    if (!(search_.best() == cell.sums)) report_bug();
    return {cell.sums, std::move(cell.polygon), search_.edges()};
  }

  CertifiedSearch search_;
  const Polygon whole_;
  const std::size_t most_cells_;
  std::vector<KnownCell> cells_;
  std::size_t left_ = 0;
  std::vector<std::size_t> to_confirm_;
  std::unordered_set<WeightPoint, HashOfPoint> confirmed_;  // corners where a known path is the cheapest
  std::vector<int> sides_;
};

}  // namespace

std::vector<WeightCell> subdivision(const TunedGraph& graph, const UnitColumns& columns, const WeightBox& box,
                                    std::size_t most_cells) {
  const EdgeCosts costs(graph, columns);
  return Subdivider(graph, costs, box, most_cells).cells();
}

std::vector<WeightSegment> segments(const TunedGraph& graph, const UnitColumns& columns, std::int64_t low_x,
                                    std::int64_t high_x, std::int64_t unit, std::size_t most_segments) {
  const EdgeCosts costs(graph, columns);
  CertifiedSearch search(graph, costs, line_sum_bits);
  const auto beside = [&](std::int64_t x, int direction) {
    search.roughly_best(reduced(WeightPoint{x, 0, unit}));
    return search.best({direction, 0});
  };
  // Pairs of paths that are the cheapest somewhere, the first on the left; pairs on the left are on top.
  std::vector<std::pair<PathSums, PathSums>> pending{{beside(low_x, 1), beside(high_x, -1)}};
  const PathSums last = pending[0].second;
  std::vector<WeightSegment> found;
  while (!pending.empty()) {
    const auto [left, right] = pending.back();
    pending.pop_back();
    if (left == right) continue;
    // The left path is cheaper on the left, so its slope is larger.
    const WeightPoint crossing =
        reduced(WeightPoint{static_cast<Int128>(right.c[0]) - left.c[0], 0, static_cast<Int128>(left.c[1]) - right.c[1]});
    const Int128 known = left.at(crossing);
    PathSums cheaper = search.roughly_best(crossing);
    if (cheaper.at(crossing) >= known) cheaper = search.best();
    if (cheaper.at(crossing) < known) {
      pending.emplace_back(cheaper, right);
      pending.emplace_back(left, cheaper);
    } else if (found.empty() || !(found.back().end == crossing)) {
      if (found.size() + 1 >= most_segments) throw TooLarge("the range of weights has too many segments");
      found.push_back({left, crossing, {}});
    }  // otherwise the left path only touches this point
  }
  found.push_back({last, reduced(WeightPoint{high_x, 0, unit}), {}});
  WeightPoint begin = reduced(WeightPoint{low_x, 0, unit});
  for (auto& one : found) {
    search.roughly_best({begin.x + one.end.x, 0, begin.w + one.end.w});  // between both
    if (!(search.best() == one.sums)) report_bug();
    one.path = search.edges();
    begin = one.end;
  }
  return found;
}

}  // namespace latticemetric
