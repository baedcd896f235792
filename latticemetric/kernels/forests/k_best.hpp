// The n best strings of a forest under a recognition rate, each of them once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forests/derivation_yields.hpp"
#include "forests/forest_search.hpp"
#include "graphs/forest_rules.hpp"
#include "recognition/automaton.hpp"

namespace latticemetric {

// Best gain first; ties: least cost, fewest words, then the smallest edges. Each string has its best derivation. There
// are fewer than `most` if the forest has fewer strings; up to `few` strings are all looked at. Throws TooLarge.
std::vector<BestDerivation> k_best(const Forest& graph, const ShownWords& shown, const std::int32_t* reference,
                                   std::int32_t reference_words, Gains gains, std::int64_t most,
                                   std::size_t few, std::size_t most_bytes);

}  // namespace latticemetric
