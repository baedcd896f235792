#include "strings/error_samples.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "memory/budget.hpp"

namespace latticemetric {
namespace {

// Returns a random number below `bound`, each with the same probability (Lemire 2019). The standard library's
// distributions differ between compilers; the samples of a seed must not.
std::uint32_t below(std::uint32_t bound, std::mt19937& bits) {
  std::uint64_t product = static_cast<std::uint64_t>(bits()) * bound;
  if (static_cast<std::uint32_t>(product) < bound) {
    const std::uint32_t rejected = -bound % bound;
    while (static_cast<std::uint32_t>(product) < rejected) product = static_cast<std::uint64_t>(bits()) * bound;
  }
  return static_cast<std::uint32_t>(product >> 32);
}

}  // namespace

std::vector<double> error_samples(const ErringPairs& pairs, std::int64_t least, std::int64_t samples,
                                  std::uint64_t seed) {
  std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
  std::mt19937 bits(sequence);
  std::vector<double> sums(samples * pairs.columns);
  std::vector<std::int32_t> order(pairs.count);
  std::iota(order.begin(), order.end(), 0);
  const std::int32_t segments = pairs.count ? 1 + *std::max_element(pairs.segment, pairs.segment + pairs.count) : 0;
  std::vector<std::int64_t> last(segments, -1);  // by segment: the last sample that has drawn it
  for (std::int64_t sample = 0; sample < samples; ++sample) {
    double* sum = sums.data() + sample * pairs.columns;
    std::int64_t errors = 0, drawn = 0;
    // No need to reset `order`: a shuffle may begin with any order.
    for (; drawn < pairs.count && errors < least; ++drawn) {
      const auto other = drawn + below(static_cast<std::uint32_t>(pairs.count - drawn), bits);
      std::swap(order[drawn], order[other]);
      const std::int32_t pair = order[drawn];
      if (last[pairs.segment[pair]] == sample) continue;
      last[pairs.segment[pair]] = sample;
      errors += pairs.errors[pair];
      const double* gain = pairs.gains + pair * pairs.columns;
      for (std::int64_t k = 0; k < pairs.columns; ++k) sum[k] += gain[k];
    }
    poll(10 * drawn);
  }
  return sums;
}

}  // namespace latticemetric
