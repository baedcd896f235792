// What the text parsers share: fields of a line, numbers, distinct words, errors with their line.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "budget.hpp"

namespace latticemetric {

// A text that breaks its format; `line` counts from 1 within the text that was given.
struct ParseError : std::runtime_error {
  ParseError(std::int64_t line, const std::string& what) : std::runtime_error(what), line(line) {}
  std::int64_t line;
};

// A field as an error shows it: quoted, short, and UTF-8 only (bytes that are not are replaced).
std::string quoted(std::string_view field);

bool is_utf8(std::string_view text);

inline bool is_space(char c) { return c == ' ' || static_cast<unsigned char>(c - '\t') < 5; }

// Lines of a text, one after the other, without their ends.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    poll(100);
    ++number_;
    const auto* end = static_cast<const char*>(std::memchr(rest_.data(), '\n', rest_.size()));
    const std::size_t size = end ? static_cast<std::size_t>(end - rest_.data()) : rest_.size();
    line = rest_.substr(0, size);
    rest_.remove_prefix(end ? size + 1 : size);
    return true;
  }

  std::int64_t number() const { return number_; }

 private:
  std::string_view rest_;
  std::int64_t number_ = 0;
};

// Fields of a line, separated by ASCII white space; one more than `most` are counted but not kept.
template <std::size_t most>
struct Fields {
  std::string_view field[most];
  std::size_t count = 0;

  explicit Fields(std::string_view line) {
    const char* at = line.data();
    const char* const end = at + line.size();
    for (;;) {
      while (at < end && is_space(*at)) ++at;
      if (at == end) return;
      const char* const begin = at;
      while (at < end && !is_space(*at)) ++at;
      if (count < most) field[count] = std::string_view(begin, static_cast<std::size_t>(at - begin));
      ++count;
    }
  }
};

// A whole number in 0 .. 2^31 - 2 without sign or leading zeros; false if the field is not one.
inline bool parse_number(std::string_view field, std::int32_t& number) {
  if (field.empty() || field.size() > 10 || (field[0] == '0' && field.size() > 1)) return false;
  std::int64_t value = 0;
  for (const char c : field) {
    if (c < '0' || c > '9') return false;
    value = 10 * value + (c - '0');
  }
  number = static_cast<std::int32_t>(value);
  return value < 0x7fffffff;
}

std::int32_t parse_state(std::string_view field, std::int64_t line);

// A finite score of any spelling.
double parse_any_score(std::string_view field, std::int64_t line);

// A score of up to fifteen digits without an exponent. Such a score is a whole number over a power of ten, both exact
// in a double, so that one division rounds correctly (Clinger 1990).
struct PlainScore {
  bool is_plain = false;  // false for any other spelling
  double value = 0;
  std::int64_t digits = 0;

  explicit PlainScore(std::string_view field) {
    static constexpr double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                        1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const char* at = field.data();
    const char* const end = at + field.size();
    const bool negative = at < end && *at == '-';
    at += negative;
    if (field.size() > 16 || at == end || *at < '0' || *at > '9') return;
    while (at < end && *at >= '0' && *at <= '9') digits = 10 * digits + (*at++ - '0');
    int decimals = 0;
    if (at < end && *at == '.') {
      const char* const point = at++;
      while (at < end && *at >= '0' && *at <= '9') digits = 10 * digits + (*at++ - '0');
      decimals = static_cast<int>(at - point) - 1;
    }
    if (at != end || digits >= 1000000000000000) return;
    value = static_cast<double>(digits) / powers[decimals];
    if (negative) value = -value;
    is_plain = true;
  }

  // Whether it has at most six digits before trailing zeros: such a number comes back from 32 bits as it was.
  bool is_short() const {
    auto rest = digits;
    while (rest >= 1000000 && rest % 10 == 0) rest /= 10;
    return rest < 1000000;
  }
};

// A finite score.
inline double parse_score(std::string_view field, std::int64_t line) {
  const PlainScore plain(field);
  return plain.is_plain ? plain.value : parse_any_score(field, line);
}

// A number of 32 bits as the double that its shortest decimal means: 0.1f is 0.1, and not 0.100000001490116.
inline double as_decimal(float value) {
  if (!std::isfinite(value)) return value;
  char text[32];
  const char* const end = std::to_chars(text, text + sizeof(text), value, std::chars_format::scientific).ptr;
  double result = 0;
  std::from_chars(text, end, result);
  return result;
}

// Distinct words, numbered from 1 in order of appearance; the empty word is 0. Views into the text that was parsed.
class Words {
 public:
  std::int32_t number(std::string_view word, std::int64_t line) {
    if (word.empty()) return 0;
    const auto [entry, is_new] = numbers_.try_emplace(word, static_cast<std::int32_t>(words_.size()) + 1);
    if (is_new) {
      if (!is_utf8(word)) throw ParseError(line, quoted(word) + " is not UTF-8; convert the file with iconv");
      words_.push_back(word);
    }
    return entry->second;
  }

  const std::vector<std::string_view>& words() const { return words_; }

 private:
  std::unordered_map<std::string_view, std::int32_t> numbers_;
  std::vector<std::string_view> words_;
};

// A column of words: numbers as long as all of them are written as numbers, else numbered symbols. The parser that
// meets the first that is not a number starts again with symbols.
class WordColumn {
 public:
  struct NotNumbers {};

  explicit WordColumn(bool symbols = false) : symbols_(symbols) {}

  void reserve(std::size_t size) { values_.reserve(size); }

  void add(std::string_view word, std::int64_t line) {
    std::int32_t number = 0;
    if (symbols_)
      number = is_epsilon(word) ? 0 : words_.number(word, line);
    else if (!parse_number(word, number))
      throw NotNumbers{};
    values_.push_back(number);
  }

  // A word that is known to be written as a number, in a column of such.
  void add(std::int32_t number) { values_.push_back(number); }

  bool numeric() const { return !symbols_; }
  std::vector<std::int32_t> take() { return std::move(values_); }
  const std::vector<std::string_view>& words() const { return words_.words(); }

  static bool is_epsilon(std::string_view word) { return word == "<eps>" || word == "<epsilon>" || word == "\u03b5"; }

 private:
  bool symbols_;
  std::vector<std::int32_t> values_;
  Words words_;
};

}  // namespace latticemetric
