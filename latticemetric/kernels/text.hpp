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

namespace latticemetric {

// A text that breaks its format; `line` counts from 1 within the text that was given.
struct ParseError : std::runtime_error {
  ParseError(std::int64_t line, const std::string& what) : std::runtime_error(what), line(line) {}
  std::int64_t line;
};

// A field as an error shows it: quoted, short, and UTF-8 only (bytes that are not are replaced).
std::string quoted(std::string_view field);

bool is_utf8(std::string_view text);

inline bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Lines of a text, one after the other, without their ends.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}

  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
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

// A finite score.
double parse_score(std::string_view field, std::int64_t line);

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

// A column of words that may all be written as numbers. As long as they are, their values are kept; with the first
// that is not, the whole column becomes numbered symbols.
class WordColumn {
 public:
  void add(std::string_view word, std::int64_t line) {
    std::int32_t number = 0;
    if (symbols_.empty() && parse_number(word, number)) {
      values_.push_back(number);
      views_.push_back(word);
      lines_.push_back(line);
      return;
    }
    if (symbols_.empty()) become_symbols();
    symbols_.push_back(word_number(word, line));
  }

  bool numeric() const { return symbols_.empty(); }
  std::vector<std::int32_t> take() { return std::move(symbols_.empty() ? values_ : symbols_); }
  const std::vector<std::string_view>& words() const { return words_.words(); }

  static bool is_epsilon(std::string_view word) { return word == "<eps>" || word == "<epsilon>" || word == "\u03b5"; }

 private:
  std::int32_t word_number(std::string_view word, std::int64_t line) {
    return is_epsilon(word) ? 0 : words_.number(word, line);
  }

  void become_symbols() {
    symbols_.reserve(values_.size() + 1);
    for (std::size_t k = 0; k < views_.size(); ++k) symbols_.push_back(word_number(views_[k], lines_[k]));
  }

  std::vector<std::int32_t> values_, symbols_;
  std::vector<std::string_view> views_;
  std::vector<std::int64_t> lines_;
  Words words_;
};

}  // namespace latticemetric
