// Words that are found so often in a reference that it takes less time to look at all places than at theirs alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "recognition/reference_positions.hpp"

namespace latticemetric {

template <typename Cell>
class FrequentWords {
 public:
  // Those that one place of so many has, at least.
  FrequentWords(const ReferencePlaces& places, std::int32_t size, std::int32_t of)
      : places_(places), size_(size), of_(of), at_(places.size(), none) {}

  bool has(std::int64_t arc) const {
    return places_.has(arc) && (places_.end(arc) - places_.begin(arc)) * std::int64_t{of_} >= size_;
  }

  // For each place, one value if an arc has the word there, or else the other. A block after them can be read.
  const Cell* places(std::int64_t arc, Cell matched, Cell other) {
    auto& at = at_[places_.begin(arc)];
    if (at == none) {
      at = static_cast<std::int32_t>(of_word_.size());
      of_word_.emplace_back(static_cast<std::size_t>(size_) + 64, other);
      for (const auto* place = places_.of(arc); *place >= 0; ++place) of_word_.back()[*place] = matched;
    }
    return of_word_[at].data();
  }

 private:
  static constexpr std::int32_t none = -1;

  const ReferencePlaces& places_;
  const std::int32_t size_, of_;
  std::vector<std::int32_t> at_;  // of the first place of each word
  std::vector<std::vector<Cell>> of_word_;
};

}  // namespace latticemetric
