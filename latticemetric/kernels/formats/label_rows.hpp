// Labels as rows of one buffer. They are copied as they stand in a file, and become texts only when somebody asks for
// them.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "memory/budget.hpp"

namespace latticemetric {

// Row r is `values[begin[r] .. begin[r + 1])`: UTF-8 (`char`), or ids (`std::int32_t`), which are joined by `_` as
// texts.
template <typename T>
struct LabelRows {
  std::vector<std::int64_t> begin{0};
  std::vector<T> values;

  // Adds a row and returns its number, from 1; an empty row is not added and has number 0. `bytes` need not be aligned.
  // `most` is an upper bound of all values to come, for which room is reserved once.
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

  // Gives back memory that is not used, if that is much.
  void shrink() {
    if (values.capacity() > 2 * values.size()) values.shrink_to_fit();
  }
};

// Copies the rows with these numbers (from 0) into a buffer of their own, in the order of `rows`.
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

// Returns rows of ids as texts: ids joined by `_`.
LabelRows<char> joined_rows(const std::int64_t* begin, const std::int32_t* ids, std::size_t count);

// Returns texts as rows of ids; nothing if a text is not a list of ids as `joined_rows` writes it.
std::optional<LabelRows<std::int32_t>> split_rows(const std::int64_t* begin, const char* texts, std::size_t count);

}  // namespace latticemetric
