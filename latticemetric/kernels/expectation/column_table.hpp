// Distinct columns, numbered in order of appearance.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace latticemetric {

// A hash table of rows of `width` words of 64 bits.
class ColumnTable {
 public:
  explicit ColumnTable(std::size_t width) : width_(width), slots_(64, free_slot) {}

  std::size_t size() const { return hashes_.size(); }
  const std::uint64_t* row(std::size_t number) const { return rows_.data() + number * width_; }

  // Returns the number of a row. A new row gets the next number.
  std::uint32_t add(const std::uint64_t* row) {
    if (hashes_.size() * 2 >= slots_.size()) grow();
    const auto hash = hash_of(row);
    auto slot = hash & (slots_.size() - 1);
    for (; slots_[slot] != free_slot; slot = (slot + 1) & (slots_.size() - 1)) {
      const auto number = slots_[slot];
      if (hashes_[number] == hash && std::equal(row, row + width_, this->row(number))) return number;
    }
    const auto number = static_cast<std::uint32_t>(hashes_.size());
    slots_[slot] = number;
    hashes_.push_back(hash);
    rows_.insert(rows_.end(), row, row + width_);
    return number;
  }

  void clear() {
    if (hashes_.size() * 8 < slots_.size()) {
      for (const auto hash : hashes_)  // every cluster of filled slots begins at the hash of some row
        for (auto slot = hash & (slots_.size() - 1); slots_[slot] != free_slot; slot = (slot + 1) & (slots_.size() - 1))
          slots_[slot] = free_slot;
    } else {
      std::fill(slots_.begin(), slots_.end(), free_slot);
    }
    hashes_.clear();
    rows_.clear();
  }

  // Returns the rows and clears the table.
  std::vector<std::uint64_t> take() {
    auto rows = std::move(rows_);
    rows_ = {};
    clear();
    return rows;
  }

 private:
  static constexpr std::uint32_t free_slot = ~std::uint32_t{0};

  std::uint64_t hash_of(const std::uint64_t* row) const {
    std::uint64_t hash = 0x9E3779B97F4A7C15u;
    for (std::size_t k = 0; k < width_; ++k) {
      hash = (hash ^ row[k]) * 0xBF58476D1CE4E5B9u;
      hash ^= hash >> 29;
    }
    return hash ^ (hash >> 32);
  }

  void grow() {
    std::vector<std::uint32_t> slots(slots_.size() * 2, free_slot);
    for (std::size_t number = 0; number < hashes_.size(); ++number) {
      auto slot = hashes_[number] & (slots.size() - 1);
      while (slots[slot] != free_slot) slot = (slot + 1) & (slots.size() - 1);
      slots[slot] = static_cast<std::uint32_t>(number);
    }
    slots_ = std::move(slots);
  }

  std::size_t width_;
  std::vector<std::uint64_t> rows_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace latticemetric
