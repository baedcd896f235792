// Readers of test sets that Python holds: they number words without making a Python object for each.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "bindings/binding.hpp"
#include "formats/written_rows.hpp"
#include "strings/list_counts.hpp"
#include "strings/test_set.hpp"
#include "strings/word_numbers.hpp"

namespace latticemetric {

// Texts as numbers of words, one after the other, and where each begins.
struct NumberedTexts {
  std::vector<std::int32_t> words;
  std::vector<std::int64_t> begin{0};

  void clear();
  void add(const WordList& text, WordNumbers& numbers);
  Strings strings() const { return {words.data(), begin.data(), static_cast<std::int64_t>(begin.size() - 1)}; }
};

struct NumberedSegments {
  NumberedTexts hypotheses, references;
  std::vector<std::int64_t> owner{0};  // as in `TestSet`

  void clear();
  TestSet test_set() const { return {hypotheses.strings(), references.strings(), owner.data()}; }
};

// Reads hypotheses (one text each) and references (a string or several texts each) from lists or tuples. A text is a
// string, whose words are separated by ASCII white space (as in `split_words`), or a list or a tuple of words.
//
// Needs the GIL while it reads. Keeps no pointer to a text that it has read: between two calls, other threads may run
// and change the lists.
class SegmentReader {
 public:
  // Words are numbered within each segment, or over all segments if `across`.
  SegmentReader(nb::object hypotheses, nb::object references, bool across);

  std::int64_t segments() const { return segments_; }

  // Sets `to` to the segments `first` .. `end` - 1.
  void read(std::int64_t first, std::int64_t end, NumberedSegments& to);

  // Returns the distinct words of all that was read, if words are numbered across segments. They point into the texts,
  // which must still exist.
  const std::vector<Word>& words() const { return numbers_.words(); }

 private:
  void list_texts(std::int64_t first, std::int64_t end, std::vector<std::int64_t>& owner);
  void read_next();

  nb::object hypotheses_, references_;
  std::int64_t segments_;
  bool across_;
  WordNumbers numbers_;
  std::vector<PyObject*> texts_;  // segment by segment, a hypothesis before its references
  std::size_t next_ = 0;          // the next one to read
  WordList text_;
};

// A column of texts, read by their numbers.
class TextColumn {
 public:
  virtual ~TextColumn() = default;
  virtual std::int64_t size() const = 0;

  // Sets `words` to the words of text k. They point into the text.
  virtual void read(std::int64_t k, WordList& words) const = 0;
};

// Texts in a list or a tuple: strings, or lists or tuples of words.
class ListedTexts : public TextColumn {
 public:
  explicit ListedTexts(nb::object texts) : texts_(std::move(texts)) {}
  std::int64_t size() const override;
  void read(std::int64_t k, WordList& words) const override;

 private:
  nb::object texts_;
};

// Strings in UTF-8, as Arrow keeps them: text k is the bytes begin[k] .. begin[k + 1] - 1.
class Utf8Texts : public TextColumn {
 public:
  Utf8Texts(Input<std::uint8_t> bytes, Input<std::int64_t> begin);
  std::int64_t size() const override { return static_cast<std::int64_t>(begin_.size()) - 1; }
  void read(std::int64_t k, WordList& words) const override;
  TextTable table() const { return {begin_.data(), reinterpret_cast<const char*>(bytes_.data())}; }

 private:
  Input<std::uint8_t> bytes_;
  Input<std::int64_t> begin_;
};

// Reads n-best lists and their references as `SegmentReader` reads test sets, some lists at a time. `begin` and `owner`
// are as in `NumberedLists`; they and the columns must outlive the reader.
class ListReader {
 public:
  ListReader(const TextColumn& texts, const std::int64_t* begin, const TextColumn& references,
             const std::int64_t* owner)
      : texts_(texts), references_(references), begin_(begin), owner_(owner) {}

  // Returns the lists `first` .. `end` - 1. They last until the next call.
  NumberedLists read(std::int64_t first, std::int64_t end);

 private:
  const TextColumn &texts_, &references_;
  const std::int64_t *begin_, *owner_;
  WordNumbers numbers_;
  WordList text_;
  NumberedTexts hypotheses_, expected_;
  std::vector<std::int64_t> hypotheses_begin_, expected_begin_;
};

// Returns the words of each string, as a list of tuples. Equal words are the same Python object, so they take the
// memory of one, and comparing them does not read them.
nb::list shared_words(nb::list texts);

}  // namespace latticemetric
