#include "graphs/cost_columns.hpp"

#include <cfloat>
#include <cmath>
#include <limits>

#include "memory/budget.hpp"

namespace latticemetric {
namespace {

// Returns whether the absolute value of every number is at most `most`. NaN never is.
bool are_at_most(const std::vector<double>& values, double most) {
  std::int64_t larger = 0;  // no early exit, so that the loop is vectorised
  for (const double value : values) larger |= !(std::fabs(value) <= most);
  return larger == 0;
}

}  // namespace

TotalCost total_cost(const std::vector<CostColumn>& columns, std::int64_t arcs, std::int32_t states,
                     const std::int32_t* final, std::int64_t finals) {
  TotalCost total;
  total.arc = filled(static_cast<std::size_t>(arcs), 0.0);
  std::vector<double> final_cost(static_cast<std::size_t>(finals), 0.0);
  for (const CostColumn& column : columns) {
    poll(arcs);
    double* const sum = total.arc.data();
    for (std::int64_t a = 0; a < arcs; ++a) sum[a] += column.scale * column.arc[a];
    for (std::int64_t k = 0; k < finals; ++k) final_cost[static_cast<std::size_t>(k)] += column.scale * column.final[k];
  }
  // A path adds up the costs of at most `arcs` arcs, and the cost of its end.
  const double most = DBL_MAX / static_cast<double>(arcs + 1);
  poll(arcs);
  total.can_be_added = are_at_most(total.arc, most) && are_at_most(final_cost, most);
  total.ends = filled(static_cast<std::size_t>(states), std::numeric_limits<double>::infinity());
  for (std::int64_t k = 0; k < finals; ++k)
    total.ends[static_cast<std::size_t>(final[k])] = final_cost[static_cast<std::size_t>(k)];
  return total;
}

}  // namespace latticemetric
