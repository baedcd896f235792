// What the readers of usual files share. Such a reader leaves every other file, above all one with an error, to the reader
// in Python, which says what is wrong where.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "formats/text.hpp"

namespace latticemetric {

// The file is none of those that are read here.
struct Unusual {};

// Lines without blank lines and comments.
class UsualLines {
 public:
  // `comment` is what comments begin with; it is empty if the format has none.
  explicit UsualLines(std::string_view text, std::string_view comment = {}) : lines_(text), comment_(comment) {
    if (!is_utf8(text)) throw Unusual{};
  }

  bool next(std::string_view& line) {
    while (lines_.next(line)) {
      while (!line.empty() && is_space(line[0])) line.remove_prefix(1);
      if (!line.empty() && (comment_.empty() || line.substr(0, comment_.size()) != comment_)) return true;
    }
    return false;
  }

  // Takes the next line, which begins with a keyword; returns what follows.
  std::string_view after(std::string_view keyword) {
    std::string_view line;
    if (!next(line) || take_field(line, is_space) != keyword) throw Unusual{};
    return line;
  }

  // Takes a line of a keyword and one value.
  std::string_view value(std::string_view keyword) {
    const Fields<1> fields(after(keyword));
    if (fields.count != 1) throw Unusual{};
    return fields.field[0];
  }

 private:
  Lines lines_;
  std::string_view comment_;
};

inline std::int32_t usual_number(std::string_view field) {
  std::int64_t number = 0;
  const char* const end = field.data() + field.size();
  if (field.empty() || field.size() > 10 || read_digits(field.data(), end, number) != end || number >= 0x7fffffff)
    throw Unusual{};
  return static_cast<std::int32_t>(number);
}

inline std::int32_t usual_number(std::string_view field, std::size_t below) {
  const auto number = usual_number(field);
  if (static_cast<std::size_t>(number) >= below) throw Unusual{};
  return number;
}

inline double usual_score(std::string_view field) {
  constexpr std::size_t longest = 1000;
  if (field.size() > longest) throw Unusual{};
  return parse_score(field, 0);
}

// Returns what a reader returns; nothing if the file is not usual.
template <typename Read>
auto if_usual(const Read& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const Unusual&) {
    return std::nullopt;
  } catch (const ParseError&) {
    return std::nullopt;
  }
}

}  // namespace latticemetric
