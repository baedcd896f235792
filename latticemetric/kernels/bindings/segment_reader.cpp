#include "bindings/segment_reader.hpp"

#include <algorithm>
#include <cstring>

#include "formats/text.hpp"

namespace latticemetric {
namespace {

bool is_list(PyObject* object) { return PyList_Check(object) || PyTuple_Check(object); }

nb::builtin_exception no_text() { return nb::type_error("a text must be a string, or a list of strings"); }

// The items of a list or a tuple; none for other objects.
struct Items {
  PyObject* const* begin = nullptr;
  std::int64_t size = 0;

  explicit Items(PyObject* object) {
    if (object == nullptr || !is_list(object)) return;
    begin = PySequence_Fast_ITEMS(object);
    size = PySequence_Fast_GET_SIZE(object);
  }
};

Items items_of(PyObject* object) {
  if (!is_list(object)) throw no_text();
  return Items(object);
}

// The UTF-8 bytes of a Python string, and the first byte before them that may be read.
struct Utf8 {
  const char *begin, *end, *readable;

  explicit Utf8(PyObject* text) {
    if (!PyUnicode_Check(text)) throw no_text();
    // Most words are compact ASCII: their bytes follow the object's header, so no call is needed.
    if (PyUnicode_IS_COMPACT_ASCII(text)) {
      readable = reinterpret_cast<const char*>(text);
      begin = readable + sizeof(PyASCIIObject);
      end = begin + PyUnicode_GET_LENGTH(text);
      return;
    }
    Py_ssize_t size = 0;
    begin = readable = PyUnicode_AsUTF8AndSize(text, &size);
    if (begin == nullptr) throw nb::python_error();
    end = begin + size;
  }
};

// Returns where a word ends. Looks at eight bytes at a time: the first of them that is a space or a control character
// may end the word.
const char* word_end(const char* at, const char* end) {
  constexpr std::uint64_t ones = 0x0101010101010101;
  for (;; ++at) {
    while (end - at >= 8) {
      std::uint64_t bytes;
      std::memcpy(&bytes, at, sizeof bytes);
      const std::uint64_t small = (bytes - 33 * ones) & ~bytes & 128 * ones;  // correct up to the first byte below 33
      at += small ? __builtin_ctzll(small) / 8 : 8;
      if (small) break;
    }
    if (at == end || is_space(*at)) return at;
  }
}

// Adds the words of a string. Bytes from `readable` on may be read.
void read_words(const char* at, const char* end, const char* readable, WordList& words) {
  for (;;) {
    while (at < end && is_space(*at)) ++at;
    if (at == end) return;
    const char* const begin = at;
    at = word_end(at, end);
    words.add().set(begin, at, readable);
  }
}

// Reads the words of a text; an empty string in a list is no word. The words of lists lie anywhere in memory, so those
// of the next text are prefetched while this one's are read.
void read_words(PyObject* text, const Items next, WordList& words) {
  words.clear();
  if (!PyUnicode_Check(text)) {
    const Items items = items_of(text);
    for (std::int64_t k = 0; k < items.size; ++k) {
      if (k < next.size) __builtin_prefetch(reinterpret_cast<const char*>(next.begin[k]) + sizeof(PyASCIIObject));
      const Utf8 word(items.begin[k]);
      if (word.begin != word.end) words.add().set(word.begin, word.end, word.readable);
    }
    return;
  }
  const Utf8 line(text);
  read_words(line.begin, line.end, line.readable, words);
}

}  // namespace

nb::list shared_words(nb::list texts) {
  WordNumbers numbers;
  WordList words;
  std::vector<nb::object> spelled;
  nb::list found;
  for (std::size_t k = 0; k < texts.size(); ++k) {
    const nb::object text = texts[k];  // keeps the text alive while its words are read
    const Utf8 check(text.ptr());
    read_words(text.ptr(), Items(nullptr), words);
    nb::object row = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(words.size())));
    if (!row.is_valid()) throw nb::python_error();
    Py_ssize_t at = 0;
    for (const Word& word : words) {
      const auto number = static_cast<std::size_t>(numbers.of(word));
      if (number == spelled.size()) spelled.emplace_back(nb::str(word.begin, word.size));
      PyTuple_SET_ITEM(row.ptr(), at++, spelled[number].inc_ref().ptr());
    }
    found.append(std::move(row));
  }
  return found;
}

void NumberedTexts::clear() {
  words.clear();
  begin.assign(1, 0);
}

void NumberedTexts::add(const WordList& text, WordNumbers& numbers) {
  const std::size_t before = words.size();
  words.resize(before + text.size());
  std::int32_t* to = words.data() + before;
  for (const Word& word : text) *to++ = numbers.of(word);
  begin.push_back(static_cast<std::int64_t>(words.size()));
}

void NumberedSegments::clear() {
  hypotheses.clear();
  references.clear();
  owner.assign(1, 0);
}

SegmentReader::SegmentReader(nb::object hypotheses, nb::object references, bool across)
    : hypotheses_(std::move(hypotheses)), references_(std::move(references)), across_(across) {
  segments_ = items_of(hypotheses_.ptr()).size;
  require(segments_ == items_of(references_.ptr()).size, "there must be as many hypotheses as references");
}

void SegmentReader::read(std::int64_t first, std::int64_t end, NumberedSegments& to) {
  to.clear();
  list_texts(first, end, to.owner);
  next_ = 0;
  for (std::int64_t s = 0; s < end - first; ++s) {
    if (!across_) numbers_.forget();
    // Reads a text first, and then numbers its words, so that neither waits for the other.
    read_next();
    to.hypotheses.add(text_, numbers_);
    for (auto r = to.owner[s]; r < to.owner[s + 1]; ++r) {
      read_next();
      to.references.add(text_, numbers_);
    }
  }
}

void SegmentReader::read_next() {
  // Prefetches lists further ahead than their words.
  const auto ahead = [this](std::size_t k) { return texts_[std::min(next_ + k, texts_.size() - 1)]; };
  __builtin_prefetch(ahead(6));
  const Items soon(ahead(3));
  for (std::int64_t k = 0; k < soon.size; k += 8) __builtin_prefetch(soon.begin + k);
  read_words(texts_[next_], Items(ahead(1)), text_);
  ++next_;
}

void SegmentReader::list_texts(std::int64_t first, std::int64_t end, std::vector<std::int64_t>& owner) {
  const Items hypotheses = items_of(hypotheses_.ptr()), references = items_of(references_.ptr());
  require(end <= hypotheses.size && end <= references.size, "a list was shortened while it was read");
  texts_.clear();
  for (auto s = first; s < end; ++s) {
    texts_.push_back(hypotheses.begin[s]);
    if (PyUnicode_Check(references.begin[s])) {
      texts_.push_back(references.begin[s]);
    } else {
      const Items several = items_of(references.begin[s]);
      texts_.insert(texts_.end(), several.begin, several.begin + several.size);
    }
    owner.push_back(static_cast<std::int64_t>(texts_.size()) - (s - first) - 1);
  }
}

std::int64_t ListedTexts::size() const { return items_of(texts_.ptr()).size; }

void ListedTexts::read(std::int64_t k, WordList& words) const {
  const Items texts = items_of(texts_.ptr());
  require(k < texts.size, "a list was shortened while it was read");
  read_words(texts.begin[k], Items(k + 1 < texts.size ? texts.begin[k + 1] : nullptr), words);
}

Utf8Texts::Utf8Texts(Input<std::uint8_t> bytes, Input<std::int64_t> begin)
    : bytes_(std::move(bytes)), begin_(std::move(begin)) {
  require_aligned(begin_);
  const auto *const first = begin_.data(), *const end = first + begin_.size();
  require(first != end && *first >= 0, "the first text must begin at 0 or later");
  require(std::is_sorted(first, end), "texts must follow one another");
  require(static_cast<std::size_t>(end[-1]) <= bytes_.size(), "the last text must end among the bytes");
}

void Utf8Texts::read(std::int64_t k, WordList& words) const {
  const auto* const bytes = reinterpret_cast<const char*>(bytes_.data());
  words.clear();
  read_words(bytes + begin_.data()[k], bytes + begin_.data()[k + 1], bytes, words);
}

NumberedLists ListReader::read(std::int64_t first, std::int64_t end) {
  hypotheses_.clear();
  expected_.clear();
  hypotheses_begin_.assign(1, 0);
  expected_begin_.assign(1, 0);
  const auto number = [this](const TextColumn& texts, std::int64_t k, NumberedTexts& to) {
    texts.read(k, text_);
    to.add(text_, numbers_);
  };
  for (auto s = first; s < end; ++s) {
    numbers_.forget();
    for (auto r = owner_[s]; r < owner_[s + 1]; ++r) number(references_, r, expected_);
    for (auto h = begin_[s]; h < begin_[s + 1]; ++h) number(texts_, h, hypotheses_);
    hypotheses_begin_.push_back(begin_[s + 1] - begin_[first]);
    expected_begin_.push_back(owner_[s + 1] - owner_[first]);
  }
  return {hypotheses_.strings(), hypotheses_begin_.data(), expected_.strings(), expected_begin_.data(), end - first};
}

}  // namespace latticemetric
