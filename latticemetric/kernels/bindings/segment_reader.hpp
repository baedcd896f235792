// Test sets in Python's hands: their words as numbers, without a Python object a word.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "bindings/binding.hpp"
#include "strings/list_counts.hpp"
#include "strings/test_set.hpp"
#include "strings/word_numbers.hpp"

namespace latticemetric {

// Strings one after the other, and where each begins.
struct NumberedTexts {
  std::vector<std::int32_t> words;
  std::vector<std::int64_t> begin{0};

  void clear();
  void add(const WordList& text, WordNumbers& numbers);
  Strings strings() const { return {words.data(), begin.data(), static_cast<std::int64_t>(begin.size() - 1)}; }
};

struct NumberedSegments {
  NumberedTexts candidates, references;
  std::vector<std::int64_t> owner{0};  // as in `TestSet`

  void clear();
  TestSet test_set() const { return {candidates.strings(), references.strings(), owner.data()}; }
};

// Reads candidates, a text each, and references, a string or several texts each, from lists or tuples. A text is a
// string, whose words are what ASCII white space separates (as `split_words` has it), or a list or a tuple of words.
//
// Needs the GIL while it reads, and keeps no pointer to a text once it has read: others may run, and change the lists,
// between two calls.
class SegmentReader {
 public:
  // Numbers are those of one segment, or where `across` those of all segments.
  SegmentReader(nb::object candidates, nb::object references, bool across);

  std::int64_t segments() const { return segments_; }

  // Sets `to` to the segments from `first` to `end` - 1.
  void read(std::int64_t first, std::int64_t end, NumberedSegments& to);

  // The distinct words of all that was read, as long as their texts exist and if they are numbered across segments.
  const std::vector<Word>& words() const { return numbers_.words(); }

 private:
  void list_texts(std::int64_t first, std::int64_t end, std::vector<std::int64_t>& owner);
  void read_next();

  nb::object candidates_, references_;
  std::int64_t segments_;
  bool across_;
  WordNumbers numbers_;
  std::vector<PyObject*> texts_;  // segment by segment, a candidate before its references
  std::size_t next_ = 0;          // of them
  WordList text_;
};

// Texts by their number.
class TextColumn {
 public:
  virtual ~TextColumn() = default;
  virtual std::int64_t size() const = 0;

  // Sets `words` to those of text k, which point into it.
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

 private:
  Input<std::uint8_t> bytes_;
  Input<std::int64_t> begin_;
};

// Reads n-best lists and their references, some lists at a time, as `SegmentReader` reads test sets. `begin` and
// `owner` are as in `NumberedLists`; they and the columns must outlive the reader.
class ListReader {
 public:
  ListReader(const TextColumn& texts, const std::int64_t* begin, const TextColumn& references,
             const std::int64_t* owner)
      : texts_(texts), references_(references), begin_(begin), owner_(owner) {}

  // The lists from `first` to `end` - 1, which last until others are read.
  NumberedLists read(std::int64_t first, std::int64_t end);

 private:
  const TextColumn &texts_, &references_;
  const std::int64_t *begin_, *owner_;
  WordNumbers numbers_;
  WordList text_;
  NumberedTexts hypotheses_, expected_;
  std::vector<std::int64_t> hypotheses_begin_, expected_begin_;
};

// The words of each of several strings, as a list of tuples. Equal words are one Python object, so they take the memory
// of one, and are compared without being read.
nb::list shared_words(nb::list texts);

}  // namespace latticemetric
