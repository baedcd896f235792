// Samples of errors: labellings of a test set with a given number of errors of real systems (Logacheva et al. 2016).
#pragma once

#include <cstdint>
#include <vector>

namespace latticemetric {

// Pairs of a segment and a system that errs in it.
struct ErringPairs {
  const std::int32_t* segment;  // by pair
  const std::int64_t* errors;   // by pair, at least 1
  const double* gains;          // one row per pair: what its tags change in the statistics of the test set
  std::int64_t count;
  std::int64_t columns;
};

// Returns one row per sample: the summed gains of pairs drawn in random order, only the first pair of each segment,
// until they have `least` errors together. The same seed draws the same samples. If the pairs have too few errors, all
// are drawn.
std::vector<double> error_samples(const ErringPairs& pairs, std::int64_t least, std::int64_t samples,
                                  std::uint64_t seed);

}  // namespace latticemetric
