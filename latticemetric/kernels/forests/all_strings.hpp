// All strings of a forest, if they are few.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "forests/derivation_yields.hpp"
#include "graphs/forest_rules.hpp"

namespace latticemetric {

// The best derivation of a string, and its cost including that of its goal.
struct StringDerivation {
  DerivationYields::Number number;
  double cost;
};

// Returns all strings of the forest; nothing if there are more than `most`, if they are long, or if there are too many
// derivations to try.
std::optional<std::vector<StringDerivation>> all_strings(const Forest& graph, DerivationYields& yields,
                                                         std::size_t most, std::size_t most_bytes);

}  // namespace latticemetric
