// The memory that one call of a kernel may take.
#pragma once

#include <cstddef>
#include <new>

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

// Counts what the current thread allocates, from its construction to its destruction, and frees. An allocation that
// would pass the budget throws `OverBudget` before it takes anything.
//
// `most_bytes` says how large the budget is. It is called once a budget, when the first 64 MB are taken: small calls
// must not pay for the answer, and large ones need the state of the machine of that moment.
//
// Nothing is counted where the C library does not tell the size of a block (outside of Linux).
class Budget {
 public:
  using MostBytes = std::size_t (*)();
  explicit Budget(MostBytes most_bytes);
  ~Budget();
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;
};

}  // namespace latticemetric
