#include "graphs/best_path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "graphs/tie_order.hpp"
#include "memory/budget.hpp"

namespace latticemetric {
namespace {

struct PathCost {
  double cost;
  std::int64_t words;
};

}  // namespace

// to_go(s) = min( final(s), min over arcs a of s: a.cost + to_go(a.target) ), in (cost, words) order. Arcs are visited
// from the last to the first, and an earlier arc replaces a later one that is equally good. So the path that follows
// `choice` from the start has the lexicographically smallest arcs.
std::vector<std::int64_t> best_path(std::int32_t states, std::int64_t arcs, const std::int32_t* source,
                                    const std::int32_t* target, const double* cost, const std::uint8_t* is_word,
                                    const double* final_cost) {
  constexpr std::int64_t stop = -1;
  std::vector<PathCost> to_go(states, PathCost{std::numeric_limits<double>::infinity(), 0});
  std::vector<std::int64_t> choice(states, stop);
  std::int64_t a = arcs - 1;
  for (std::int32_t s = states - 1; s >= 0; --s) {
    poll(8);
    PathCost best{std::numeric_limits<double>::infinity(), 0};
    std::int64_t chosen = stop;
    // Without a branch: the processor cannot predict which of the two is better.
    const auto keep_better = [&](const PathCost& path, std::int64_t arc) {
      const bool is_better = comes_first(path, best) | costs_as_much(path, best);
      best.cost = std::min(path.cost, best.cost);
      best.words = is_better ? path.words : best.words;
      chosen = is_better ? arc : chosen;
    };
    for (; a >= 0 && source[a] == s; --a) {
      const PathCost& rest = to_go[target[a]];
      keep_better({cost[a] + rest.cost, is_word[a] + rest.words}, a);
    }
    keep_better({final_cost[s], 0}, stop);
    to_go[s] = best;
    choice[s] = chosen;
  }
  std::vector<std::int64_t> path;
  for (std::int32_t s = 0; states > 0 && choice[s] != stop; s = target[choice[s]]) path.push_back(choice[s]);
  return path;
}

double largest_path_cost(const Lattice& lattice) {
  std::vector<double> largest(static_cast<std::size_t>(lattice.states), 0);
  for (std::int64_t a = 0; a < lattice.arcs; ++a) {
    poll();
    double& there = largest[lattice.target[a]];
    there = std::max(there, largest[lattice.source[a]] + std::fabs(lattice.cost[a]));
  }
  double all = 0;
  for (std::int32_t s = 0; s < lattice.states; ++s)
    if (lattice.is_final(s)) all = std::max(all, largest[s] + std::fabs(lattice.final_cost[s]));
  return all;
}

}  // namespace latticemetric
