// Points, half-planes and convex polygons in the plane of two weights, in exact integers.
//
// The constants below bound all numbers, so that no comparison overflows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "memory/int128.hpp"

namespace latticemetric {

// In a plane, sums of costs of a path have fewer bits than `plane_sum_bits`, and so have the parts of a box. The
// coefficients of half-planes are differences of two sums, coordinates of corners are sums of two products of
// coefficients, and points inside a polygon are sums of three corners. The side of a point, and the cost of a path
// there, are sums of three products.
constexpr int plane_sum_bits = 39, coefficient_bits = plane_sum_bits + 1, corner_bits = 2 * coefficient_bits + 1,
              inside_bits = corner_bits + 2;
static_assert(inside_bits + coefficient_bits + 2 < 127, "the side of a point must fit 128 bits with sign");

// On a line, the coordinates of a point are differences of two sums, or sums of two such points, and the cost of a path
// there is a sum of two products. Doubles hold all sums of fewer than 53 bits exactly.
constexpr int line_sum_bits = 52, point_bits = line_sum_bits + 2;
static_assert(point_bits + line_sum_bits + 1 < 127, "the cost of a path must fit 128 bits with sign");

// The points (x, y) with a x + b y + c >= 0. The border of a half-plane is a line.
struct HalfPlane {
  std::int64_t a, b, c;

  HalfPlane opposite() const { return {-a, -b, -c}; }
  bool operator==(const HalfPlane& other) const { return a == other.a && b == other.b && c == other.c; }
};

// Returns the same half-plane with the smallest coefficients.
HalfPlane reduced(HalfPlane half);

// The point (x / w, y / w), where w > 0.
struct WeightPoint {
  Int128 x, y, w;

  bool operator==(const WeightPoint& other) const { return x == other.x && y == other.y && w == other.w; }
  double first() const { return static_cast<double>(x) / static_cast<double>(w); }
  double second() const { return static_cast<double>(y) / static_cast<double>(w); }
};

// Returns the same point with the smallest coordinates.
WeightPoint reduced(const WeightPoint& point);

// Returns the point where two borders cross. They must not be parallel.
WeightPoint crossing(const HalfPlane& one, const HalfPlane& other);

// Returns 1 if a point is inside of a half-plane, 0 if it is on the border, and -1 if it is outside.
int side(const HalfPlane& half, const WeightPoint& point);

struct HashOfPoint {
  std::size_t operator()(const WeightPoint& point) const;
};

// A convex polygon with an area. Edge k goes from corner k to corner k + 1, with the inside on its left.
struct Polygon {
  std::vector<HalfPlane> edges;
  std::vector<WeightPoint> corners;
  std::vector<std::int32_t> beyond;  // what is beyond each edge, by a number of the caller's; -1 for nothing

  std::size_t size() const { return edges.size(); }

  // Returns a point inside, not on the border.
  WeightPoint inside() const;
};

// The points with low_x <= x <= high_x and low_y <= y <= high_y, all over `unit`.
struct WeightBox {
  std::int64_t low_x, high_x, low_y, high_y, unit;
};

Polygon polygon_of(const WeightBox& box);

// Returns how far a point inside can be from all edges, in doubles. The distance is that of a box around the point:
// `width_x` and `width_y` are the sides of a box of distance 1/2.
double margin(const Polygon& polygon, double width_x, double width_y);

enum class Clipped { unchanged, cut, gone };

// Cuts a polygon to its part in a half-plane; leaves it as it was if that part has no area (`gone`). `beyond` is the
// number of the new edge. `sides` gets the side of each corner of the polygon as it was.
Clipped clip(Polygon& polygon, const HalfPlane& half, std::vector<int>& sides, std::int32_t beyond = -1);

}  // namespace latticemetric
