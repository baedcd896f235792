#include "budget.hpp"

#include <cstdint>

#if defined(__linux__)

#include <malloc.h>

#include <algorithm>
#include <cstdlib>

namespace latticemetric {
namespace {

constexpr std::int64_t unasked = std::int64_t{1} << 26;

struct Account {
  Budget::MostBytes most_bytes;  // null: nothing is counted
  bool asked;
  std::int64_t taken;
  std::int64_t most;
};

// Part of the thread's static block: allocations are frequent, and a lookup would cost as much as one of them.
__attribute__((tls_model("initial-exec"))) thread_local Account account{};

[[gnu::noinline]] void examine() {
  if (!account.asked) {
    account.asked = true;
    const auto most_bytes = account.most_bytes;
    account.most_bytes = nullptr;  // what Python allocates for its answer is not the kernel's
    const auto most = most_bytes();
    account.most_bytes = most_bytes;
    account.most = std::max(unasked, static_cast<std::int64_t>(std::min<std::size_t>(most, INT64_MAX)));
  }
}

void* allocate(std::size_t size) {
  if (account.most_bytes != nullptr) {
    const auto wanted = static_cast<std::int64_t>(std::min<std::size_t>(size, INT64_MAX / 2));
    if (account.taken + wanted > account.most) examine();
    if (account.taken + wanted > account.most) throw OverBudget(static_cast<std::size_t>(account.most));
  }
  void* block = std::malloc(size > 0 ? size : 1);
  if (block == nullptr) throw std::bad_alloc();
  if (account.most_bytes != nullptr) account.taken += static_cast<std::int64_t>(malloc_usable_size(block));
  return block;
}

void release(void* block) noexcept {
  if (account.most_bytes != nullptr && block != nullptr)
    account.taken -= static_cast<std::int64_t>(malloc_usable_size(block));
  std::free(block);
}

}  // namespace

Budget::Budget(MostBytes most_bytes) { account = {most_bytes, false, 0, unasked}; }

Budget::~Budget() { account = {}; }

}  // namespace latticemetric

// These replace the library's own for this extension alone: its linker script exports nothing but the module.
void* operator new(std::size_t size) { return latticemetric::allocate(size); }
void* operator new[](std::size_t size) { return latticemetric::allocate(size); }
void operator delete(void* block) noexcept { latticemetric::release(block); }
void operator delete[](void* block) noexcept { latticemetric::release(block); }
void operator delete(void* block, std::size_t) noexcept { latticemetric::release(block); }
void operator delete[](void* block, std::size_t) noexcept { latticemetric::release(block); }

#else

namespace latticemetric {

Budget::Budget(MostBytes) {}
Budget::~Budget() = default;

}  // namespace latticemetric

#endif
