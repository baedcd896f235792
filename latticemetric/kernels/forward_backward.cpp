#include "forward_backward.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace latticemetric {

// Backwards in logarithms, which do not underflow however large the costs are; forwards in probabilities, which the
// backward values make those of steps from a state: products of numbers up to one, sums that stay below one.
ForwardBackward forward_backward(std::int32_t states, std::int64_t arcs, const std::int32_t* source,
                                 const std::int32_t* target, const double* cost, const double* final_cost) {
  ForwardBackward result;
  result.backward.assign(static_cast<std::size_t>(states), -std::numeric_limits<double>::infinity());
  result.transition.resize(static_cast<std::size_t>(arcs));
  result.ending.resize(static_cast<std::size_t>(states));
  std::int64_t end = arcs;
  for (std::int32_t s = states - 1; s >= 0; --s) {
    std::int64_t begin = end;
    double largest = -final_cost[s];
    for (; begin > 0 && source[begin - 1] == s; --begin)
      largest = std::max(largest, result.backward[target[begin - 1]] - cost[begin - 1]);
    const double here = std::isfinite(final_cost[s]) ? std::exp(-final_cost[s] - largest) : 0;
    double sum = here;
    for (auto a = begin; a < end; ++a) {
      result.transition[a] = std::exp(result.backward[target[a]] - cost[a] - largest);
      sum += result.transition[a];
    }
    for (auto a = begin; a < end; ++a) result.transition[a] /= sum;
    result.ending[s] = here / sum;
    result.backward[s] = largest + std::log(sum);
    end = begin;
  }
  result.log_total = states > 0 ? result.backward[0] : -std::numeric_limits<double>::infinity();
  result.forward.assign(static_cast<std::size_t>(states), 0);
  if (states > 0) result.forward[0] = 1;
  for (std::int64_t a = 0; a < arcs; ++a) result.forward[target[a]] += result.forward[source[a]] * result.transition[a];
  return result;
}

}  // namespace latticemetric
