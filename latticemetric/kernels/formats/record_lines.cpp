#include "formats/record_lines.hpp"

#include <charconv>
#include <cmath>

#include "formats/written_rows.hpp"
#include "memory/budget.hpp"

namespace latticemetric {
namespace {

constexpr std::size_t longest_decimal = 512;  // of a double without an exponent, with few places

void append_integer(std::string& line, std::int64_t value) {
  char digits[longest_number];
  line.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

void append_real(std::string& line, double value) {
  char digits[longest_number];
  line.append(digits, write_number(digits, value));
}

void append_decimal(std::string& line, double value, int places) {
  char digits[longest_decimal];
  line.append(digits, std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, places).ptr);
}

// Returns the second character of a short escape; 0 if there is none.
char short_escape(char c, Escape escape) {
  switch (c) {
    case '\\': return '\\';
    case '"': return escape == Escape::json ? '"' : '\0';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    case '\b': return escape == Escape::json ? 'b' : '\0';
    case '\f': return escape == Escape::json ? 'f' : '\0';
    default: return '\0';
  }
}

void append_escaped(std::string& line, std::string_view text, Escape escape) {
  constexpr char hexadecimal[] = "0123456789abcdef";
  std::size_t begin = 0;  // of what is not yet appended
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const auto code = static_cast<unsigned char>(c);
    if (code >= 0x20 && c != '\\' && c != '"') continue;
    const char second = short_escape(c, escape);
    if (second == '\0' && escape != Escape::json) continue;
    line.append(text.substr(begin, at - begin));
    begin = at + 1;
    if (second != '\0') {
      line += {'\\', second};
    } else {
      line += "\\u00";
      line += {hexadecimal[code >> 4], hexadecimal[code & 15]};
    }
  }
  line.append(text.substr(begin));
}

void append_text(std::string& line, const LinePart& part, std::size_t number) {
  const std::int64_t begin = part.begin[number];
  const std::string_view text{part.bytes + begin, static_cast<std::size_t>(part.begin[number + 1] - begin)};
  if (text.size() < part.width) line.append(part.width - text.size(), ' ');
  if (part.escape == Escape::none)
    line += text;
  else
    append_escaped(line, text, part.escape);
}

void append_list(std::string& line, const LinePart& part, std::size_t number) {
  for (std::int64_t k = part.begin[number]; k < part.begin[number + 1]; ++k) {
    if (k > part.begin[number]) line += part.text;
    if (part.integers != nullptr)
      append_integer(line, part.integers[k]);
    else
      append_real(line, part.reals[k]);
  }
}

void append_part(std::string& line, const LinePart& part, std::size_t number) {
  switch (part.kind) {
    case LinePart::Kind::constant: line += part.text; return;
    case LinePart::Kind::integers: append_integer(line, part.integers[number]); return;
    case LinePart::Kind::lists: append_list(line, part, number); return;
    case LinePart::Kind::texts: append_text(line, part, number); return;
    default: break;
  }
  constexpr double beyond = 0x1p53;
  const double value = part.reals[number];
  if (std::isnan(value))
    line += part.text;
  else if (part.kind == LinePart::Kind::decimals)
    append_decimal(line, value, part.places);
  else if (part.kind == LinePart::Kind::wholes && std::fabs(value) < beyond && std::trunc(value) == value)
    append_integer(line, static_cast<std::int64_t>(value));
  else
    append_real(line, value);
}

}  // namespace

TextRows record_lines(std::size_t lines, const std::vector<LinePart>& parts) {
  TextRows rows;
  rows.begin.reserve(lines + 1);
  for (std::size_t number = 0; number < lines; ++number) {
    const std::size_t before = rows.texts.size();
    for (const auto& part : parts) append_part(rows.texts, part, number);
    rows.close();
    poll(static_cast<std::int64_t>(10 * parts.size() + rows.texts.size() - before));
  }
  return rows;
}

}  // namespace latticemetric
