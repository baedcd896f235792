// Maps of the weights: the sums of statistics at the points of a grid, and the lines where statistics change.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "tuning/overlay.hpp"

namespace latticemetric {

// Returns the summed rows of all graphs at the middle of each of n × n equal parts of a box. The first weight changes
// fastest. On a border, the first of the cheapest cells counts.
std::vector<double> sums_on_grid(const std::vector<ScoredCells>& graphs, std::size_t columns, const WeightBox& box,
                                 std::size_t n);

// A straight line from (x, y) to (to_x, to_y), rounded.
using Border = std::array<double, 4>;

// Returns the borders of cells where the statistics of a graph change, each once. Gives up at `most`: then there are
// more.
std::vector<Border> borders(const std::vector<ScoredCells>& graphs, std::size_t columns, std::size_t most);

}  // namespace latticemetric
