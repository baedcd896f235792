// The counts of the best alignment under the word recognition rate, without the alignment itself.
#pragma once

#include <cstdint>

#include "strings/test_set.hpp"

namespace latticemetric {

// Sets counts[0] .. counts[3] to M, S, D, I of the best alignment. Words are numbers from 0 to `highest`.
void count_words(String hypothesis, String reference, std::int32_t highest, std::int64_t* counts);

}  // namespace latticemetric
