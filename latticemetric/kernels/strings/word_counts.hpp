// Counts of the alignments of word recognition rates, without the alignments themselves.
#pragma once

#include <cstdint>

#include "strings/test_set.hpp"

namespace latticemetric {

// Sets counts[0 .. 3] to M, S, D, I. Words are numbers from 0 to `highest`.
void count_words(String candidate, String reference, std::int32_t highest, std::int64_t* counts);

}  // namespace latticemetric
