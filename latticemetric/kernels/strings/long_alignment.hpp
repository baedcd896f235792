// The best alignment of two long strings, under an n-gram recognition rate or by costs of edits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "strings/alignment.hpp"
#include "strings/test_set.hpp"

namespace latticemetric {

// Sets `edits` to those of `Aligner::align`. Searches the hypothesis as a lattice of one path, in a band: time and
// memory grow with the errors. Returns false if gains are too large for that.
bool align_long(String hypothesis, String reference, Gains gains, std::string& edits);

// None is negative. A match costs nothing.
struct WholeCosts {
  std::int64_t substitution, deletion, insertion;
};

// Sets `edits` to those of the cheapest alignment, in the same way. Ties are resolved from the end: the edit whose
// letter comes first in `order` is taken. Memory does not grow with the number of cheapest alignments. Returns false if
// costs are too large.
bool align_long_from_end(String hypothesis, String reference, WholeCosts costs, std::string_view order,
                         std::string& edits);

}  // namespace latticemetric
