// Test sets in Python's hands: their words as numbers, without a Python object a word.
#pragma once

#include <cstdint>
#include <vector>

#include "border.hpp"
#include "test_set.hpp"
#include "word_numbers.hpp"

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

// The words of each of several strings, as a list of tuples. Equal words are one Python object, so they take the memory
// of one, and are compared without being read.
nb::list shared_words(nb::list texts);

}  // namespace latticemetric
