#include "tuning/geometry.hpp"

#include <cmath>
#include <numeric>
#include <utility>

namespace latticemetric {
namespace {

Int128 greatest_divisor(Int128 one, Int128 other) {
  if (one < 0) one = -one;
  if (other < 0) other = -other;
  while (other != 0) one = std::exchange(other, one % other);
  return one;
}

int sign_of(Int128 value) { return (value > 0) - (value < 0); }

}  // namespace

HalfPlane reduced(HalfPlane half) {
  const auto divisor = std::gcd(std::gcd(half.a, half.b), half.c);
  if (divisor > 1) half = {half.a / divisor, half.b / divisor, half.c / divisor};
  return half;
}

WeightPoint reduced(const WeightPoint& point) {
  const Int128 divisor = greatest_divisor(greatest_divisor(point.x, point.y), point.w);
  return {point.x / divisor, point.y / divisor, point.w / divisor};
}

WeightPoint crossing(const HalfPlane& one, const HalfPlane& other) {
  const auto determinant = [](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    return static_cast<Int128>(a) * d - static_cast<Int128>(b) * c;
  };
  const WeightPoint point{determinant(one.b, one.c, other.b, other.c), determinant(one.c, one.a, other.c, other.a),
                          determinant(one.a, one.b, other.a, other.b)};
  return point.w < 0 ? WeightPoint{-point.x, -point.y, -point.w} : point;
}

int side(const HalfPlane& half, const WeightPoint& point) {
  // Most signs are clear in doubles. Each term is rounded twice, their sum twice: by 2^-53 each time.
  constexpr double rounding = 1e-15;
  const double x = static_cast<double>(point.x) * static_cast<double>(half.a),
               y = static_cast<double>(point.y) * static_cast<double>(half.b),
               w = static_cast<double>(point.w) * static_cast<double>(half.c), sum = x + y + w;
  if (std::fabs(sum) > (std::fabs(x) + std::fabs(y) + std::fabs(w)) * rounding) return sum > 0 ? 1 : -1;
  return sign_of(point.x * half.a + point.y * half.b + point.w * half.c);
}

std::size_t HashOfPoint::operator()(const WeightPoint& point) const {
  std::uint64_t hash = 0;
  for (const Int128 part : {point.x, point.y, point.w}) {
    hash = (hash ^ static_cast<std::uint64_t>(part)) * 0x9E3779B97F4A7C15ull;
    hash = (hash ^ (hash >> 32) ^ static_cast<std::uint64_t>(part >> 64)) * 0xC2B2AE3D27D4EB4Full;
  }
  return static_cast<std::size_t>(hash ^ (hash >> 29));
}

WeightPoint Polygon::inside() const {
  // The weighted mean of three corners, which are not on one line.
  const auto &one = corners[0], &second = corners[size() / 3], &third = corners[2 * size() / 3];
  return {one.x + second.x + third.x, one.y + second.y + third.y, one.w + second.w + third.w};
}

Polygon polygon_of(const WeightBox& box) {
  const auto half = [](std::int64_t a, std::int64_t b, std::int64_t c) { return reduced(HalfPlane{a, b, c}); };
  Polygon polygon;
  polygon.edges = {half(0, box.unit, -box.low_y), half(-box.unit, 0, box.high_x),
                   half(0, -box.unit, box.high_y), half(box.unit, 0, -box.low_x)};
  polygon.beyond.assign(4, -1);
  for (std::size_t k = 0; k < 4; ++k) polygon.corners.push_back(crossing(polygon.edges[(k + 3) % 4], polygon.edges[k]));
  return polygon;
}

double margin(const Polygon& polygon, double width_x, double width_y) {
  struct Point {
    double x, y;
  };
  std::vector<Point> corners;
  for (const auto& corner : polygon.corners) corners.push_back({corner.first() / width_x, corner.second() / width_y});
  // Returns whether anything is left once all edges move inwards.
  const auto reaches = [&](double distance) {
    std::vector<Point> part = corners;
    for (std::size_t e = 0; e < corners.size() && !part.empty(); ++e) {
      const Point from = corners[e], to = corners[(e + 1) % corners.size()];
      const double a = from.y - to.y, b = to.x - from.x, c = a * from.x + b * from.y;
      const double least = c + distance * (std::fabs(a) + std::fabs(b));
      const auto height = [&](const Point& point) { return a * point.x + b * point.y - least; };
      std::vector<Point> kept;
      for (std::size_t k = 0; k < part.size(); ++k) {
        const Point &here = part[k], &next = part[(k + 1) % part.size()];
        const double low = height(here), high = height(next);
        if (low >= 0) kept.push_back(here);
        if ((low < 0 && high > 0) || (low > 0 && high < 0)) {
          const double share = low / (low - high);
          kept.push_back({here.x + share * (next.x - here.x), here.y + share * (next.y - here.y)});
        }
      }
      part = std::move(kept);
    }
    return !part.empty();
  };
  constexpr int halvings = 40;
  double least = 0, most = 1;
  for (int k = 0; k < halvings; ++k) {
    const double middle = (least + most) / 2;
    (reaches(middle) ? least : most) = middle;
  }
  return least;
}

Clipped clip(Polygon& polygon, const HalfPlane& half, std::vector<int>& sides, std::int32_t beyond) {
  const std::size_t size = polygon.size();
  sides.resize(size);
  bool any_inside = false, any_outside = false;
  for (std::size_t k = 0; k < size; ++k) {
    sides[k] = side(half, polygon.corners[k]);
    any_inside |= sides[k] > 0;
    any_outside |= sides[k] < 0;
  }
  if (!any_outside) return Clipped::unchanged;
  if (!any_inside) return Clipped::gone;
  Polygon part;
  const auto add = [&part](const WeightPoint& corner, const HalfPlane& edge, std::int32_t behind) {
    part.corners.push_back(corner);
    part.edges.push_back(edge);
    part.beyond.push_back(behind);
  };
  for (std::size_t k = 0; k < size; ++k) {
    const int here = sides[k], next = sides[(k + 1) % size], before = sides[(k + size - 1) % size];
    const HalfPlane& edge = polygon.edges[k];
    if (here > 0 || (here == 0 && next > 0)) add(polygon.corners[k], edge, polygon.beyond[k]);
    if (here > 0 && next < 0) add(crossing(edge, half), half, beyond);
    if (here == 0 && next < 0 && before > 0) add(polygon.corners[k], half, beyond);
    if (here < 0 && next > 0) add(crossing(edge, half), edge, polygon.beyond[k]);
  }
  polygon = std::move(part);
  return Clipped::cut;
}

}  // namespace latticemetric
