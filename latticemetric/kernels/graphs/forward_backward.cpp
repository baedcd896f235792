#include "graphs/forward_backward.hpp"

#include <algorithm>
#include <cmath>

#include "graphs/log_sums.hpp"
#include "memory/budget.hpp"

namespace latticemetric {

// The backward pass computes in logarithms, which do not underflow however large the costs are. It yields the
// probabilities of steps, given their source. So the forward pass computes in probabilities: products of numbers up to
// one, and sums of at most one.
ForwardBackward forward_backward(std::int32_t states, std::int64_t arcs, const std::int32_t* source,
                                 const std::int32_t* target, const double* cost, const double* final_cost) {
  ForwardBackward result;
  LogSums sums(static_cast<std::size_t>(states));
  auto &best = sums.best, &more = sums.more;
  result.backward.assign(static_cast<std::size_t>(states), log_of_nothing);
  result.transition.resize(static_cast<std::size_t>(arcs));
  result.ending.resize(static_cast<std::size_t>(states));
  std::int64_t end = arcs;
  for (std::int32_t s = states - 1; s >= 0; --s) {
    poll(40);
    std::int64_t begin = end;
    best[s] = -final_cost[s];
    for (; begin > 0 && source[begin - 1] == s; --begin)
      best[s] = std::max(best[s], best[target[begin - 1]] - cost[begin - 1]);
    result.ending[s] = std::isfinite(final_cost[s]) ? -final_cost[s] - best[s] : log_of_nothing;
    for (auto a = begin; a < end; ++a)
      result.transition[a] = best[target[a]] - cost[a] - best[s] + more[target[a]];
    more[s] = take_shares(result.ending[s], result.transition.data() + begin, result.transition.data() + end);
    result.backward[s] = best[s] + more[s];
    end = begin;
  }
  result.log_total = states > 0 ? result.backward[0] : log_of_nothing;
  result.forward.assign(static_cast<std::size_t>(states), 0);
  if (states > 0) result.forward[0] = 1;
  for (std::int64_t a = 0; a < arcs; ++a) result.forward[target[a]] += result.forward[source[a]] * result.transition[a];
  return result;
}

}  // namespace latticemetric
