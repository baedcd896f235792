// The path of a lattice with the fewest errors in the units of its words, such as characters.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/lattice.hpp"

namespace latticemetric {

// Word w > 0 has the units begin[w - 1] .. begin[w] - 1, as numbers above 0. Between two words of a path, and only
// there, is a separator; if it is 0, there is none.
struct Spelling {
  std::int32_t words;
  const std::int64_t* begin;
  const std::int32_t* units;
  std::int32_t separator;
};

// An arc's label is a word of the spelling, or 0 for ε. Ties: least cost, fewest words, lexicographically smallest
// arcs.
struct FewestErrors {
  std::vector<std::int64_t> arcs;
  std::int64_t errors = 0;
};
FewestErrors search_spelled_lattice(const Lattice& lattice, const Spelling& spelling, const std::int32_t* reference,
                                    std::int32_t size);

}  // namespace latticemetric
