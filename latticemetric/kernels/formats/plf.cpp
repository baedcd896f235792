#include "formats/plf.hpp"

#include <algorithm>

#include "memory/budget.hpp"

namespace latticemetric {
namespace {

// The grammar, with an optional comma before each closing bracket:
//   lattice = ( item, … )      item = ( arc, … )      arc = ( word, field, …, distance )
//   field = number | { name : number, … }             word, name = a quoted text with backslash escapes
class PlfParser {
 public:
  explicit PlfParser(std::string_view line) : line_(line) { next(); }

  PlfLattice parse() {
    expect('(');
    while (!take(')')) {
      expect('(');
      while (!take(')')) {
        arc();
        separate(')');
      }
      separate(')');
      ++lattice_.end;
    }
    if (kind_ != Kind::end) fail("expected the end of the line");
    for (std::size_t a = 0; a < lattice_.target.size(); ++a)
      if (lattice_.target[a] > lattice_.end)
        throw ParseError(1, "an arc of node " + std::to_string(lattice_.source[a]) +
                         " leads beyond the end of the lattice");
    if (lattice_.costs.size() * lattice_.source.size() > most_cells_a_byte * line_.size() + 1000)
      throw ParseError(1, "the named scores are too sparse to be kept as columns; leave out the scores that few arcs "
                          "have");
    for (auto& column : lattice_.costs) column.second.resize(lattice_.source.size(), 0.0);
    return std::move(lattice_);
  }

 private:
  enum class Kind { mark, text, number, end };

  // ---- Tokens, one ahead ----

  static bool is_mark(char c) { return c == '(' || c == ')' || c == '{' || c == '}' || c == ',' || c == ':'; }

  void next() {
    while (at_ < line_.size() && is_space(line_[at_])) ++at_;
    const std::size_t begin = at_;
    if (begin == line_.size()) {
      kind_ = Kind::end;
      token_ = {};
      return;
    }
    const char first = line_[at_++];
    if (is_mark(first)) {
      kind_ = Kind::mark;
    } else if (first == '\'' || first == '"') {
      kind_ = Kind::text;
      while (at_ < line_.size() && line_[at_] != first) at_ += line_[at_] == '\\' ? 2 : 1;
      if (at_ >= line_.size()) {
        token_ = line_.substr(begin);
        at_ = line_.size();
        fail("a quote is not closed");
      }
      ++at_;
    } else {
      kind_ = Kind::number;
      while (at_ < line_.size() && !is_space(line_[at_]) && !is_mark(line_[at_]) && line_[at_] != '\'' &&
             line_[at_] != '"')
        ++at_;
    }
    token_ = line_.substr(begin, at_ - begin);
  }

  bool take(char mark) {
    if (kind_ != Kind::mark || token_[0] != mark) return false;
    next();
    return true;
  }

  void expect(char mark) {
    if (!take(mark)) fail(std::string("expected '") + mark + "'");
  }

  void separate(char closing) {
    if (take(',')) return;
    if (kind_ != Kind::mark || token_[0] != closing) fail(std::string("expected ',' or '") + closing + "'");
  }

  [[noreturn]] void fail(const std::string& what) const {
    const std::string found = kind_ == Kind::end ? "the end of the line" : quoted(token_);
    throw ParseError(1, what + ", found " + found + " before column " + std::to_string(at_ + 1));
  }

  std::string_view text(const char* expected) {
    if (kind_ != Kind::text) fail(expected);
    std::string_view inside = token_.substr(1, token_.size() - 2);
    if (inside.find('\\') != std::string_view::npos) {
      lattice_.unescaped.push_back(plain(inside));
      inside = lattice_.unescaped.back();
    }
    next();
    return inside;
  }

  // Decodes Python's escapes: \n, \t, \r, \xhh (a byte), \uhhhh. Any other escaped character stands for itself.
  static std::string plain(std::string_view text) {
    std::string result;
    for (std::size_t k = 0; k < text.size(); ++k) {
      if (text[k] != '\\') {
        result += text[k];
        continue;
      }
      const char escaped = text[++k];
      const std::size_t digits = escaped == 'x' ? 2 : escaped == 'u' ? 4 : 0;
      std::uint32_t code = 0;
      const auto [end, error] = std::from_chars(text.data() + std::min(k + 1, text.size()),
                                                text.data() + std::min(k + 1 + digits, text.size()), code, 16);
      if (digits > 0 && error == std::errc() && end == text.data() + k + 1 + digits) {
        escaped == 'x' ? static_cast<void>(result += static_cast<char>(code)) : append_utf8(result, code);
        k += digits;
      } else {
        result += escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped == 'r' ? '\r' : escaped;
      }
    }
    return result;
  }

  // ---- Arcs ----

  void arc() {
    poll(100);
    expect('(');
    const std::string_view word = text("expected a quoted word");
    expect(',');
    numbers_.clear();
    while (!take(')')) {
      if (take('{'))
        features();
      else if (kind_ == Kind::number) {
        numbers_.push_back(token_);
        next();
      } else
        fail("expected a number");
      separate(')');
    }
    std::int32_t distance = 0;
    if (numbers_.empty() || !parse_number(numbers_.back(), distance) || distance < 1 || distance > (1 << 30))
      throw ParseError(1, "the arc " + quoted(word) + " must end with the number of nodes to go forward, at least 1");
    numbers_.pop_back();
    for (std::size_t k = 0; k < numbers_.size(); ++k)
      add(numbers_.size() == 1 ? "score" : "score_" + std::to_string(k), numbers_[k]);
    lattice_.source.push_back(lattice_.end);
    lattice_.target.push_back(lattice_.end + distance);
    lattice_.word.push_back(word == "*EPS*" ? 0 : lattice_.words.number(word, 1));
  }

  void features() {
    while (!take('}')) {
      const std::string name(text("expected a quoted feature name"));
      expect(':');
      if (kind_ != Kind::number) fail("expected the value of feature " + quoted(name));
      add(name, token_);
      next();
      separate('}');
    }
  }

  void add(const std::string& name, std::string_view number) {
    const double cost = 0.0 - parse_score(number, 1);  // -score would make -0.0 of 0
    std::size_t k = 0;
    while (k < lattice_.costs.size() && lattice_.costs[k].first != name) ++k;
    if (k == lattice_.costs.size()) {
      if (k == most_columns)
        throw ParseError(1, "there are more than " + std::to_string(most_columns) + " named scores");
      if ((k + 1) * lattice_.source.size() > most_cells_a_byte * line_.size() + 1000)
        throw ParseError(1, "the named scores are too sparse to be kept as columns; leave out the scores that few "
                            "arcs have");
      if (!is_utf8(name)) throw ParseError(1, "feature " + quoted(name) + " is not UTF-8; convert the file with iconv");
      lattice_.costs.emplace_back(name, std::vector<double>());
    }
    auto& column = lattice_.costs[k].second;
    column.resize(lattice_.source.size(), 0.0);
    column.push_back(cost);
  }

  // Columns are dense: many columns that few arcs use would take far more memory than the line they come from.
  static constexpr std::size_t most_columns = 1000, most_cells_a_byte = 16;

  std::string_view line_, token_;
  std::size_t at_ = 0;
  Kind kind_ = Kind::end;
  std::vector<std::string_view> numbers_;
  PlfLattice lattice_;
};

}  // namespace

PlfLattice parse_plf(std::string_view line) { return PlfParser(line).parse(); }

}  // namespace latticemetric
