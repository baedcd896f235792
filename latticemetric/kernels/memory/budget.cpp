#include "memory/budget.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "memory/task_limits.hpp"

#if defined(__linux__)

#include <malloc.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace latticemetric {
namespace {

constexpr std::int64_t unasked = std::int64_t{1} << 26;  // bytes up to which nobody asks `most_bytes`

struct Account {
  Budget::MostBytes most_bytes;  // null: nothing is counted
  bool asked;
  std::int64_t taken;
  std::int64_t most;
};

// Lies in the thread's static block: allocations are frequent, and looking up a dynamic block would take as long as an
// allocation.
__attribute__((tls_model("initial-exec"))) thread_local Account account{};

[[gnu::noinline]] void examine() {
  if (!account.asked) {
    account.asked = true;
    const auto most_bytes = account.most_bytes;
    account.most_bytes = nullptr;  // memory that Python takes for its answer is not counted
    const auto most = most_bytes();
    account.most_bytes = most_bytes;
    account.most = std::max(unasked, static_cast<std::int64_t>(std::min<std::size_t>(most, INT64_MAX)));
  }
}

// Stops counting while it lives: memory that Python takes while it handles signals is not the kernel's.
class Uncounted {
 public:
  Uncounted() : most_bytes_(account.most_bytes) { account.most_bytes = nullptr; }
  ~Uncounted() { account.most_bytes = most_bytes_; }
  Uncounted(const Uncounted&) = delete;
  Uncounted& operator=(const Uncounted&) = delete;

 private:
  const Budget::MostBytes most_bytes_;
};

// Blocks of at least `large` bytes are put on huge pages: the system provides 2 MB at a time instead of 4 KB.
constexpr std::size_t huge_page = std::size_t{1} << 21, large = 2 * huge_page;

void* allocate_large(std::size_t size) {
  if (size > PTRDIFF_MAX - huge_page) return nullptr;
  size = (size + huge_page - 1) / huge_page * huge_page;
  void* block = std::aligned_alloc(huge_page, size);
  if (block != nullptr) madvise(block, size, MADV_HUGEPAGE);  // only a hint, which the system may ignore
  return block;
}

void open_account(Budget::MostBytes most_bytes) { account = {most_bytes, false, 0, unasked}; }

void* allocate(std::size_t size) {
  if (account.most_bytes != nullptr) {
    const auto wanted = static_cast<std::int64_t>(std::min<std::size_t>(size, INT64_MAX / 2));
    if (account.taken + wanted > account.most) examine();
    if (account.taken + wanted > account.most) throw OverBudget(static_cast<std::size_t>(account.most));
  }
  void* block = size < large ? std::malloc(size > 0 ? size : 1) : allocate_large(size);
  if (block == nullptr) throw std::bad_alloc();
  if (account.most_bytes != nullptr) account.taken += static_cast<std::int64_t>(malloc_usable_size(block));
  return block;
}

void release(void* block) noexcept {
  if (account.most_bytes != nullptr && block != nullptr)
    account.taken -= static_cast<std::int64_t>(malloc_usable_size(block));
  std::free(block);
}

struct Allowance {
  bool asked = false;
  std::int64_t most = 0;
};

Allowance allowance() { return {account.asked, account.most}; }
void set_allowance(Allowance allowed) {
  account.asked = allowed.asked;
  account.most = allowed.most;
}
std::int64_t taken_bytes() { return account.taken; }

}  // namespace

void keep_freed_memory() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_THRESHOLD, 1 << 25);  // the largest value that mallopt accepts
  mallopt(M_TRIM_THRESHOLD, 1 << 26);
#endif
}

bool has_bytes(double bytes) {
  if (account.most_bytes == nullptr) return true;
  const auto exceeds = [bytes] { return static_cast<double>(account.taken) + bytes > static_cast<double>(account.most); };
  if (exceeds()) examine();
  return !exceeds();
}

void require_bytes(double bytes) {
  if (!has_bytes(bytes)) throw OverBudget(static_cast<std::size_t>(account.most));
}

}  // namespace latticemetric

// These replace the standard library's operators in this extension only: its linker script exports nothing but the
// module's entry point.
void* operator new(std::size_t size) { return latticemetric::allocate(size); }
void* operator new[](std::size_t size) { return latticemetric::allocate(size); }
void operator delete(void* block) noexcept { latticemetric::release(block); }
void operator delete[](void* block) noexcept { latticemetric::release(block); }
void operator delete(void* block, std::size_t) noexcept { latticemetric::release(block); }
void operator delete[](void* block, std::size_t) noexcept { latticemetric::release(block); }

#else

namespace latticemetric {
namespace {

struct Uncounted {
  Uncounted() {}
  ~Uncounted() {}
};
void open_account(Budget::MostBytes) {}
struct Allowance {
  bool asked = false;
  std::int64_t most = 0;
};
Allowance allowance() { return {}; }
void set_allowance(Allowance) {}
std::int64_t taken_bytes() { return 0; }

}  // namespace

void keep_freed_memory() {}

bool has_bytes(double) { return true; }

void require_bytes(double) {}

}  // namespace latticemetric

#endif

namespace latticemetric {
namespace {

using Clock = std::chrono::steady_clock;

// The clock is read once per so many steps, which take about a tenth of a millisecond.
constexpr std::int64_t steps_a_look = std::int64_t{1} << 17;
// Python switches threads every 5 ms, so a kernel may wait that long for the GIL. Checks are rare enough that it does
// not spend most of its time waiting.
constexpr auto between_checks = std::chrono::milliseconds(40);

struct Signals {
  Budget::CheckSignals check;  // null: no kernel runs
  bool has_begun;
  Clock::time_point next;
  Clock::time_point deadline;  // of a task; the largest time if there is none
};
thread_local Signals signals{};

void watch(Budget::CheckSignals check) {
  signals = {check, false, {}, Clock::time_point::max()};
  polling::steps_left = steps_a_look;
}

}  // namespace

__thread std::int64_t polling::steps_left = steps_a_look;

// The first look of a kernel only starts its clock, so a small call reads the clock once at most.
void polling::look() {
  steps_left = steps_a_look;
  if (signals.check == nullptr) return;
  const auto now = Clock::now();
  if (now >= signals.deadline) throw TimedOut{};
  const bool is_time = signals.has_begun && now >= signals.next;
  if (signals.has_begun && !is_time) return;
  signals.has_begun = true;
  signals.next = now + between_checks;
  if (!is_time) return;
  const Uncounted uncounted;
  signals.check();
}

Budget::Budget(MostBytes most_bytes, CheckSignals check_signals) {
  open_account(most_bytes);
  watch(check_signals);
}

Budget::~Budget() {
  open_account(nullptr);
  watch(nullptr);
}

LimitedTask::LimitedTask(const TaskLimits& limits) {
  const Allowance before = allowance();
  asked_ = before.asked;
  most_ = before.most;
  constexpr std::size_t largest = INT64_MAX / 2;
  if (limits.bytes) set_allowance({true, taken_bytes() + static_cast<std::int64_t>(std::min(*limits.bytes, largest))});
  if (limits.time) signals.deadline = Clock::now() + *limits.time;
}

LimitedTask::~LimitedTask() {
  set_allowance({asked_, most_});
  signals.deadline = Clock::time_point::max();
}

}  // namespace latticemetric
