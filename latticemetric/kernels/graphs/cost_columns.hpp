// The model's cost: the sum of weighted columns of costs.
#pragma once

#include <cstdint>
#include <vector>

namespace latticemetric {

// A column of costs: of each arc (edge), and of each final state (goal).
struct CostColumn {
  const double *arc, *final;
  double scale;
};

struct TotalCost {
  std::vector<double> arc, ends;  // of each arc, and of ending in each state: infinite in states that are not final
  bool can_be_added = true;       // along any path, without overflow
};

// Columns are added in their order, as they are, so that the sums are the same everywhere.
TotalCost total_cost(const std::vector<CostColumn>& columns, std::int64_t arcs, std::int32_t states,
                     const std::int32_t* final, std::int64_t finals);

}  // namespace latticemetric
