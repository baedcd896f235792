// Logarithms of sums of weights that do not underflow, however large the costs are.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace latticemetric {

constexpr double log_of_nothing = -std::numeric_limits<double>::infinity();

// The logarithm of a sum for each state or node, in two parts: `best`, that of the largest weight (a sum of costs), and
// `more`, by how much the logarithm of the sum is larger, which is small. Kept apart, the small number is not rounded
// to the precision of the large one.
struct LogSums {
  explicit LogSums(std::size_t size, double best = log_of_nothing) : best(size, best), more(size, 0) {}

  std::vector<double> best, more;
};

// Replaces logarithms of weights by the weights' shares of their sum, and likewise `first`, which is added before them.
// Returns the logarithm of the sum. At least one weight is above 0.
inline double take_shares(double& first, double* begin, double* end) {
  double largest = first;
  for (const double* weight = begin; weight < end; ++weight) largest = std::max(largest, *weight);
  double sum = first = first == log_of_nothing ? 0 : std::exp(first - largest);
  for (double* share = begin; share < end; ++share) sum += *share = std::exp(*share - largest);
  for (double* share = begin; share < end; ++share) *share /= sum;
  first /= sum;
  return largest + std::log(sum);
}

inline double take_shares(double* begin, double* end) {
  double none = log_of_nothing;
  return take_shares(none, begin, end);
}

}  // namespace latticemetric
