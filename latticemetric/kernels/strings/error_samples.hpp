// Samples of errors: labellings of a test set with a given number of errors of real systems (Logacheva et al. 2016).
#pragma once

#include <cstdint>
#include <vector>

namespace latticemetric {

// The pairs of a segment and a system that errs in it.
struct ErringPairs {
  const std::int32_t* segment;  // of each pair
  const std::int64_t* errors;   // of each pair, at least 1
  const double* gains;          // a row a pair: what its tags change in the statistics of the test set
  std::int64_t count;
  std::int64_t columns;
};

// A row a sample: the summed gains of pairs in random order, each segment's first pair only, until they have `least`
// errors. The same seed draws the same samples. Pairs that do not have so many errors are all drawn.
std::vector<double> error_samples(const ErringPairs& pairs, std::int64_t least, std::int64_t samples,
                                  std::uint64_t seed);

}  // namespace latticemetric
