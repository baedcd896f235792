// Tasks in several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "memory/budget.hpp"

namespace latticemetric {

// Thrown in the other threads once the calling thread has ended by an exception.
struct Stopped {};

namespace threads {

// What the budgets of the other threads ask. A budget takes plain functions.
inline thread_local std::size_t sharing = 1;  // the threads that share the memory of a call
inline thread_local const std::atomic<bool>* stopped = nullptr;
inline void check_stopped() {
  if (stopped != nullptr && stopped->load(std::memory_order_relaxed)) throw Stopped{};
}

}  // namespace threads

// Calls work(thread, task) for each task 0 .. tasks - 1, in `count` threads at most. The calling thread, number 0, is
// one of them: its budget looks at signals. If it ends by an exception, so do the others. Each other thread has a budget
// of its own, of `most_bytes`. `work` throws nothing else.
//
// Threads last for one call, so that there are none when the process is forked.
template <typename Work>
void in_threads(std::size_t count, std::size_t tasks, Budget::MostBytes most_bytes, const Work& work) {
  constexpr std::size_t portion = 4;  // tasks that a thread takes at a time
  std::atomic<std::size_t> next{0};
  std::atomic<bool> is_over{false};
  const auto take = [&](std::size_t thread) {
    for (;;) {
      const std::size_t first = next.fetch_add(portion, std::memory_order_relaxed);
      if (first >= tasks) return;
      for (std::size_t task = first; task < std::min(first + portion, tasks); ++task) {
        if (is_over.load(std::memory_order_relaxed)) return;
        work(thread, task);
      }
    }
  };
  std::vector<std::thread> others;
  const auto join = [&others] {
    for (auto& other : others) other.join();
  };
  try {
    for (std::size_t k = 1; k < std::min(count, (tasks + portion - 1) / portion); ++k)
      others.emplace_back([&, k] {
        threads::stopped = &is_over;
        threads::sharing = count;
        const Budget budget(most_bytes, threads::check_stopped);
        try {
          take(k);
        } catch (const Stopped&) {
        }
      });
    take(0);
  } catch (...) {
    is_over = true;
    join();
    throw;
  }
  join();
}

}  // namespace latticemetric
