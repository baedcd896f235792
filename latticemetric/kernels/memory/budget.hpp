// What one call of a kernel may take: memory, and time between two looks at signals.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <vector>

namespace latticemetric {

// A kernel asked for more than its budget. As a `bad_alloc`, it may leave any allocation.
class OverBudget : public std::bad_alloc {
 public:
  explicit OverBudget(std::size_t most) : most_(most) {}
  std::size_t most() const { return most_; }
  const char* what() const noexcept override { return "more memory than this call may take"; }

 private:
  std::size_t most_;
};

// A search needs more memory or more numbers than there are: a message says of what, and what to do.
struct TooLarge : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Counts what the current thread allocates, from its construction to its destruction, and frees. An allocation that
// would pass the budget throws `OverBudget` before it takes anything.
//
// `most_bytes` says how large the budget is. It is called once a budget, when the first 64 MB are taken: small calls
// must not pay for the answer, and large ones need the state of the machine of that moment.
//
// `check_signals` is called every 40 ms by a kernel that polls. What it throws ends the kernel.
//
// No memory is counted where the C library does not tell the size of a block (outside of Linux).
class Budget {
 public:
  using MostBytes = std::size_t (*)();
  using CheckSignals = void (*)();
  Budget(MostBytes most_bytes, CheckSignals check_signals);
  ~Budget();
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;
};

// Lets the C library keep the memory that is freed, for what is allocated next: giving it back and getting it again,
// page by page, takes a twentieth of the time of a command. For programs, not for a library's host.
void keep_freed_memory();

// Whether the current budget has so many bytes left. They are not taken.
bool has_bytes(double bytes);

// Throws `OverBudget` unless it has.
void require_bytes(double bytes);

namespace polling {

// `__thread`, not `thread_local`: no function has to ask whether it was initialised.
extern __attribute__((tls_model("initial-exec"))) __thread std::int64_t steps_left;
void look();

}  // namespace polling

// Counts steps of about a nanosecond, and looks at signals when enough of them are made. Every loop that may take long
// calls it; a loop of known length calls it once with its length, up to some 100,000.
inline void poll(std::int64_t steps = 1) {
  if ((polling::steps_left -= steps) < 0) polling::look();
}

// A table of so many values, which polls while the system gives it page by page.
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
