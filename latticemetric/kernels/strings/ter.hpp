// Translation edit rate: edits between strings whose parts may move.
#pragma once

#include <cstdint>
#include <vector>

#include "strings/test_set.hpp"

namespace latticemetric {

// Returns, for each reference, the number of edits that turn its hypothesis into it: insertions, deletions,
// substitutions, and shifts of adjacent words, as the search of tercom finds them (Snover et al. 2006). Words are
// numbered without large gaps.
std::vector<std::int64_t> ter_edits(const TestSet& test);

}  // namespace latticemetric
