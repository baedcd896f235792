// Finds the n best strings of a forest under a recognition rate, each of them once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forests/derivation_yields.hpp"
#include "forests/forest_search.hpp"
#include "graphs/forest_rules.hpp"
#include "recognition/automaton.hpp"

namespace latticemetric {

// Returns the best derivation of each string, best gain first. Ties go to the least cost, then the fewest words, then
// the smallest edges. There are fewer than `most` if the forest has fewer strings. A forest of up to `few`
// strings is not searched: `all_strings` lists them, and all are ranked. Throws TooLarge.
std::vector<BestDerivation> k_best(const Forest& graph, const ShownWords& shown, const std::int32_t* reference,
                                   std::int32_t reference_words, Gains gains, std::int64_t most,
                                   std::size_t few, std::size_t most_bytes);

}  // namespace latticemetric
