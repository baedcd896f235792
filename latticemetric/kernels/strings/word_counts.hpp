// Counts of the alignments of word recognition rates, without the alignments themselves.
#pragma once

#include <cstdint>

#include "strings/alignment.hpp"
#include "strings/test_set.hpp"

namespace latticemetric {

// Whether a rate is a word recognition rate: order 1, alpha 1, beta 0.
inline bool counts_words(Gains gains) { return gains.order == 1 && gains.alpha == gains.unit && gains.beta == 0; }

// Sets counts[0 .. 3] to M, S, D, I. Words are numbers from 0 to `highest`.
void count_words(String candidate, String reference, std::int32_t highest, std::int64_t* counts);

}  // namespace latticemetric
