// Sums of costs along paths, as NumPy adds them up.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace latticemetric {

// Adds up values as NumPy does, so that costs of paths are the same numbers: pairwise.
inline double pairwise_sum(const double* values, std::size_t size) {
  constexpr std::size_t lanes = 8, unrolled = 128;
  if (size < lanes) {
    double sum = -0.0;
    for (std::size_t k = 0; k < size; ++k) sum += values[k];
    return sum;
  }
  if (size > unrolled) {
    const std::size_t half = size / 2 - size / 2 % lanes;
    return pairwise_sum(values, half) + pairwise_sum(values + half, size - half);
  }
  double lane[lanes];
  std::copy_n(values, lanes, lane);
  std::size_t k = lanes;
  for (; k < size - size % lanes; k += lanes)
    for (std::size_t l = 0; l < lanes; ++l) lane[l] += values[k + l];
  double sum = ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
  for (; k < size; ++k) sum += values[k];
  return sum;
}

// Returns the sum of a column along the arcs of a path, and of what its end adds.
inline double sum_along(const std::vector<std::int64_t>& path, const double* column, double end,
                        std::vector<double>& values) {
  values.clear();
  for (const auto a : path) values.push_back(column[a]);
  return (0.0 + pairwise_sum(values.data(), values.size())) + end;
}

}  // namespace latticemetric
