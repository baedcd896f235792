// Lines of records: every line has the same parts, such as a name in quotes and a number. Tables of results give the
// parts as columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace latticemetric {

// What a text writes in place of characters that would end it.
enum class Escape { none, json, tsv };

// A part of each line. A column has one value for each line.
struct LinePart {
  enum class Kind {
    constant,  // `text`
    integers,  // of `integers`
    lists,     // of `integers` or `reals`, from `begin[line]` to `begin[line + 1]`, with `text` between them
    reals,     // of `reals`, as Python's `repr`; `text` for NaN
    wholes,    // the same, but whole numbers as integers
    decimals,  // of `reals`, rounded to `places` decimal places
    texts,     // of `bytes`, from `begin[line]` to `begin[line + 1]`; in at least `width` columns, to the right
  };
  Kind kind = Kind::constant;
  std::string_view text;
  const std::int64_t* integers = nullptr;
  const double* reals = nullptr;
  const char* bytes = nullptr;
  const std::int64_t* begin = nullptr;
  Escape escape = Escape::none;
  int places = 0;
  std::size_t width = 0;
};

// Texts one after the other, with the end of each.
struct TextRows {
  std::string texts;
  std::vector<std::int64_t> begin{0};

  void add(std::string_view text) {
    texts += text;
    close();
  }

  // Ends a text that was appended to `texts`.
  void close() { begin.push_back(static_cast<std::int64_t>(texts.size())); }
};

// Numbers must be finite, except those that have a text for NaN.
TextRows record_lines(std::size_t lines, const std::vector<LinePart>& parts);

}  // namespace latticemetric
