// JSON, as a table of the values in a text.
#pragma once

#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "formats/forest_text.hpp"

namespace latticemetric {

// The text is not JSON: a syntax error, a number that is not finite, or too many levels. The error does not say where.
struct NotJson : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A whole text in strict JSON with finite numbers. Its values are listed in the order of the text: an array, then its
// items; an object, then each key and its value.
class Json {
 public:
  // `line` is the line of ParseErrors about values. Throws NotJson.
  explicit Json(std::string_view text, std::int64_t line = 0);
  Json(const Json&) = delete;
  Json& operator=(const Json&) = delete;

  // A value, or nothing. A field that an object does not have counts as null.
  class Value {
   public:
    Value() = default;
    Value(Json* json, std::size_t index) : json_(json), index_(index) {}

    explicit operator bool() const { return json_ != nullptr; }
    bool is_null() const { return !json_ || token()[0] == 'n'; }
    bool is_text() const { return json_ && token()[0] == '"'; }
    std::string shown() const;  // as error messages show it

   private:
    friend class Json;
    std::string_view token() const;

    Json* json_ = nullptr;
    std::size_t index_ = 0;
  };

  struct Field {
    std::string_view key;
    Value name, value;  // `name` is the key as a value
  };

  Value whole() { return {this, 0}; }

  // These throw a ParseError if a value is of another kind. `what` names the value in the message, and `place` the part
  // of the text.
  std::int32_t integer(Value value, const std::string& what, const std::string& place) const;
  double real(Value value, const std::string& what, const std::string& place) const;
  std::string_view text(Value value, const std::string& what, const std::string& place);
  std::vector<Value> items(Value array, const std::string& what, const std::string& place) const;
  std::vector<std::int32_t> integers(Value array, const std::string& what, const std::string& place) const;
  std::vector<Field> pairs(Value object, const std::string& place);   // keys may repeat
  std::vector<Field> fields(Value object, const std::string& place);  // keys must not repeat

  [[noreturn]] void fail(const std::string& what, const std::string& place = "") const {
    throw ParseError(line_, what, place);
  }

  // Returns the decoded strings that had escapes. Texts that were returned before may point into them.
  std::deque<std::string> take_unescaped() { return std::move(unescaped_); }

 private:
  class Scanner;
  struct Entry {
    std::size_t begin, end, next;  // its first byte, the byte after it; the entry after this value and all in it
  };

  // Returns the characters of a string. Half characters (surrogates) become bytes that are not UTF-8.
  std::string_view characters(std::size_t index);

  std::string_view text_;
  std::int64_t line_;
  std::vector<Entry> entries_;
  std::deque<std::string> unescaped_;
  Names keys_;
};

}  // namespace latticemetric
