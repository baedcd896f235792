// Translation edit rate: edits between strings whose parts may move.
#pragma once

#include <cstdint>
#include <vector>

#include "strings/test_set.hpp"

namespace latticemetric {

// For each reference, the edits that make it of its candidate: insertions, deletions, substitutions and shifts of words
// side by side, as the search of tercom finds them (Snover et al. 2006). Words are numbered without large gaps.
std::vector<std::int64_t> ter_edits(const TestSet& test);

}  // namespace latticemetric
