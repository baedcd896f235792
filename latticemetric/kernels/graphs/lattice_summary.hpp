// Summaries of a lattice, each in one go: its best path with probabilities, and its size.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graphs/cost_columns.hpp"

namespace latticemetric {

// A sorted lattice with its columns of costs; columns with a scale of 0 are no part of the model's cost.
struct CostedLattice {
  std::int32_t states;
  std::int64_t arcs, finals;
  const std::int32_t *source, *target, *word, *final;
  std::vector<CostColumn> columns;
  bool is_ranked;  // whether the first of several paths with the least cost is the best: words are not counted
};

// The best path. `steps` has the probability of each of its arcs, given the state that the arc leaves, and then of its
// end. `confidence` has the probability of each of its arcs with a word.
struct BestSummary {
  std::vector<std::int64_t> path;
  double cost = 0;
  std::vector<double> column, steps, confidence;
};

// Returns the best path; path probabilities are exp(-scale * cost), normalised. Returns nothing if costs are too large.
std::optional<BestSummary> best_summary(const CostedLattice& lattice, double scale);

// A number of paths below 2^32768: digits of 64 bits, the lowest first; nothing if there are more paths.
using NumberOfPaths = std::optional<std::vector<std::uint64_t>>;

// The size of a lattice. The place of a state is the number of arcs of the longest path to it.
struct LatticeSize {
  NumberOfPaths paths;
  std::int64_t shortest = 0, longest = 0;          // words of paths
  std::int64_t words = 0, distinct = 0;            // arcs with a word; distinct words
  std::int64_t covered = 0, extent = 0;            // the places that all arcs pass together; the last place
  std::int64_t best_words = 0;                     // words of the best path
  double best_cost = 0;
};

// Returns nothing if costs are too large.
std::optional<LatticeSize> lattice_size(const CostedLattice& lattice);

}  // namespace latticemetric
