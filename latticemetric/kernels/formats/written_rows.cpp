#include "formats/written_rows.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "memory/budget.hpp"

namespace latticemetric {
namespace {

char* write_text(char* at, std::string_view text) {
  if (!text.empty()) std::memcpy(at, text.data(), text.size());
  return at + text.size();
}

char* write_integer(char* at, std::int32_t value) { return std::to_chars(at, at + longest_number, value).ptr; }

// A number as digits d.ddd times a power of ten.
struct Digits {
  char digits[20];
  int count = 0, exponent = 0;
  bool is_negative = false;

  template <typename Real>
  explicit Digits(Real value) {
    char text[longest_number];
    const char* const end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
    const char* at = text;
    is_negative = *at == '-';
    at += is_negative;
    for (; *at != 'e'; ++at)
      if (*at != '.') digits[count++] = *at;
    at += at[1] == '+' ? 2 : 1;
    std::from_chars(at, end, exponent);
  }

  std::string_view part(int begin, int end) const {
    return {digits + begin, static_cast<std::size_t>(std::max(end - begin, 0))};
  }

  char* write_with_exponent(char* at) const {
    *at++ = digits[0];
    if (count > 1) {
      *at++ = '.';
      at = write_text(at, part(1, count));
    }
    *at++ = 'e';
    *at++ = exponent < 0 ? '-' : '+';
    if (std::abs(exponent) < 10) *at++ = '0';
    return write_integer(at, std::abs(exponent));
  }

  char* write_without_exponent(char* at) const {
    const int whole = exponent + 1;  // number of digits before the point, if it is positive
    if (whole <= 0) {
      at = write_text(at, "0.");
      for (int k = whole; k < 0; ++k) *at++ = '0';
      return write_text(at, part(0, count));
    }
    at = write_text(at, part(0, std::min(whole, count)));
    for (int k = count; k < whole; ++k) *at++ = '0';
    *at++ = '.';
    return write_text(at, count > whole ? part(whole, count) : "0");
  }
};

// Writes a number of at least 0.0001 with up to six decimals and few digits, as most scores are; returns null for any
// other. A decimal of so few digits is the shortest: no two of fifteen (of 32 bits: six) are read as the same number.
template <typename Real>
char* write_short(char* at, Real value) {
  constexpr std::int64_t million = 1000000;
  constexpr std::int64_t above = std::numeric_limits<Real>::digits10 == 6 ? million : million * 1000000000;
  const double size = std::fabs(value);
  if (!(size >= 1e-4 && size < 1e9)) return nullptr;
  const auto scaled = static_cast<std::int64_t>(size * million + 0.5);
  if (static_cast<Real>(static_cast<double>(scaled) / million) != size) return nullptr;
  auto digits = scaled;
  while (digits >= above && digits % 10 == 0) digits /= 10;
  if (digits >= above) return nullptr;
  if (value < 0) *at++ = '-';
  at = std::to_chars(at, at + longest_number, scaled / million).ptr;
  auto decimals = static_cast<std::int32_t>(scaled % million);
  int places = 6;
  for (; places > 1 && decimals % 10 == 0; --places) decimals /= 10;
  *at = '.';
  for (int k = places; k > 0; --k, decimals /= 10) at[k] = static_cast<char>('0' + decimals % 10);
  return at + places + 1;
}

template <typename Real>
char* write_real(char* at, Real value, bool with_exponent) {
  if (value == 0) return write_text(at, std::signbit(value) ? "-0.0" : "0.0");
  const Digits digits(value);
  if (digits.is_negative) *at++ = '-';
  return with_exponent ? digits.write_with_exponent(at) : digits.write_without_exponent(at);
}

std::size_t most_bytes(const RowPart& part, std::size_t row) {
  switch (part.kind) {
    case RowPart::Kind::constant: return part.text.size();
    case RowPart::Kind::texts: return part.text.size() + part.table[part.integers[row]].size();
    default: return std::max(longest_number, part.text.size());
  }
}

char* write_part(char* at, const RowPart& part, std::size_t row) {
  switch (part.kind) {
    case RowPart::Kind::constant: return write_text(at, part.text);
    case RowPart::Kind::doubles: return write_number(at, part.doubles[row]);
    case RowPart::Kind::floats: return write_number(at, part.floats[row]);
    case RowPart::Kind::integers:
      if (part.integers[row] == 0 && !part.text.empty()) return write_text(at, part.text);
      return write_integer(at, part.integers[row]);
    case RowPart::Kind::texts: {
      const auto text = part.table[part.integers[row]];
      return text.empty() ? at : write_text(write_text(at, part.text), text);
    }
  }
  return at;
}

}  // namespace

char* write_number(char* at, double value) {
  if (char* const end = write_short(at, value)) return end;
  const double size = std::fabs(value);
  return write_real(at, value, size < 1e-4 || size >= 1e16);
}

char* write_number(char* at, float value) {
  const double size = std::fabs(value);
  if (size >= 1e6) return write_real(at, value, true);
  if (char* const end = write_short(at, value)) return end;
  return write_real(at, value, size < 1e-4);
}

std::string written_rows(std::size_t rows, const std::vector<RowPart>& parts) {
  std::string text;
  std::size_t used = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    std::size_t most = 0;
    for (const auto& part : parts) most += most_bytes(part, row);
    poll(static_cast<std::int64_t>(10 * parts.size() + most));
    if (used + most > text.size()) text.resize(std::max(used + most, text.size() + text.size() / 2 + 4096));
    char* at = text.data() + used;
    for (const auto& part : parts) at = write_part(at, part, row);
    used = static_cast<std::size_t>(at - text.data());
  }
  text.resize(used);
  return text;
}

}  // namespace latticemetric
