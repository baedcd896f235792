#include "formats/json.hpp"

#include <algorithm>

namespace latticemetric {

// Checks a text from its first to its last byte. It is not recursive, so deep nesting does not overflow the stack.
class Json::Scanner {
 public:
  Scanner(std::string_view text, std::vector<Entry>& entries) : text_(text), entries_(entries) {}

  void run() {
    if (!is_utf8(text_)) refuse();
    skip_space();
    do {
      poll(20);
      begin_value();
    } while (!end_values());
    skip_space();
    if (at_ != text_.size()) refuse();
  }

 private:
  [[noreturn]] static void refuse() { throw NotJson("this is not JSON"); }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
  }

  // Reads a scalar, or the beginning of a container and of the first value in it.
  void begin_value() {
    constexpr std::size_t most_levels = 1000;
    for (;;) {
      const char first = peek();
      entries_.push_back({at_, 0, 0});
      if (first != '{' && first != '[') break;
      if (open_.size() == most_levels) throw NotJson("the JSON is nested too deeply");
      open_.push_back(entries_.size() - 1);
      ++at_;
      skip_space();
      if (peek() == closing()) return;
      if (first == '{') skip_key();
    }
    const std::size_t index = entries_.size() - 1;
    skip_scalar();
    entries_[index].end = at_;
    entries_[index].next = entries_.size();
  }

  // Ends the containers that end here. Returns false if another value begins.
  bool end_values() {
    for (bool is_empty = !open_.empty() && entries_.size() == open_.back() + 1; !open_.empty(); is_empty = false) {
      skip_space();
      Entry& container = entries_[open_.back()];
      if (peek() == closing()) {
        container.end = ++at_;
        container.next = entries_.size();
        open_.pop_back();
        continue;
      }
      if (is_empty || peek() != ',') refuse();
      ++at_;
      skip_space();
      if (text_[container.begin] == '{') skip_key();
      return false;
    }
    return true;
  }

  char closing() const { return text_[entries_[open_.back()].begin] == '{' ? '}' : ']'; }

  void skip_key() {
    const std::size_t begin = at_;
    if (peek() != '"') refuse();
    skip_string();
    entries_.push_back({begin, at_, entries_.size() + 1});
    skip_space();
    if (peek() != ':') refuse();
    ++at_;
    skip_space();
  }

  void skip_scalar() {
    const char first = peek();
    if (first == '"') return skip_string();
    if (first == '-' || (first >= '0' && first <= '9')) return skip_number();
    for (const std::string_view word : {"true", "false", "null"})
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return;
      }
    refuse();
  }

  void skip_string() {
    for (++at_; peek() != '"'; ++at_) {
      if (static_cast<unsigned char>(peek()) < 0x20) refuse();
      if (text_[at_] != '\\') continue;
      ++at_;
      if (peek() == 'u') {
        for (int k = 0; k < 4; ++k)
          if (++at_ >= text_.size() ||
              std::string_view("0123456789abcdefABCDEF").find(text_[at_]) == std::string_view::npos)
            refuse();
      } else if (peek() == '\0' || std::string_view("\"\\/bfnrt").find(peek()) == std::string_view::npos) {
        refuse();
      }
    }
    ++at_;
  }

  std::size_t skip_digits() {
    const std::size_t begin = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    return at_ - begin;
  }

  void skip_number() {
    constexpr std::size_t most_digits = 300;
    const std::size_t begin = at_;
    bool is_whole = true, may_be_large = false;
    if (peek() == '-') ++at_;
    if (peek() == '0')
      ++at_;
    else if (skip_digits() == 0)
      refuse();
    if (peek() == '.') {
      ++at_;
      is_whole = false;
      if (skip_digits() == 0) refuse();
    }
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '-' || peek() == '+') ++at_;
      is_whole = false;
      may_be_large = true;
      if (skip_digits() == 0) refuse();
    }
    const std::string_view token = text_.substr(begin, at_ - begin);
    if (token.size() > most_digits && is_whole) refuse();
    if (may_be_large || token.size() > most_digits) require_finite(token);
  }

  static void require_finite(std::string_view token) {
    try {
      parse_score(token, 0);
    } catch (const ParseError&) {
      refuse();
    }
  }

  std::string_view text_;
  std::vector<Entry>& entries_;
  std::size_t at_ = 0;
  std::vector<std::size_t> open_;  // the containers that are not closed yet
};

Json::Json(std::string_view text, std::int64_t line) : text_(text), line_(line), keys_(text) {
  const auto is_blank = [](char c) { return is_space(c) || (c >= 0x1c && c <= 0x1f); };
  while (!text_.empty() && is_blank(text_.back())) text_.remove_suffix(1);
  Scanner(text_, entries_).run();
}

std::string_view Json::Value::token() const {
  const Entry& entry = json_->entries_[index_];
  return json_->text_.substr(entry.begin, entry.end - entry.begin);
}

std::string Json::Value::shown() const {
  if (!json_) return "null";
  const std::string_view own = token();
  return own[0] == '{' ? "an object" : own[0] == '[' ? "a list" : shortened(own);
}

namespace {

bool is_number(char first) { return first == '-' || (first >= '0' && first <= '9'); }

std::uint32_t four_digits(std::string_view text, std::size_t at) {
  std::uint32_t code = 0;
  std::from_chars(text.data() + at, text.data() + at + 4, code, 16);
  return code;
}

std::string without_escapes(std::string_view inside) {
  constexpr std::string_view letters = "bfnrt", meanings = "\b\f\n\r\t";
  std::string result;
  for (std::size_t k = 0; k < inside.size(); ++k) {
    if (inside[k] != '\\') {
      result += inside[k];
    } else if (const char escaped = inside[++k]; escaped == 'u') {
      std::uint32_t code = four_digits(inside, k + 1);
      k += 4;
      if (code >= 0xd800 && code < 0xdc00 && inside.substr(k + 1, 2) == "\\u") {
        const std::uint32_t low = four_digits(inside, k + 3);
        if (low >= 0xdc00 && low < 0xe000) {
          code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
          k += 6;
        }
      }
      append_utf8(result, code);
    } else {
      const std::size_t letter = letters.find(escaped);
      result += letter == std::string_view::npos ? escaped : meanings[letter];
    }
  }
  return result;
}

}  // namespace

std::string_view Json::characters(std::size_t index) {
  const Entry& entry = entries_[index];
  const std::string_view inside = text_.substr(entry.begin + 1, entry.end - entry.begin - 2);
  if (inside.find('\\') == std::string_view::npos) return inside;
  unescaped_.push_back(without_escapes(inside));
  return unescaped_.back();
}

std::int32_t Json::integer(Value value, const std::string& what, const std::string& place) const {
  std::int64_t number = 0;
  bool is_whole = value.json_ && is_number(value.token()[0]);
  if (is_whole) {
    const std::string_view token = value.token();
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
    constexpr std::int64_t most = 0x7fffffff;
    is_whole = error == std::errc() && end == token.data() + token.size() && number > -most - 1 && number < most;
  }
  if (!is_whole) fail(what + " holds " + value.shown() + ", not a whole number", place);
  return static_cast<std::int32_t>(number);
}

double Json::real(Value value, const std::string& what, const std::string& place) const {
  if (!value.json_ || !is_number(value.token()[0])) fail(what + " is " + value.shown() + ", not a number", place);
  return parse_score(value.token(), line_);
}

std::string_view Json::text(Value value, const std::string& what, const std::string& place) {
  if (!value.is_text()) fail(what + " is " + value.shown() + ", not a text", place);
  const std::string_view characters = this->characters(value.index_);
  if (!is_utf8(characters)) {
    const std::string_view token = value.token();
    fail(what + " " + quoted(token.substr(1, token.size() - 2)) + " holds half a character (a surrogate)", place);
  }
  return characters;
}

std::vector<Json::Value> Json::items(Value array, const std::string& what, const std::string& place) const {
  std::vector<Value> items;
  if (array.is_null()) return items;
  if (array.token()[0] != '[') fail(what + " is not a list", place);
  for (std::size_t k = array.index_ + 1; k < entries_[array.index_].next; k = entries_[k].next) {
    poll();
    items.emplace_back(array.json_, k);
  }
  return items;
}

std::vector<std::int32_t> Json::integers(Value array, const std::string& what, const std::string& place) const {
  std::vector<std::int32_t> numbers;
  for (const Value& item : items(array, what, place)) numbers.push_back(integer(item, what, place));
  return numbers;
}

std::vector<Json::Field> Json::pairs(Value object, const std::string& place) {
  if (!object.json_ || object.token()[0] != '{') fail("the value is not a JSON object", place);
  std::vector<Field> pairs;
  for (std::size_t k = object.index_ + 1; k < entries_[object.index_].next; k = entries_[k + 1].next) {
    poll(10);
    pairs.push_back({characters(k), {this, k}, {this, k + 1}});
  }
  return pairs;
}

std::vector<Json::Field> Json::fields(Value object, const std::string& place) {
  auto fields = pairs(object, place);
  keys_.forget();
  for (const auto& field : fields) {
    const std::size_t before = keys_.size();
    if (static_cast<std::size_t>(keys_.number(field.key)) < before)
      fail("key " + quoted(field.key) + " appears twice in an object", place);
  }
  return fields;
}

}  // namespace latticemetric
