// Counts of numbers, to be asked for sums of all counts below a number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace latticemetric {

// A tree of sums: both methods take as many steps as the number has bits (Fenwick 1994).
class PrefixCounts {
 public:
  explicit PrefixCounts(std::size_t size) : sums_(size + 1, 0) {}
  void add(std::int32_t number) {
    for (auto k = static_cast<std::size_t>(number) + 1; k < sums_.size(); k += k & (~k + 1)) ++sums_[k];
  }
  std::int32_t below(std::int32_t number) const {
    std::int32_t sum = 0;
    for (auto k = static_cast<std::size_t>(number); k > 0; k -= k & (~k + 1)) sum += sums_[k];
    return sum;
  }

 private:
  std::vector<std::int32_t> sums_;
};

}  // namespace latticemetric
