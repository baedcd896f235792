// The items and the time that a search may take.
#pragma once

#include <chrono>
#include <cstdint>

namespace latticemetric {

// Counts items of a search: partial results that it compares. A number of items gives the same result on every machine,
// a number of seconds does not.
class SearchEffort {
 public:
  // `seconds` may be infinite.
  SearchEffort(std::int64_t most_items, double seconds)
      : most_items_(most_items), limit_(most_items), seconds_(seconds) {}

  // Takes an item. Returns whether the search may go on.
  bool take_item() {
    ++taken_;
    if (--until_look_ < 0) look();
    return taken_ <= limit_ && !is_late_;
  }

  // The items taken so far.
  std::int64_t taken() const { return taken_; }

  // Lets the next part of the search take so many items, but not more than are left.
  void allow(std::int64_t items) {
    limit_ = items < most_items_ - taken_ ? taken_ + items : most_items_;
  }

  // Looks at the clock. Returns whether all items are taken, or the time is over.
  bool is_over() {
    look();
    return taken_ >= most_items_ || is_late_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::int32_t items_a_look = 4096;

  void look() {
    until_look_ = items_a_look;
    if (std::chrono::duration<double>(Clock::now() - start_).count() >= seconds_) is_late_ = true;
  }

  const std::int64_t most_items_;
  std::int64_t limit_, taken_ = 0;
  std::int32_t until_look_ = items_a_look;
  const double seconds_;
  const Clock::time_point start_ = Clock::now();
  bool is_late_ = false;
};

}  // namespace latticemetric
