// Sets of pairs of numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "memory/bits.hpp"

namespace latticemetric {

// A set of pairs of numbers, which are not both -1: a hash table with open addressing.
class PairSet {
 public:
  // Adds a pair. Returns whether it is new.
  bool insert(std::int32_t first, std::int32_t second) {
    const auto key = pair_key(first, second);
    auto& entry = keys_[place(key)];
    if (entry == key) return false;
    entry = key;
    if (2 * ++size_ > keys_.size()) grow();
    return true;
  }

  bool contains(std::int32_t first, std::int32_t second) const {
    const auto key = pair_key(first, second);
    return keys_[place(key)] == key;
  }

 private:
  static constexpr std::uint64_t free = ~std::uint64_t{0};

  // Returns where a key is, or where it belongs, after Fibonacci hashing.
  std::size_t place(std::uint64_t key) const {
    const auto mask = keys_.size() - 1;
    auto at = (key * 0x9E3779B97F4A7C15u >> 32) & mask;
    while (keys_[at] != free && keys_[at] != key) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<std::uint64_t> before(2 * keys_.size(), free);
    before.swap(keys_);
    for (const auto key : before)
      if (key != free) keys_[place(key)] = key;
  }

  std::vector<std::uint64_t> keys_ = std::vector<std::uint64_t>(64, free);
  std::size_t size_ = 0;
};

}  // namespace latticemetric
