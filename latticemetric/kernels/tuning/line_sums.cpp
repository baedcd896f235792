#include "tuning/line_sums.hpp"

#include "memory/budget.hpp"

namespace latticemetric {

std::vector<double> sums_along(const LineChanges& changes, const double* start, const double* counts) {
  const std::size_t columns = changes.columns;
  std::vector<double> sums(start, start + columns), found;
  found.reserve((changes.ranges + 1) * columns);
  found.insert(found.end(), sums.begin(), sums.end());
  poll(static_cast<std::int64_t>(changes.size * columns));
  std::size_t k = 0;
  for (std::size_t range = 0; range < changes.ranges; ++range) {
    for (; k <= static_cast<std::size_t>(changes.last[range]); ++k) {
      const double times = counts[changes.graph[k]];
      const double* const row = changes.rows + k * columns;
      for (std::size_t j = 0; j < columns; ++j) sums[j] += times * row[j];
    }
    found.insert(found.end(), sums.begin(), sums.end());
  }
  return found;
}

}  // namespace latticemetric
