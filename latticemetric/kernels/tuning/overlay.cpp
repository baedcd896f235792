#include "tuning/overlay.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <queue>
#include <utility>

#include "memory/budget.hpp"

namespace latticemetric {
namespace {

constexpr std::size_t leaf_pieces = 40;    // a box with no more pieces is not halved
constexpr std::size_t boxes_at_a_time = 64;  // so many merits are asked for together

// Returns the box over a unit that can be halved often; coefficients stay below the bound of `geometry.hpp`.
WeightBox finely(WeightBox box) {
  constexpr std::int64_t most = std::int64_t{1} << 36;
  constexpr int most_halvings = 20;
  for (int k = 0; k < most_halvings; ++k) {
    for (const auto part : {box.low_x, box.high_x, box.low_y, box.high_y, box.unit})
      if (part >= most || part <= -most) return box;
    box = {2 * box.low_x, 2 * box.high_x, 2 * box.low_y, 2 * box.high_y, 2 * box.unit};
  }
  return box;
}

// The part of a graph's cell in a box.
struct Piece {
  std::size_t cell;
  Polygon polygon;
};

// A graph whose statistics are not the same everywhere in a box.
struct Undecided {
  std::size_t graph;
  std::vector<Piece> pieces;
};

struct Box {
  WeightBox range;
  std::size_t depth = 0;
  std::vector<double> decided;  // the sums of the other graphs
  std::vector<Undecided> undecided;
  double bound = 0;

  std::size_t pieces() const {
    std::size_t all = 0;
    for (const auto& one : undecided) all += one.pieces.size();
    return all;
  }
};

// Rows of sums that are bounded together.
struct Ranges {
  std::vector<double> low, high;
};

class BestFirst {
 public:
  // `margin_of` returns the margin of the region around a face.
  BestFirst(const std::vector<ScoredCells>& graphs, std::size_t columns, const std::vector<double>& counts,
            const MeritBounds& bounds, const OverlayLimits& limits,
            const std::function<double(const Polygon&)>& margin_of)
      : graphs_(graphs), columns_(columns), counts_(counts), bounds_(bounds), limits_(limits), margin_of_(margin_of) {}

  BestWeights found(const WeightBox& range) {
    std::vector<std::unique_ptr<Box>> boxes;
    boxes.push_back(whole(range));
    push(std::move(boxes));
    best_.merit = -std::numeric_limits<double>::infinity();
    while (!queue_.empty() && may_be_best(queue_.top()->bound)) {
      if (best_.boxes >= limits_.most_boxes) {
        best_.bound = std::max(best_.merit, queue_.top()->bound);
        return std::move(best_);
      }
      std::vector<std::unique_ptr<Box>> halves;
      for (std::size_t k = 0; k < boxes_at_a_time && !queue_.empty() && may_be_best(queue_.top()->bound); ++k) {
        auto box = popped();
        ++best_.boxes;
        if (box->pieces() <= leaf_pieces || !can_be_halved(box->range))
          search_faces(*box);
        else
          halve(std::move(box), halves);
      }
      push(std::move(halves));
    }
    best_.bound = best_.merit;
    return std::move(best_);
  }

 private:
  struct IsWorse {
    bool operator()(const std::unique_ptr<Box>& one, const std::unique_ptr<Box>& other) const {
      return one->bound != other->bound ? one->bound < other->bound : one->depth < other->depth;
    }
  };

  bool may_be_best(double bound) const {
    return limits_.all_faces ? bound >= best_.merit - limits_.slack : best_.faces.empty() || bound > best_.merit;
  }

  const double* row(std::size_t graph, std::size_t cell) const { return graphs_[graph].rows.data() + cell * columns_; }

  std::unique_ptr<Box> whole(const WeightBox& range) const {
    auto box = std::make_unique<Box>();
    box->range = range;
    box->decided.assign(columns_, 0);
    for (std::size_t g = 0; g < graphs_.size(); ++g) {
      if (counts_[g] == 0) continue;
      Undecided one{g, {}};
      for (std::size_t cell = 0; cell < graphs_[g].polygons.size(); ++cell)
        one.pieces.push_back({cell, graphs_[g].polygons[cell]});
      box->undecided.push_back(std::move(one));
    }
    return box;
  }

  // Decides graphs whose statistics are the same in the whole box.
  void decide(Box& box) const {
    const auto is_same = [&](const Undecided& one) {
      const double* const first = row(one.graph, one.pieces[0].cell);
      return std::all_of(one.pieces.begin(), one.pieces.end(), [&](const Piece& piece) {
        return std::equal(first, first + columns_, row(one.graph, piece.cell));
      });
    };
    std::vector<Undecided> left;
    for (auto& one : box.undecided) {
      poll(10 * static_cast<std::int64_t>(one.pieces.size() * columns_));
      if (is_same(one))
        add(box.decided, one.graph, one.pieces[0].cell, 1);
      else
        left.push_back(std::move(one));
    }
    box.undecided = std::move(left);
  }

  void add(std::vector<double>& sums, std::size_t graph, std::size_t cell, double sign) const {
    for (std::size_t j = 0; j < columns_; ++j) sums[j] += sign * counts_[graph] * row(graph, cell)[j];
  }

  // Adds the range of the sums in a box.
  void add_range(const Box& box, Ranges& ranges) const {
    std::vector<double> low = box.decided, high = box.decided;
    for (const auto& one : box.undecided) {
      poll(4 * static_cast<std::int64_t>(one.pieces.size() * columns_));
      for (std::size_t j = 0; j < columns_; ++j) {
        double least = std::numeric_limits<double>::infinity(), most = -least;
        for (const auto& piece : one.pieces) {
          least = std::min(least, row(one.graph, piece.cell)[j]);
          most = std::max(most, row(one.graph, piece.cell)[j]);
        }
        low[j] += counts_[one.graph] * least;
        high[j] += counts_[one.graph] * most;
      }
    }
    ranges.low.insert(ranges.low.end(), low.begin(), low.end());
    ranges.high.insert(ranges.high.end(), high.begin(), high.end());
  }

  void push(std::vector<std::unique_ptr<Box>> boxes) {
    if (boxes.empty()) return;
    Ranges ranges;
    for (const auto& box : boxes) {
      decide(*box);
      add_range(*box, ranges);
    }
    const auto bounds = bounds_(ranges.low, ranges.high);
    for (std::size_t k = 0; k < boxes.size(); ++k) {
      boxes[k]->bound = bounds[k];
      queue_.push(std::move(boxes[k]));
    }
  }

  std::unique_ptr<Box> popped() {
    auto box = std::move(const_cast<std::unique_ptr<Box>&>(queue_.top()));
    queue_.pop();
    return box;
  }

  static bool can_be_halved(const WeightBox& range) {
    return range.high_x - range.low_x >= 2 || range.high_y - range.low_y >= 2;
  }

  // Halves a box along its sides in turn.
  void halve(std::unique_ptr<Box> box, std::vector<std::unique_ptr<Box>>& halves) const {
    const WeightBox& range = box->range;
    const bool along_x = box->depth % 2 == 0 ? range.high_x - range.low_x >= 2 : range.high_y - range.low_y < 2;
    auto lower = std::make_unique<Box>(), upper = std::make_unique<Box>();
    HalfPlane below{0, 0, 0};
    lower->range = upper->range = range;
    if (along_x) {
      const auto middle = range.low_x + (range.high_x - range.low_x) / 2;
      lower->range.high_x = upper->range.low_x = middle;
      below = reduced(HalfPlane{-range.unit, 0, middle});
    } else {
      const auto middle = range.low_y + (range.high_y - range.low_y) / 2;
      lower->range.high_y = upper->range.low_y = middle;
      below = reduced(HalfPlane{0, -range.unit, middle});
    }
    for (auto* const half : {lower.get(), upper.get()}) {
      half->depth = box->depth + 1;
      half->decided = box->decided;
    }
    std::vector<int> sides;
    for (auto& one : box->undecided) {
      Undecided under{one.graph, {}}, over{one.graph, {}};
      for (auto& piece : one.pieces) {
        poll(100 * static_cast<std::int64_t>(piece.polygon.size()));
        Polygon part = piece.polygon;
        const Clipped clipped = clip(part, below, sides);
        if (clipped != Clipped::gone) under.pieces.push_back({piece.cell, std::move(part)});
        if (clipped == Clipped::unchanged) continue;
        if (clipped == Clipped::cut) clip(piece.polygon, below.opposite(), sides);
        over.pieces.push_back(std::move(piece));
      }
      lower->undecided.push_back(std::move(under));
      upper->undecided.push_back(std::move(over));
    }
    halves.push_back(std::move(lower));
    halves.push_back(std::move(upper));
  }

  // Examines all faces of the overlay in a box.
  void search_faces(const Box& box) {
    std::vector<Polygon> faces;
    Ranges sums;
    std::vector<double> so_far = box.decided;
    add_faces(box, 0, polygon_of(box.range), so_far, faces, sums);
    sums.high = sums.low;
    const auto merits = bounds_(sums.low, sums.high);
    for (std::size_t k = 0; k < faces.size(); ++k) {
      const bool is_better = best_.faces.empty() || merits[k] > best_.merit + limits_.slack;
      const bool is_equal = !is_better && merits[k] >= best_.merit - limits_.slack;
      if (!is_better && !(is_equal && best_.faces.size() < limits_.most_faces)) continue;
      if (limits_.least_margin > 0 && margin_of_(faces[k]) < limits_.least_margin) continue;
      if (is_better) {
        best_.merit = merits[k];
        best_.faces.clear();
      }
      best_.faces.push_back(std::move(faces[k]));
    }
  }

  void add_faces(const Box& box, std::size_t number, const Polygon& region, std::vector<double>& so_far,
                 std::vector<Polygon>& faces, Ranges& sums) const {
    if (number == box.undecided.size()) {
      faces.push_back(region);
      sums.low.insert(sums.low.end(), so_far.begin(), so_far.end());
      return;
    }
    const Undecided& one = box.undecided[number];
    std::vector<int> sides;
    for (const auto& piece : one.pieces) {
      poll(100 * static_cast<std::int64_t>(piece.polygon.size()));
      Polygon part = region;
      const auto& edges = piece.polygon.edges;
      if (std::any_of(edges.begin(), edges.end(),
                      [&](const HalfPlane& edge) { return clip(part, edge, sides) == Clipped::gone; }))
        continue;
      const std::vector<double> before = so_far;
      add(so_far, one.graph, piece.cell, 1);
      add_faces(box, number + 1, part, so_far, faces, sums);
      so_far = before;
    }
  }

  const std::vector<ScoredCells>& graphs_;
  const std::size_t columns_;
  const std::vector<double>& counts_;
  const MeritBounds& bounds_;
  const OverlayLimits& limits_;
  const std::function<double(const Polygon&)>& margin_of_;
  std::priority_queue<std::unique_ptr<Box>, std::vector<std::unique_ptr<Box>>, IsWorse> queue_;
  BestWeights best_;
};

}  // namespace

Overlay::Overlay(const WeightBox& box, std::size_t columns) : box_(finely(box)), columns_(columns) {}

BestWeights Overlay::best(const std::vector<double>& counts, const MeritBounds& bounds,
                          const OverlayLimits& limits) const {
  const auto width = [this](std::int64_t low, std::int64_t high) {
    return static_cast<double>(high - low) / static_cast<double>(box_.unit);
  };
  const std::function<double(const Polygon&)> margin_of = [&](const Polygon& face) {
    return margin(common_part(cells_at(face.inside())), width(box_.low_x, box_.high_x),
                  width(box_.low_y, box_.high_y));
  };
  return BestFirst(graphs_, columns_, counts, bounds, limits, margin_of).found(box_);
}

std::vector<std::int32_t> Overlay::cells_at(const WeightPoint& point) const {
  std::vector<std::int32_t> cells;
  for (const auto& graph : graphs_) {
    poll(10 * static_cast<std::int64_t>(graph.sums.size()));
    const auto cheaper = [&](const PathSums& one, const PathSums& other) { return one.at(point) < other.at(point); };
    cells.push_back(static_cast<std::int32_t>(std::min_element(graph.sums.begin(), graph.sums.end(), cheaper) -
                                              graph.sums.begin()));
  }
  return cells;
}

Polygon Overlay::common_part(const std::vector<std::int32_t>& cells) const {
  Polygon part = polygon_of(box_);
  std::vector<int> sides;
  for (std::size_t g = 0; g < graphs_.size(); ++g)
    for (const auto& edge : graphs_[g].polygons[static_cast<std::size_t>(cells[g])].edges)
      if (clip(part, edge, sides) == Clipped::gone) return {};
  return part;
}

}  // namespace latticemetric
