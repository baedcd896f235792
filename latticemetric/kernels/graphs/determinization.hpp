// Weighted determinization of acyclic acceptors in the tropical semiring.
#pragma once

#include <cstdint>
#include <vector>

namespace latticemetric {

struct WeightedArcs {
  std::vector<std::int32_t> source, target, word;
  std::vector<double> cost;
  std::vector<double> final_cost;  // of each state; infinite where it is not final
};

// Returns an acceptor in which each string has one path, which costs what the best path of that string costs in
// `acceptor` (Mohri 1997). Arcs must be sorted by source and have no ε. Residual costs are rounded to multiples of
// `delta`, so that subsets that nearly agree become one state; this may change the cost of a string by delta / 2 per
// word. There may be exponentially many states; the memory budget of the call ends that.
WeightedArcs determinize(const WeightedArcs& acceptor, std::int32_t start, double delta);

}  // namespace latticemetric
