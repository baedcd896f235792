// The n best strings, or the n best paths, of a lattice by the model's cost.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/lattice.hpp"

namespace latticemetric {

struct NBest {
  std::vector<std::int64_t> arcs;      // of all paths, one after the other
  std::vector<std::int64_t> begin{0};  // where the arcs of each path begin, and the end of the last
};

// Returns the best path of each of the `most` best strings, by ascending cost. Of equal costs, fewer words come first,
// then the smaller arcs from the start on, a path before its continuations. Strings are compared by `label`, without ε.
// The order is that of exact sums: costs must be rounded so that their sums are exact. Otherwise strings whose costs
// nearly agree may change places.
NBest n_best_strings(const Lattice& lattice, std::int64_t most);

// Returns the `most` best paths, whatever their strings. Of equal costs, fewer arcs come first, then smaller arcs.
NBest n_best_paths(const Lattice& lattice, std::int64_t most);

}  // namespace latticemetric
