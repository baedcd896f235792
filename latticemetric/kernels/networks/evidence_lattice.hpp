// The lattice whose paths are the evidence for minimum Bayes risk decoding.
#pragma once

#include <cstdint>

namespace latticemetric {

// Arcs are sorted by target and go from smaller to larger states; 0 is the start, the last state is the only end, and
// every other state has an arc into it. Label 0 is the empty word.
struct EvidenceLattice {
  std::int32_t states;
  std::int64_t arcs;
  const std::int32_t* source;
  const std::int32_t* target;
  const std::int32_t* label;
  const double* share;   // by arc: its probability, given that its target is passed
  std::int32_t labels;
  const double* times;   // by state; may be null
};

}  // namespace latticemetric
