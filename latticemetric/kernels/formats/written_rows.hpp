// Rows of a text: every row has the same parts, such as a number, a tab and a word. Writers of formats give the parts as
// columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace latticemetric {

// Texts by number, one after the other: text k is `bytes[begin[k] .. begin[k + 1])`.
struct TextTable {
  const std::int64_t* begin;
  const char* bytes;

  std::string_view operator[](std::int32_t k) const {
    return {bytes + begin[k], static_cast<std::size_t>(begin[k + 1] - begin[k])};
  }
};

// A part of each row. A column has one value for each row.
struct RowPart {
  enum class Kind {
    constant,  // `text`
    integers,  // of `integers`; `text` instead of 0, if it is not empty
    doubles,   // of `doubles`, as Python's `repr`
    floats,    // of `floats`, as NumPy's `str`
    texts,     // of `table`, by the numbers in `integers`; before a text that is not empty stands `text`
  };
  Kind kind = Kind::constant;
  std::string_view text;
  const std::int32_t* integers = nullptr;
  const double* doubles = nullptr;
  const float* floats = nullptr;
  TextTable table{};
};

std::string written_rows(std::size_t rows, const std::vector<RowPart>& parts);

// A number takes at most so many bytes.
inline constexpr std::size_t longest_number = 32;

// Writes the shortest decimal that is read as the same 64 bits, as Python's `repr` does: with an exponent below 0.0001
// and from 1e16 on. Returns the end.
char* write_number(char* at, double value);

// Writes the shortest decimal that is read as the same 32 bits, as `str` of NumPy 2.4 does: with an exponent below
// 0.0001 and from 1e6 on. Older versions of NumPy write exponents from 1e16 on.
char* write_number(char* at, float value);

}  // namespace latticemetric
