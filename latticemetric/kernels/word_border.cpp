// The border to Python of texts: their words as numbers, without a Python object a word.
#include <cstring>
#include <string_view>
#include <vector>

#include "border.hpp"
#include "text.hpp"

namespace latticemetric {
namespace {

using namespace nb::literals;

// Distinct words, numbered from 0 in order of appearance: a hash table of open addressing, whose words are views into
// the texts that were given.
class Numbers {
 public:
  Numbers() : table_(4096, -1) {}

  std::int32_t of(std::string_view word) {
    const std::uint64_t hash = hashed(word);
    std::size_t at = hash & (table_.size() - 1);
    for (;; at = (at + 1) & (table_.size() - 1)) {
      const std::int32_t number = table_[at];
      if (number < 0) break;
      if (hashes_[number] == hash && words_[number] == word) return number;
    }
    const auto number = static_cast<std::int32_t>(words_.size());
    words_.push_back(word);
    hashes_.push_back(hash);
    table_[at] = number;
    if (2 * words_.size() > table_.size()) grow();
    return number;
  }

  const std::vector<std::string_view>& words() const { return words_; }

 private:
  // Eight bytes at a time; the multiplier is that of Fibonacci hashing.
  static std::uint64_t hashed(std::string_view word) {
    constexpr std::uint64_t multiplier = 0x9e3779b97f4a7c15ull;
    std::uint64_t hash = word.size() * multiplier;
    const char* at = word.data();
    std::size_t left = word.size();
    for (; left >= 8; at += 8, left -= 8) hash = mixed(hash, at, 8, multiplier);
    return left ? mixed(hash, at, left, multiplier) : hash ^ hash >> 32;
  }

  static std::uint64_t mixed(std::uint64_t hash, const char* at, std::size_t size, std::uint64_t multiplier) {
    std::uint64_t part = 0;
    std::memcpy(&part, at, size);
    hash = (hash ^ part) * multiplier;
    return hash ^ hash >> 32;
  }

  void grow() {
    table_.assign(4 * table_.size(), -1);
    for (std::size_t number = 0; number < words_.size(); ++number) {
      std::size_t at = hashes_[number] & (table_.size() - 1);
      while (table_[at] >= 0) at = (at + 1) & (table_.size() - 1);
      table_[at] = static_cast<std::int32_t>(number);
    }
  }

  std::vector<std::int32_t> table_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::string_view> words_;
};

std::string_view utf8(PyObject* text) {
  // What most words are, without a call.
  if (PyUnicode_Check(text) && PyUnicode_IS_COMPACT_ASCII(text))
    return {static_cast<const char*>(PyUnicode_DATA(text)), static_cast<std::size_t>(PyUnicode_GET_LENGTH(text))};
  Py_ssize_t size = 0;
  const char* const data = PyUnicode_Check(text) ? PyUnicode_AsUTF8AndSize(text, &size) : nullptr;
  if (data == nullptr && !PyErr_Occurred()) throw nb::type_error("a text is a string, or a list of strings");
  if (data == nullptr) throw nb::python_error();
  return {data, static_cast<std::size_t>(size)};
}

// Words of texts, one text after the other: a string's words are what ASCII white space separates (as `split_words`
// has it), a list's or tuple's are its items. Returns their numbers, where each text begins, and the distinct words.
nb::tuple number_words(nb::list texts) {
  Numbers numbers;
  std::vector<std::int32_t> words;
  std::vector<std::int64_t> begin{0};
  for (nb::handle text : texts) {
    PyObject* const object = text.ptr();
    if (PyUnicode_Check(object)) {
      const std::string_view line = utf8(object);
      const char *at = line.data(), *const end = at + line.size();
      for (;;) {
        while (at < end && is_space(*at)) ++at;
        if (at == end) break;
        const char* const first = at;
        while (at < end && !is_space(*at)) ++at;
        words.push_back(numbers.of({first, static_cast<std::size_t>(at - first)}));
      }
    } else if (PyList_Check(object) || PyTuple_Check(object)) {
      const Py_ssize_t size = PySequence_Fast_GET_SIZE(object);
      PyObject* const* const items = PySequence_Fast_ITEMS(object);
      constexpr Py_ssize_t ahead = 16;  // words lie anywhere in memory: fetched while others are looked up
      for (Py_ssize_t k = 0; k < size; ++k) {
        if (k + ahead < size) __builtin_prefetch(items[k + ahead]);
        words.push_back(numbers.of(utf8(items[k])));
      }
    } else {
      throw nb::type_error("a text is a string, or a list of strings");
    }
    begin.push_back(static_cast<std::int64_t>(words.size()));
  }
  nb::list distinct;
  for (const auto word : numbers.words()) distinct.append(nb::str(word.data(), word.size()));
  return nb::make_tuple(column(std::move(words)), column(std::move(begin)), distinct);
}

}  // namespace

void bind_words(nb::module_& m) { m.def("number_words", &number_words, "texts"_a); }

}  // namespace latticemetric
