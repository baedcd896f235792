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

// An acceptor where each string has one path, which costs what its best path did (Mohri 1997). Arcs are sorted by
// source and have no ε; `begin` says where those of each state begin. Residual costs that are equal when rounded to
// multiples of `delta` count as the same. There may be exponentially many states: the caller's budget ends that.
WeightedArcs determinize(const WeightedArcs& acceptor, std::int32_t start, double delta);

}  // namespace latticemetric
