// Sums of statistics of many graphs along a line of weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace latticemetric {

// The changes of statistics along a line, in order: a row of `columns` numbers each, the graph that changes, and the
// changes after which the weight is another one.
struct LineChanges {
  const double* rows;
  const std::int64_t* graph;
  const std::int64_t* last;
  std::size_t size, ranges, columns;
};

// Returns the sums of each range of weights, a row each: `start`, then after each of `ranges` changes. Graph g counts
// `counts[g]` times.
std::vector<double> sums_along(const LineChanges& changes, const double* start, const double* counts);

}  // namespace latticemetric
