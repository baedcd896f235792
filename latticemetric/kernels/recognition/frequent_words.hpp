// Words that are so frequent in a reference that a loop over all its positions is faster than a loop over theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "recognition/reference_positions.hpp"

namespace latticemetric {

template <typename Cell>
class FrequentWords {
 public:
  // A word is frequent if the reference has it in at least one of `of` positions.
  FrequentWords(const ReferencePositions& positions, std::int32_t size, std::int32_t of)
      : positions_(positions), size_(size), of_(of), at_(positions.size(), none) {}

  bool has(std::int64_t arc) const {
    return positions_.has(arc) && (positions_.end(arc) - positions_.begin(arc)) * std::int64_t{of_} >= size_;
  }

  // Returns one value for each position: `matched` where the reference has the arc's word, `other` elsewhere. A block
  // of values after the last position may be read, too.
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
  std::vector<std::int32_t> at_;  // by first position of a word: its row in `of_word_`, or none
  std::vector<std::vector<Cell>> of_word_;
};

}  // namespace latticemetric
