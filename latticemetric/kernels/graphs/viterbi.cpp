#include "graphs/viterbi.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "memory/budget.hpp"

namespace latticemetric {

BestCostsThroughArcs best_costs_through_arcs(std::int32_t states, std::int64_t arcs, const std::int32_t* source,
                                             const std::int32_t* target, const double* cost, const double* final_cost) {
  const auto size = static_cast<std::size_t>(states);
  std::vector<double> before(size, std::numeric_limits<double>::infinity()), after(final_cost, final_cost + states);
  if (states > 0) before[0] = 0;
  for (std::int64_t a = 0; a < arcs; ++a) {
    poll();
    before[target[a]] = std::min(before[target[a]], before[source[a]] + cost[a]);
  }
  for (std::int64_t a = arcs; a-- > 0;) {
    poll();
    after[source[a]] = std::min(after[source[a]], cost[a] + after[target[a]]);
  }
  BestCostsThroughArcs through{std::vector<double>(static_cast<std::size_t>(arcs)), std::vector<double>(size)};
  for (std::int64_t a = 0; a < arcs; ++a) through.arc[a] = before[source[a]] + cost[a] + after[target[a]];
  for (std::int32_t s = 0; s < states; ++s) through.ending[s] = before[s] + final_cost[s];
  return through;
}

}  // namespace latticemetric
