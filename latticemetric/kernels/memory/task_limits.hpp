// Limits of one of several tasks of a call, whose budget outlives it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace latticemetric {

// Thrown by a task that polls, once it takes more time than it may.
struct TimedOut {};

// The limits of each of several tasks of a call.
struct TaskLimits {
  std::optional<std::size_t> bytes;
  std::optional<std::chrono::steady_clock::duration> time;
};

// Holds one task of a call to limits, beside those of its thread's budget: to the bytes that it takes beyond those that
// the thread has, in place of those of the budget, and to a time. The budget must outlive it.
class LimitedTask {
 public:
  explicit LimitedTask(const TaskLimits& limits);
  ~LimitedTask();
  LimitedTask(const LimitedTask&) = delete;
  LimitedTask& operator=(const LimitedTask&) = delete;

 private:
  bool asked_ = false;
  std::int64_t most_ = 0;
};

}  // namespace latticemetric
