// A forest as arrays from Python.
#pragma once

#include <cstdint>
#include <limits>

#include "bindings/binding.hpp"
#include "graphs/forest_rules.hpp"

namespace latticemetric {

// The arrays of a forest. They stay alive while it is searched.
struct ForestArrays {
  Input<std::int32_t> head, tail, target;
  Input<std::int64_t> tail_begin, target_begin, words;
  Input<double> cost, goal_cost;

  Forest checked() const;
};

inline void require_rows(const Input<std::int64_t>& begin, std::size_t rows, std::size_t values) {
  require(begin.size() == rows + 1 && begin.data()[0] == 0, "rows must begin with the first value");
  for (std::size_t e = 0; e < rows; ++e)
    require(begin.data()[e] <= begin.data()[e + 1], "rows must follow one another");
  require(static_cast<std::size_t>(begin.data()[rows]) == values, "rows must end with the last value");
}

inline Forest ForestArrays::checked() const {
  const auto nodes = static_cast<std::int64_t>(goal_cost.size());
  const auto edges = head.size();
  require_aligned(head, tail, target);
  require_aligned(tail_begin, target_begin, words);
  require_aligned(cost, goal_cost);
  require(nodes < std::numeric_limits<std::int32_t>::max(), "there are too many nodes");
  require(cost.size() == edges && words.size() == edges, "edges must have costs and words");
  require_finite(cost, "a cost is not a finite number");
  require_ends(goal_cost);
  require_rows(tail_begin, edges, tail.size());
  require_rows(target_begin, edges, target.size());
  for (std::size_t e = 0; e < edges; ++e) {
    require(head.data()[e] >= (e > 0 ? head.data()[e - 1] : 0) && head.data()[e] < nodes,
            "edges must be sorted by head");
    const auto tails = tail_begin.data()[e + 1] - tail_begin.data()[e];
    for (auto k = tail_begin.data()[e]; k < tail_begin.data()[e + 1]; ++k)
      require(tail.data()[k] >= 0 && tail.data()[k] < head.data()[e], "tails must come before heads");
    for (auto k = target_begin.data()[e]; k < target_begin.data()[e + 1]; ++k)
      require(target.data()[k] != 0 && target.data()[k] >= -tails,
              "a target side must hold words and tails of its edge only");
  }
  return {static_cast<std::int32_t>(nodes), static_cast<std::int64_t>(edges), head.data(), tail_begin.data(),
          tail.data(), target_begin.data(), target.data(), cost.data(), words.data(), goal_cost.data()};
}

}  // namespace latticemetric
