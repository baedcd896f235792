// Words so frequent in a reference that a loop over all positions is faster than one over theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "recognition/reference_positions.hpp"

namespace latticemetric {

template <typename Cell>
class FrequentWords {
 public:
  // Those that one position of so many has, at least.
  FrequentWords(const ReferencePositions& positions, std::int32_t size, std::int32_t of)
      : positions_(positions), size_(size), of_(of), at_(positions.size(), none) {}

  bool has(std::int64_t arc) const {
    return positions_.has(arc) && (positions_.end(arc) - positions_.begin(arc)) * std::int64_t{of_} >= size_;
  }

  // For each position, one value if an arc has the word there, or else the other. A block after them can be read.
  const Cell* positions(std::int64_t arc, Cell matched, Cell other) {
    auto& at = at_[positions_.begin(arc)];
    if (at == none) {
      at = static_cast<std::int32_t>(of_word_.size());
      of_word_.emplace_back(static_cast<std::size_t>(size_) + 64, other);
      for (const auto* position = positions_.of(arc); *position >= 0; ++position) of_word_.back()[*position] = matched;
    }
    return of_word_[at].data();
  }

 private:
  static constexpr std::int32_t none = -1;

  const ReferencePositions& positions_;
  const std::int32_t size_, of_;
  std::vector<std::int32_t> at_;  // of the first position of each word
  std::vector<std::vector<Cell>> of_word_;
};

}  // namespace latticemetric
