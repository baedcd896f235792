#include "graphs/forward_backward.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "memory/budget.hpp"

namespace latticemetric {

// The backward pass computes in logarithms, which do not underflow however large the costs are. It yields the
// probabilities of steps, given their source. So the forward pass computes in probabilities: products of numbers up to
// one, and sums of at most one.
//
// The backward pass splits the log of the sum over all paths from a state into two numbers: `best`, the log of the best
// path (a sum of costs), and `more`, by how much the log of the sum is larger, which is small. Kept apart, the small
// number is not rounded to the precision of the large one.
ForwardBackward forward_backward(std::int32_t states, std::int64_t arcs, const std::int32_t* source,
                                 const std::int32_t* target, const double* cost, const double* final_cost) {
  constexpr double nothing = -std::numeric_limits<double>::infinity();
  ForwardBackward result;
  std::vector<double> best(static_cast<std::size_t>(states), nothing), more(static_cast<std::size_t>(states), 0);
  result.backward.assign(static_cast<std::size_t>(states), nothing);
  result.transition.resize(static_cast<std::size_t>(arcs));
  result.ending.resize(static_cast<std::size_t>(states));
  std::int64_t end = arcs;
  for (std::int32_t s = states - 1; s >= 0; --s) {
    poll(40);
    std::int64_t begin = end;
    best[s] = -final_cost[s];
    for (; begin > 0 && source[begin - 1] == s; --begin)
      best[s] = std::max(best[s], best[target[begin - 1]] - cost[begin - 1]);
    const double stopping = std::isfinite(final_cost[s]) ? -final_cost[s] - best[s] : nothing;
    double largest = stopping;
    for (auto a = begin; a < end; ++a) {
      result.transition[a] = best[target[a]] - cost[a] - best[s] + more[target[a]];
      largest = std::max(largest, result.transition[a]);
    }
    const double here = std::exp(stopping - largest);
    double sum = here;
    for (auto a = begin; a < end; ++a) {
      result.transition[a] = std::exp(result.transition[a] - largest);
      sum += result.transition[a];
    }
    for (auto a = begin; a < end; ++a) result.transition[a] /= sum;
    result.ending[s] = here / sum;
    more[s] = largest + std::log(sum);
    result.backward[s] = best[s] + more[s];
    end = begin;
  }
  result.log_total = states > 0 ? result.backward[0] : -std::numeric_limits<double>::infinity();
  result.forward.assign(static_cast<std::size_t>(states), 0);
  if (states > 0) result.forward[0] = 1;
  for (std::int64_t a = 0; a < arcs; ++a) result.forward[target[a]] += result.forward[source[a]] * result.transition[a];
  return result;
}

}  // namespace latticemetric
