// Limits of one call of a kernel: its memory, and the time until it looks at signals again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <vector>

namespace latticemetric {

// A kernel asked for more memory than its budget. It is a `bad_alloc`, so that every allocation may throw it.
class OverBudget : public std::bad_alloc {
 public:
  explicit OverBudget(std::size_t most) : most_(most) {}
  std::size_t most() const { return most_; }
  const char* what() const noexcept override { return "more memory than this call may take"; }

 private:
  std::size_t most_;
};

// A search needs more memory, or larger numbers, than there are. The message says what is too large and what to do.
struct TooLarge : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Counts the bytes that the current thread allocates and frees while the budget lives. An allocation that would exceed
// the budget throws `OverBudget` and takes nothing.
//
// `most_bytes` returns the size of the budget. It is called at most once per budget, when the call needs more than 64
// MB: small calls must not pay for the answer, and for large ones the answer depends on the state of the machine at
// that moment.
//
// `check_signals` is called every 40 ms by a kernel that polls. An exception that it throws ends the kernel.
//
// Memory is counted on Linux only: elsewhere the C library does not tell the size of a block.
class Budget {
 public:
  using MostBytes = std::size_t (*)();
  using CheckSignals = void (*)();
  Budget(MostBytes most_bytes, CheckSignals check_signals);
  ~Budget();
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;
};

// Makes the C library keep freed memory for later allocations. Giving it back and getting it again, page by page, takes
// a fiftieth of the time of a command. For programs of our own, not for a process that only loads the library.
void keep_freed_memory();

// Returns whether the current budget has `bytes` left. Does not take them.
bool has_bytes(double bytes);

// Throws `OverBudget` unless the current budget has `bytes` left.
void require_bytes(double bytes);

namespace polling {

// `__thread`, not `thread_local`: a reader need not call a function that checks whether it is initialised.
extern __attribute__((tls_model("initial-exec"))) __thread std::int64_t steps_left;
void look();

}  // namespace polling

// Counts steps of about a nanosecond each, and looks at signals after enough of them. Every loop that may take long
// calls this. A loop of known length calls it once with its length, up to some 100,000.
inline void poll(std::int64_t steps = 1) {
  if ((polling::steps_left -= steps) < 0) polling::look();
}

// Returns a vector of `size` copies of `value`. Polls while the system provides the pages.
template <typename T>
std::vector<T> filled(std::size_t size, T value) {
  constexpr std::size_t portion = std::size_t{1} << 20;
  std::vector<T> table;
  table.reserve(size);
  while (table.size() < size) {
    poll(static_cast<std::int64_t>(portion / 8));
    table.resize(std::min(size, table.size() + portion / sizeof(T)), value);
  }
  return table;
}

}  // namespace latticemetric
