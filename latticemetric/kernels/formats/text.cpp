#include "formats/text.hpp"

#include <algorithm>

namespace latticemetric {

namespace {

// Returns the size of the character that begins at a byte; 0 if none does.
std::size_t character_size(const unsigned char* at, const unsigned char* end) {
  if (*at < 0x80) return 1;
  const int more = *at >= 0xf0 ? 3 : *at >= 0xe0 ? 2 : 1;
  if (*at < 0xc2 || *at > 0xf4 || end - at <= more) return 0;
  // Overlong forms, surrogates and numbers past U+10FFFF show in the second byte.
  const unsigned char low = *at == 0xe0 ? 0xa0 : *at == 0xf0 ? 0x90 : 0x80;
  const unsigned char high = *at == 0xed ? 0x9f : *at == 0xf4 ? 0x8f : 0xbf;
  if (at[1] < low || at[1] > high) return 0;
  for (int k = 2; k <= more; ++k)
    if ((at[k] & 0xc0) != 0x80) return 0;
  return static_cast<std::size_t>(more) + 1;
}

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

}  // namespace

std::size_t utf8_size(std::string_view text) {
  const auto* const begin = bytes_of(text);
  const auto* const end = begin + text.size();
  const auto* at = begin;
  while (at < end) {
    poll();
    std::uint64_t eight = 0;
    while (end - at >= 8 && (std::memcpy(&eight, at, 8), (eight & 0x8080808080808080u) == 0)) at += 8;
    if (at == end) break;
    const std::size_t size = character_size(at, end);
    if (size == 0) break;
    at += size;
  }
  return static_cast<std::size_t>(at - begin);
}

void append_utf8(std::string& text, std::uint32_t code) {
  const auto follow = [&](int shift) { text += static_cast<char>(0x80 | ((code >> shift) & 0x3f)); };
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xc0 | (code >> 6));
    follow(0);
  } else if (code < 0x10000) {
    text += static_cast<char>(0xe0 | (code >> 12));
    follow(6);
    follow(0);
  } else {
    text += static_cast<char>(0xf0 | (code >> 18));
    follow(12);
    follow(6);
    follow(0);
  }
}

std::string shortened(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string result;
  std::size_t count = 0, before_last = 0;
  const auto* at = bytes_of(text);
  for (const auto* const end = at + text.size(); at < end; ++count) {
    if (count == longest) return result.substr(0, before_last) + "…";
    before_last = result.size();
    const std::size_t size = character_size(at, end);
    size == 0 || *at == 0 ? result += '?' : result.append(reinterpret_cast<const char*>(at), size);
    at += std::max<std::size_t>(size, 1);
  }
  return result;
}

std::string quoted(std::string_view text) { return "'" + shortened(text) + "'"; }

std::int32_t parse_state(std::string_view field, std::int64_t line) {
  std::int64_t value = 0;
  bool sane = !field.empty() && field.size() <= 10;
  for (const char c : field) {
    sane = sane && c >= '0' && c <= '9';
    value = 10 * value + (c - '0');
    if (!sane) break;
  }
  if (!sane || value >= 0x7fffffff) throw ParseError(line, quoted(field) + " is not a state number");
  return static_cast<std::int32_t>(value);
}

namespace {

// Returns whether a decimal outside the range of doubles is too small rather than too large. strtod could tell, but it
// reads numbers as the locale does.
bool is_below_one(std::string_view field) {
  const std::size_t exponent_at = std::min(field.find_first_of("eE"), field.size());
  const std::string_view mantissa = field.substr(0, exponent_at);
  const std::size_t first = mantissa.find_first_of("123456789");
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  if (first == std::string_view::npos) return true;
  // The place of the first digit that is not 0: 0 for the last one before the point, -1 for the first one after it.
  const std::int64_t place = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) - (first < point);
  std::int64_t exponent = 0;
  const char* begin = field.data() + std::min(exponent_at + 1, field.size());
  const char* const end = field.data() + field.size();
  if (begin < end && *begin == '+') ++begin;
  const bool fits = begin == end || std::from_chars(begin, end, exponent).ec == std::errc();
  if (!fits) return *begin == '-';
  return exponent < -place;
}

}  // namespace

double as_any_decimal(float value) {
  if (!std::isfinite(value)) return value;
  char text[32];
  const char* const end = std::to_chars(text, text + sizeof(text), value, std::chars_format::scientific).ptr;
  double result = 0;
  std::from_chars(text, end, result);
  return result;
}

double parse_any_score(std::string_view field, std::int64_t line) {
  const char* begin = field.data();
  const char* const end = begin + field.size();
  if (begin + 1 < end && *begin == '+' && begin[1] != '-') ++begin;
  double value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error == std::errc::result_out_of_range && stop == end) {
    // Too small to differ from 0, or too large to be a score.
    value = is_below_one(field) ? 0 : HUGE_VAL;
  } else if (error != std::errc() || stop != end || begin == end) {
    throw ParseError(line, quoted(field) + " is not a number");
  }
  if (!std::isfinite(value))
    throw ParseError(line, "score " + quoted(field) +
                     " is not finite; give a finite score, or remove the arc or hypothesis");
  return value;
}

}  // namespace latticemetric
