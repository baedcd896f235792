// Labels as rows of one buffer: they are copied as they stand in a file, and made texts when somebody asks for them.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "memory/budget.hpp"

namespace latticemetric {

// Row r is `values[begin[r] .. begin[r + 1])`: UTF-8 (`char`), or ids that are joined by `_` (`std::int32_t`).
template <typename T>
struct LabelRows {
  std::vector<std::int64_t> begin{0};
  std::vector<T> values;

  // The number of a new row, from 1; nothing has number 0. `bytes` need not be aligned; `most` more values may follow.
  std::int32_t add(const char* bytes, std::size_t size, std::size_t most) {
    if (size == 0) return 0;
    if (values.empty()) values.reserve(most);
    poll(static_cast<std::int64_t>(size / 16));
    const auto at = values.size();
    values.resize(at + size);
    std::memcpy(values.data() + at, bytes, size * sizeof(T));
    begin.push_back(static_cast<std::int64_t>(values.size()));
    return static_cast<std::int32_t>(begin.size()) - 1;
  }

  // Gives back what was too much.
  void shrink() {
    if (values.capacity() > 2 * values.size()) values.shrink_to_fit();
  }
};

// Rows of a buffer, in the order of their numbers (from 0), as a buffer of their own.
template <typename T>
LabelRows<T> taken_rows(const std::int64_t* begin, const T* values, const std::int64_t* rows, std::size_t count) {
  LabelRows<T> taken;
  std::size_t size = 0;
  for (std::size_t k = 0; k < count; ++k) {
    poll(2);
    size += static_cast<std::size_t>(begin[rows[k] + 1] - begin[rows[k]]);
  }
  taken.begin.reserve(count + 1);
  taken.values.reserve(size);
  for (std::size_t k = 0; k < count; ++k) {
    poll((begin[rows[k] + 1] - begin[rows[k]]) / 16 + 5);
    taken.values.insert(taken.values.end(), values + begin[rows[k]], values + begin[rows[k] + 1]);
    taken.begin.push_back(static_cast<std::int64_t>(taken.values.size()));
  }
  return taken;
}

// Rows of ids as texts: ids are joined by `_`.
LabelRows<char> joined_rows(const std::int64_t* begin, const std::int32_t* ids, std::size_t count);

}  // namespace latticemetric
