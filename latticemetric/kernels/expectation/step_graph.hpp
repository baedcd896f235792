// A lattice as steps with probabilities, for sums over all its paths.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "expectation/columns.hpp"
#include "memory/budget.hpp"

namespace latticemetric {

// Arcs with the same source, target and class of words: they are one step for a column.
struct Step {
  std::int32_t source, target, word;
  double probability;  // given the source
};

// Steps with probability 0 are left out: no sum depends on them.
struct StepGraph {
  std::int32_t states;
  std::vector<Step> steps;                 // sorted by target
  std::vector<std::int64_t> into;          // the steps into state v are into[v] .. into[v + 1]
  std::vector<std::int64_t> from, out_of;  // the steps out of v are out_of[from[v]] .. out_of[from[v + 1]]
  std::vector<std::int64_t> step_of;       // by arc: its step, or -1
  const double* ending;                    // by state: the probability of ending there, given that it is passed
};

// Makes the steps of a lattice. Arcs go from smaller to larger states and are sorted by source. `transition` is the
// probability of each arc given its source, and `word` is its class.
inline StepGraph step_graph(std::int32_t states, std::int64_t arcs, const std::int32_t* source,
                            const std::int32_t* target, const std::int32_t* word, const double* transition,
                            const double* ending) {
  std::vector<std::int64_t> order;
  for (std::int64_t a = 0; a < arcs; ++a)
    if (transition[a] > 0) order.push_back(a);
  poll(arcs * 20);
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    if (target[a] != target[b]) return target[a] < target[b];
    if (source[a] != source[b]) return source[a] < source[b];
    return word[a] != word[b] ? word[a] < word[b] : a < b;
  });
  StepGraph graph{states, {}, {}, {}, {}, std::vector<std::int64_t>(static_cast<std::size_t>(arcs), -1), ending};
  for (const auto a : order) {
    auto& steps = graph.steps;
    if (steps.empty() || steps.back().target != target[a] || steps.back().source != source[a] ||
        steps.back().word != word[a])
      steps.push_back({source[a], target[a], word[a], 0});
    steps.back().probability += transition[a];
    graph.step_of[a] = static_cast<std::int64_t>(steps.size()) - 1;
  }
  const auto size = static_cast<std::size_t>(states) + 1;
  graph.into.assign(size, 0);
  graph.from.assign(size, 0);
  for (const auto& step : graph.steps) {
    ++graph.into[step.target + 1];
    ++graph.from[step.source + 1];
  }
  std::partial_sum(graph.into.begin(), graph.into.end(), graph.into.begin());
  std::partial_sum(graph.from.begin(), graph.from.end(), graph.from.begin());
  graph.out_of.resize(graph.steps.size());
  auto next = graph.from;
  for (std::size_t e = 0; e < graph.steps.size(); ++e)
    graph.out_of[next[graph.steps[e].source]++] = static_cast<std::int64_t>(e);
  return graph;
}

}  // namespace latticemetric
