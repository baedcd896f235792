#include "text.hpp"

namespace latticemetric {

bool is_utf8(std::string_view text) {
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  const auto* const end = at + text.size();
  while (at < end) {
    if (*at < 0x80) {
      ++at;
      continue;
    }
    const int more = *at >= 0xf0 ? 3 : *at >= 0xe0 ? 2 : 1;
    if (*at < 0xc2 || *at > 0xf4 || end - at <= more) return false;
    // Overlong forms, surrogates and numbers past U+10FFFF show in the second byte.
    const unsigned char low = *at == 0xe0 ? 0xa0 : *at == 0xf0 ? 0x90 : 0x80;
    const unsigned char high = *at == 0xed ? 0x9f : *at == 0xf4 ? 0x8f : 0xbf;
    if (at[1] < low || at[1] > high) return false;
    for (int k = 2; k <= more; ++k)
      if ((at[k] & 0xc0) != 0x80) return false;
    at += more + 1;
  }
  return true;
}

std::string quoted(std::string_view field) {
  constexpr std::size_t longest = 40;
  std::string shown = "'";
  for (const char c : field.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    shown += byte < 0x20 || byte >= 0x7f ? '?' : c;
  }
  return shown + (field.size() > longest ? "…'" : "'");
}

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

// Whether a decimal that is no double is one since it is so small. Not strtod: it reads numbers as the locale does.
bool is_below_one(std::string_view field) {
  const std::size_t exponent_at = std::min(field.find_first_of("eE"), field.size());
  const std::string_view digits = field.substr(0, exponent_at);
  const std::size_t first = digits.find_first_of("123456789");
  const std::size_t point = std::min(digits.find('.'), digits.size());
  if (first == std::string_view::npos) return true;
  // Where the first digit that counts stands: 0 before the point, -1 behind it.
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

double parse_any_score(std::string_view field, std::int64_t line) {
  const char* begin = field.data();
  const char* const end = begin + field.size();
  if (begin + 1 < end && *begin == '+' && begin[1] != '-') ++begin;
  double value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error == std::errc::result_out_of_range && stop == end) {
    // Too small to be told from nothing, or too large to be a score.
    value = is_below_one(field) ? 0 : HUGE_VAL;
  } else if (error != std::errc() || stop != end || begin == end) {
    throw ParseError(line, quoted(field) + " is not a number");
  }
  if (!std::isfinite(value))
    throw ParseError(line, "score " + quoted(field) + " is not finite; leave out arcs that cannot be taken");
  return value;
}

}  // namespace latticemetric
