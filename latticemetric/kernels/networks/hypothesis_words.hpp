// The words of a hypothesis. Each of its positions holds one word, or none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace latticemetric {

class HypothesisWords {
 public:
  HypothesisWords(const std::int32_t* hypothesis, std::int32_t positions, std::int32_t labels)
      : begin_(static_cast<std::size_t>(labels) + 1, 0) {
    before_.reserve(static_cast<std::size_t>(positions) + 1);
    before_.push_back(0);
    first_.push_back(0);
    label_.push_back(0);
    for (std::int32_t q = 1; q <= positions; ++q) {
      const auto label = hypothesis[q - 1];
      before_.push_back(before_.back() + (label != 0));
      if (label == 0) continue;
      first_.push_back(q);
      label_.push_back(label);
      ++begin_[static_cast<std::size_t>(label) + 1];
    }
    for (std::size_t label = 1; label < begin_.size(); ++label) begin_[label] += begin_[label - 1];
    place_.resize(static_cast<std::size_t>(size()));
    auto next = begin_;
    for (std::int32_t j = 1; j <= size(); ++j) place_[next[label_[j]]++] = j;
    first_.push_back(positions + 1);
  }

  std::int32_t size() const { return before_.back(); }
  // Returns how many words the first q positions hold.
  std::int32_t before(std::int32_t q) const { return before_[q]; }
  // Return the first and the last q such that the first q positions hold j words.
  std::int32_t first(std::int32_t j) const { return first_[j]; }
  std::int32_t last(std::int32_t j) const { return first_[j + 1] - 1; }

  bool has(std::int32_t j, std::int32_t label) const { return 0 < j && j <= size() && label_[j] == label; }

  // Calls visit(j) for each j such that the j-th word has the label.
  template <typename Visit>
  void each(std::int32_t label, Visit visit) const {
    for (auto k = begin_[label]; k < begin_[label + 1]; ++k) visit(place_[k]);
  }

 private:
  std::vector<std::int32_t> before_, first_;
  std::vector<std::int32_t> label_;          // of the j-th word
  std::vector<std::int32_t> begin_, place_;  // by label: the numbers j of its words
};

}  // namespace latticemetric
