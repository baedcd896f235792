// All strings of a forest, where they are few.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "forests/derivation_yields.hpp"
#include "graphs/forest_rules.hpp"

namespace latticemetric {

// The best derivation of a string, and its cost with that of ending in its goal.
struct WholeDerivation {
  SaidDerivations::Number number;
  double cost;
};

// Nothing if there are more than `most` strings, if they are long, or if they have so many derivations that are made of
// different parts that it takes too long to find out.
std::optional<std::vector<WholeDerivation>> all_strings(const Forest& graph, SaidDerivations& said,
                                                        std::size_t most, std::size_t most_bytes);

}  // namespace latticemetric
