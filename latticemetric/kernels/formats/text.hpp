// What the text parsers share: fields of a line, numbers, distinct words, errors with their line.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "memory/budget.hpp"

namespace latticemetric {

// A text that breaks its format. `line` counts from 1 within the text that was given; 0 means the text as a whole.
// `place` says which part of a text without lines is meant: "edge 7".
struct ParseError : std::runtime_error {
  ParseError(std::int64_t line, const std::string& what, std::string place = "")
      : std::runtime_error(what), line(line), place(std::move(place)) {}
  std::int64_t line;
  std::string place;
};

// Return a text as errors show it: at most 40 characters, all of them UTF-8 and none zero (other bytes are replaced).
std::string shortened(std::string_view text);
std::string quoted(std::string_view text);

// Returns the number of bytes before the first one that is not UTF-8.
std::size_t utf8_size(std::string_view text);
inline bool is_utf8(std::string_view text) { return utf8_size(text) == text.size(); }

// Appends a code point as UTF-8. Half a character (a surrogate) becomes the three bytes that its code would have.
void append_utf8(std::string& text, std::uint32_t code);

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

  // Returns the text after the line that was read last.
  std::string_view rest() const { return rest_; }

  // Moves past `count` lines that were read from `rest()`, to the beginning of the line at `next`.
  void pass(std::size_t count, const char* next) {
    poll(100 * static_cast<std::int64_t>(count));
    number_ += static_cast<std::int64_t>(count);
    rest_.remove_prefix(static_cast<std::size_t>(next - rest_.data()));
  }

 private:
  std::string_view rest_;
  std::int64_t number_ = 0;
};

// The fields of a line, separated by ASCII white space. All are counted, but only the first `most` are kept.
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

// Takes the next field from the front of a text; an empty one at the end of the text.
template <typename Ends>
std::string_view take_field(std::string_view& text, Ends ends) {
  const char *at = text.data(), *const end = at + text.size();
  while (at < end && ends(*at)) ++at;
  const char* const begin = at;
  while (at < end && !ends(*at)) ++at;
  text = {at, static_cast<std::size_t>(end - at)};
  return {begin, static_cast<std::size_t>(at - begin)};
}

// Appends the digits that a text begins with to a number, which must have room for them. Returns where they end.
inline const char* read_digits(const char* at, const char* end, std::int64_t& number) {
  auto value = static_cast<std::uint64_t>(number);  // unsigned, so that no sign has to be kept
  for (; at < end; ++at) {
    const unsigned digit = static_cast<unsigned char>(*at) - unsigned{'0'};
    if (digit > 9) break;
    value = 10 * value + digit;
  }
  number = static_cast<std::int64_t>(value);
  return at;
}

// Returns eight bytes as a number, the first byte in the lowest place.
inline std::uint64_t eight_bytes(const char* at) {
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first byte must be the lowest");
  std::uint64_t bytes;
  std::memcpy(&bytes, at, sizeof bytes);
  return bytes;
}

// Returns the value of the `size` (one to eight) digits that eight bytes begin with. Joins digits to pairs, then pairs
// to the number.
inline std::int64_t value_of_digits(std::uint64_t bytes, int size) {
  constexpr std::uint64_t zeros = 0x3030303030303030u, pair = 0x000000ff000000ffu;
  constexpr std::uint64_t hundred = 100, million = 1000000, ten_thousand = 10000;
  bytes = (bytes ^ zeros) << (64 - 8 * size);  // drops what follows the digits, puts zeros before them
  bytes = bytes * 10 + (bytes >> 8);
  bytes = (bytes & pair) * (hundred + (million << 32)) + (bytes >> 16 & pair) * (1 + (ten_thousand << 32));
  return static_cast<std::int64_t>(bytes >> 32);
}

// Returns which of 64 bytes are no digits: one bit for each byte, the lowest bit for the first byte.
inline std::uint64_t bytes_without_digits(const char* at) {
  std::uint64_t marks = 0;
#ifdef __SSE2__
  for (int k = 0; k < 64; k += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + k));
    const __m128i digit = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
    const __m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit);
    marks |= static_cast<std::uint64_t>(~_mm_movemask_epi8(is_digit) & 0xffff) << k;
  }
#else
  for (int k = 0; k < 64; ++k) marks |= static_cast<std::uint64_t>(static_cast<unsigned char>(at[k] - '0') > 9) << k;
#endif
  return marks;
}

// Which of 64 bytes end lines, and which are blanks or control characters: one bit for each byte, as above.
struct LineMarks {
  std::uint64_t ends = 0, blanks = 0;

  explicit LineMarks(const char* at) {
#ifdef __SSE2__
    for (int k = 0; k < 64; k += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + k));
      const __m128i is_end = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n'));
      const __m128i is_blank = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(' ')), bytes);
      ends |= static_cast<std::uint64_t>(_mm_movemask_epi8(is_end)) << k;
      blanks |= static_cast<std::uint64_t>(_mm_movemask_epi8(is_blank)) << k;
    }
#else
    for (int k = 0; k < 64; ++k) {
      ends |= static_cast<std::uint64_t>(at[k] == '\n') << k;
      blanks |= static_cast<std::uint64_t>(static_cast<unsigned char>(at[k]) <= ' ') << k;
    }
#endif
  }
};

// Reads a whole number in 0 .. 2^31 - 2 without sign or leading zeros. Returns false if the field is not one.
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

// Returns a finite score of any spelling. Throws a ParseError if the field is not one.
double parse_any_score(std::string_view field, std::int64_t line);

// Powers of ten, all of which a double holds exactly.
inline constexpr double powers_of_ten[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                           1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
// A score of up to fifteen digits without an exponent. Such a score is a whole number divided by a power of ten. Both
// are exact in a double, so one division rounds correctly (Clinger 1990).
struct PlainScore {
  bool is_plain = false;  // false for any other spelling
  double value = 0;
  std::int64_t digits = 0;

  PlainScore() = default;

  explicit PlainScore(std::string_view field) { is_plain = read(field) == field.size() && is_plain; }

  // Reads the score that a text begins with. Returns the number of its characters; 0 if there is none of this spelling.
  std::size_t read(std::string_view text) {
    constexpr std::size_t longest = 16;
    const char *const begin = text.data(), *at = begin;
    const char* const end = begin + std::min(text.size(), longest + 1);
    const bool negative = at < end && *at == '-';
    at += negative;
    std::int64_t whole = 0;
    const char* const point = read_digits(at, end, whole);
    if (point == at) return 0;
    at = point < end && *point == '.' ? read_digits(point + 1, end, whole) : point;
    const auto size = static_cast<std::size_t>(at - begin);
    if (size > longest || whole >= 1000000000000000) return 0;
    digits = whole;
    value = static_cast<double>(whole) / powers_of_ten[at == point ? 0 : at - point - 1];
    if (negative) value = -value;
    is_plain = true;
    return size;
  }

  // Returns whether it has at most six digits before trailing zeros. Such a number survives rounding to 32 bits.
  bool is_short() const {
    auto rest = digits;
    while (rest >= 1000000 && rest % 10 == 0) rest /= 10;
    return rest < 1000000;
  }
};

// Returns a finite score, most of which are plain.
inline double parse_score(std::string_view field, std::int64_t line) {
  const PlainScore plain(field);
  return plain.is_plain ? plain.value : parse_any_score(field, line);
}

// Returns the double of the shortest decimal of a 32-bit number: 0.1f becomes 0.1, not 0.100000001490116.
//
// All decimals that are read as `value` differ from it by less than half a step of its last bit. The shortest of them
// has the fewest decimal places; if several have so few, the nearest one counts. Products of 24 bits and of 10^12 or
// less are exact, and a whole number divided by a power of ten is rounded once, as reading the decimal would round it.
// Ties, and powers of two, whose lower neighbours are nearer, are left to the library (`as_any_decimal`).
double as_any_decimal(float value);

inline double as_decimal(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const int exponent = static_cast<int>(bits >> 23 & 0xff) - 150;  // of the value of the last bit
  if ((bits & 0x7fffff) == 0 || exponent > 0 || exponent < -39) return value == 0 ? value : as_any_decimal(value);
  const auto half_bits = static_cast<std::uint64_t>(1022 + exponent) << 52;
  double half;  // a step
  std::memcpy(&half, &half_bits, sizeof half);
  const auto scaled = [value](int places) {
    constexpr double rounding = 0x1.8p52;
    return (value * powers_of_ten[places] + rounding) - rounding;
  };
  const auto away = [&](int places) { return std::fabs(scaled(places) - value * powers_of_ten[places]); };
  const auto most = [half](int places) { return half * powers_of_ten[places]; };
  // With so many places, decimals are no farther apart than steps of the last bit: log10(2) is about 1233 / 4096.
  int places = exponent == 0 ? 0 : (-exponent * 1233 >> 12) + 1;
  // A decimal of few places is also one of more places. Makes three tries without a branch, which could not be
  // predicted.
  int fewer = 0;
  bool ties = false;
  for (int k = 1; k <= 3; ++k) {
    const int tried = std::max(places - k, 0);
    fewer += away(tried) < most(tried);
    ties |= away(tried) == most(tried);
  }
  places = std::max(places - fewer, 0);
  if (fewer == 3)
    for (; places > 0 && away(places - 1) <= most(places - 1); --places) ties |= away(places - 1) == most(places - 1);
  if (ties || away(places) >= most(places) || away(places) == 0.5) return as_any_decimal(value);
  return scaled(places) / powers_of_ten[places];
}

// Distinct words, numbered from 1 in order of appearance; the empty word has number 0. Words are views into the text
// that was parsed.
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

  // Returns the number of a word; nothing if it has none.
  std::optional<std::int32_t> known(std::string_view word) const {
    const auto entry = numbers_.find(word);
    return entry == numbers_.end() ? std::nullopt : std::optional(entry->second);
  }

  const std::vector<std::string_view>& words() const { return words_; }

 private:
  std::unordered_map<std::string_view, std::int32_t> numbers_;
  std::vector<std::string_view> words_;
};

// A column of words: plain numbers if all words are written as numbers, else symbols that get numbers. A column of
// numbers throws NotNumbers at the first word that is none; the parser then starts again with symbols.
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

  bool numeric() const { return !symbols_; }
  std::vector<std::int32_t>& numbers() { return values_; }
  std::vector<std::int32_t> take() { return std::move(values_); }
  Words take_words() { return std::move(words_); }
  const std::vector<std::string_view>& words() const { return words_.words(); }
  std::optional<std::int32_t> known(std::string_view word) const { return words_.known(word); }

  static bool is_epsilon(std::string_view word) { return word == "<eps>" || word == "<epsilon>" || word == "\u03b5"; }

 private:
  bool symbols_;
  std::vector<std::int32_t> values_;
  Words words_;
};

}  // namespace latticemetric
