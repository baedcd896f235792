#include "formats/slf.hpp"

#include <algorithm>
#include <iterator>

namespace latticemetric {
namespace {

constexpr std::size_t most_columns = 100;

class SlfParser {
 public:
  explicit SlfParser(std::string_view text) : lines_(text) {}

  SlfText parse() {
    std::string_view line;
    while (lines_.next(line)) {
      rest_ = line;
      skip_space();
      if (rest_.empty() || rest_[0] == '#') continue;
      row();
    }
    return std::move(text_);
  }

 private:
  void skip_space() {
    while (!rest_.empty() && is_space(rest_[0])) rest_.remove_prefix(1);
  }

  void row() {
    SlfTable* table = nullptr;
    for (bool first = true; !rest_.empty(); first = false) {
      const std::string_view name = field_name();
      const std::string_view value = field_value();
      skip_space();
      if (first && (name == "I" || name == "J")) {
        table = name == "I" ? &text_.nodes : &text_.links;
        table->lines.push_back(lines_.number());
      }
      if (table)
        add(*table, name, value);
      else
        text_.header.push_back({name, value, lines_.number()});
    }
  }

  std::string_view field_name() {
    const std::size_t equals = rest_.find('=');
    std::size_t size = 0;
    while (size < rest_.size() && !is_space(rest_[size]) && rest_[size] != '=') ++size;
    if (equals == std::string_view::npos || equals != size || size == 0)
      throw ParseError(lines_.number(), quoted(rest_.substr(0, size)) + " is not a field; fields look like W=word");
    const std::string_view name = rest_.substr(0, size);
    rest_.remove_prefix(size + 1);
    return name;
  }

  // Takes a value: in quotes, if the closing quote stands right before white space or the end of the line; otherwise up
  // to white space. So PocketSphinx's W='cause is read as it is.
  std::string_view field_value() {
    if (!rest_.empty() && (rest_[0] == '"' || rest_[0] == '\'')) {
      const std::size_t size = value_size(1, [&](char c) { return c == rest_[0]; });
      if (size < rest_.size() && (size + 1 == rest_.size() || is_space(rest_[size + 1]))) {
        const std::string_view value = rest_.substr(1, size - 1);
        rest_.remove_prefix(size + 1);
        return plain(value);
      }
    }
    const std::size_t size = value_size(0, is_space);
    if (size > rest_.size()) throw ParseError(lines_.number(), "the backslash at the end of the line escapes nothing");
    const std::string_view value = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return plain(value);
  }

  // Returns the place, from `begin` on, of the first character that ends a value and is not escaped. It is beyond the
  // end if an escape is cut off.
  template <typename Ends>
  std::size_t value_size(std::size_t begin, Ends ends) const {
    std::size_t at = begin;
    while (at < rest_.size() && !ends(rest_[at])) at += rest_[at] == '\\' ? 2 : 1;
    return at;
  }

  // Decodes escapes: \ooo is the byte with that octal number; any other escaped character stands for itself.
  std::string_view plain(std::string_view value) {
    if (value.find('\\') == std::string_view::npos) return value;
    std::string text;
    for (std::size_t k = 0; k < value.size(); ++k) {
      if (value[k] != '\\') {
        text += value[k];
        continue;
      }
      ++k;
      const auto is_octal = [&](std::size_t at) { return at < value.size() && value[at] >= '0' && value[at] <= '7'; };
      if (is_octal(k) && is_octal(k + 1) && is_octal(k + 2)) {
        text += static_cast<char>((value[k] - '0') * 64 + (value[k + 1] - '0') * 8 + (value[k + 2] - '0'));
        k += 2;
      } else {
        text += value[k];
      }
    }
    text_.unescaped.push_back(std::move(text));
    return text_.unescaped.back();
  }

  void add(SlfTable& table, std::string_view name, std::string_view value) {
    // These are times and scores. Other fields are texts, which may be empty.
    static constexpr std::string_view numbers[] = {"t", "a", "l", "r", "p", "time", "acoustic", "language"};
    if (value.empty() && std::find(std::begin(numbers), std::end(numbers), name) != std::end(numbers))
      throw ParseError(lines_.number(), quoted(name) + " has no value");
    const std::size_t row = table.lines.size() - 1, size = table.columns.size();
    for (std::size_t k = 0; k < size; ++k) {
      // Most rows have the same fields in the same order: begins with the column after that of the last field.
      if (++last_column_ >= size) last_column_ = 0;
      auto& column = table.columns[last_column_];
      if (column.name != name) continue;
      if (column.values.size() > row) throw ParseError(lines_.number(), "field " + quoted(name) + " appears twice");
      column.values.resize(row);
      column.values.push_back(value);
      return;
    }
    if (table.columns.size() == most_columns)
      throw ParseError(lines_.number(), "there are more than " + std::to_string(most_columns) + " different fields");
    if (!is_utf8(name)) throw ParseError(lines_.number(), "a field's name is not UTF-8");
    SlfColumn column{name, std::vector<std::string_view>(row)};
    column.values.push_back(value);
    table.columns.push_back(std::move(column));
  }

  Lines lines_;
  std::string_view rest_;
  std::size_t last_column_ = 0;  // the column of the last field
  SlfText text_;
};

}  // namespace

SlfText parse_slf(std::string_view text) { return SlfParser(text).parse(); }

}  // namespace latticemetric
