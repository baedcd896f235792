// The model's cost: the sum of weighted columns of costs.
#pragma once

#include <cstdint>
#include <vector>

namespace latticemetric {

// A column of costs: one for each arc (edge), and one for each final state (goal).
struct CostColumn {
  const double *arc, *final;
  double scale;
};

struct TotalCost {
  std::vector<double> arc, ends;  // by arc; by state: the cost of ending there, infinite if it is not final
  bool can_be_added = true;       // whether the costs of any path add up without overflow
};

// Adds up the scaled columns, in the given order, so that the sums are the same everywhere.
TotalCost total_cost(const std::vector<CostColumn>& columns, std::int64_t arcs, std::int32_t states,
                     const std::int32_t* final, std::int64_t finals);

}  // namespace latticemetric
