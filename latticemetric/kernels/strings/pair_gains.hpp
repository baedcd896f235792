// What all hypotheses gain against all references: values of recognition rates, without their alignments.
#pragma once

#include <cstdint>
#include <vector>

#include "recognition/automaton.hpp"
#include "strings/test_set.hpp"

namespace latticemetric {

// Returns one row per reference, one column per hypothesis: the best alignment's sum of k-gram matches, minus alpha per
// insertion and beta per deletion, in units of 1 / unit. Words are not negative, and the largest gain of all pairs fits
// in 63 bits.
std::vector<std::int64_t> pair_gains(Gains gains, const Strings& hypotheses, const Strings& references);

}  // namespace latticemetric
