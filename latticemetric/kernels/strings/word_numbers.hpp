// Words as numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace latticemetric {

// A view of a word; its first and its last eight bytes, which are the whole word if it has at most sixteen; and a hash
// of all its bytes.
struct Word {
  const char* begin;
  std::uint64_t size, head, tail, hash;

  // `readable` is the first byte before the word that may be read.
  void set(const char* first, const char* end, const char* readable) {
    begin = first;
    size = static_cast<std::uint64_t>(end - first);
    if (end - readable >= 8) {
      // Without a branch on the size: the bytes before a short word are read, too, and shifted out.
      const std::uint64_t before = 8 - std::min<std::uint64_t>(8, size);
      head = eight(std::min(begin, end - 8)) >> 4 * before >> 4 * before;
      tail = eight(end - 8) >> 4 * before >> 4 * before;
    } else {
      head = tail = few(begin, size);
    }
    // Multiplicative hashing, whose high bits are good. Short words have equal `head` and `tail`: the sum of the
    // multipliers is odd, so that they hash well, too.
    hash = (head ^ size) * 0x9e3779b97f4a7c15u + tail * 0xe7037ed1a0b428dau;
    if (size > 16) hash += middle(first + 8, end - 8) * 0x9e3779b97f4a7c15u;
  }

  friend bool operator==(const Word& a, const Word& b) {
    return ((a.head ^ b.head) | (a.tail ^ b.tail) | (a.size ^ b.size)) == 0 &&
           (a.size <= 16 || std::memcmp(a.begin, b.begin, a.size) == 0);
  }

 private:
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first byte must be the lowest");

  // Returns a hash of the bytes between the first and the last eight. Its last step may also read some of the last
  // eight.
  static std::uint64_t middle(const char* from, const char* end) {
    std::uint64_t bytes = 0;
    for (; from < end; from += 8) {
      bytes = (bytes ^ eight(from)) * 0xe7037ed1a0b428dau;
      bytes ^= bytes >> 32;
    }
    return bytes;
  }

  static std::uint64_t few(const char* from, std::size_t size) {
    std::uint64_t bytes = 0;
    if (size > 0) std::memcpy(&bytes, from, size);  // an empty word may have no readable byte at all
    return bytes;
  }

  static std::uint64_t eight(const char* from) {
    std::uint64_t bytes;
    std::memcpy(&bytes, from, sizeof bytes);
    return bytes;
  }
};

// The words of a text. Room is made once, and words are set in place: copying a word would wait for what was just
// written.
class WordList {
 public:
  Word& add() {
    if (size_ == room_.size()) room_.resize(2 * size_ + 64);
    return room_[size_++];
  }

  void clear() { size_ = 0; }
  std::size_t size() const { return size_; }
  const Word* begin() const { return room_.data(); }
  const Word* end() const { return room_.data() + size_; }

 private:
  std::vector<Word> room_;
  std::size_t size_ = 0;
};

// Numbers distinct words from 0 on, in order of appearance: a hash table with open addressing.
class WordNumbers {
 public:
  WordNumbers() : places_(256, -1) {}

  std::int32_t of(const Word& word) {
    std::size_t at = word.hash >> shift_;
    for (; places_[at] >= first_; at = (at + 1) & (places_.size() - 1))
      if (words_[places_[at] - first_] == word) return static_cast<std::int32_t>(places_[at] - first_);
    const auto number = static_cast<std::int64_t>(words_.size());
    places_[at] = first_ + number;
    words_.push_back(word);
    if (2 * words_.size() > places_.size()) grow();
    return static_cast<std::int32_t>(number);
  }

  // Forgets all words, in constant time: a place with a number from before counts as free.
  void forget() {
    first_ += static_cast<std::int64_t>(words_.size());
    words_.clear();
  }

  const std::vector<Word>& words() const { return words_; }

 private:
  void grow() {
    places_.assign(4 * places_.size(), -1);
    shift_ -= 2;
    for (std::size_t number = 0; number < words_.size(); ++number) {
      std::size_t at = words_[number].hash >> shift_;
      while (places_[at] >= 0) at = (at + 1) & (places_.size() - 1);
      places_[at] = first_ + static_cast<std::int64_t>(number);
    }
  }

  std::vector<std::int64_t> places_;  // numbers, counted on through `forget`
  int shift_ = 56;                    // from a hash to a place
  std::vector<Word> words_;
  std::int64_t first_ = 0;  // the number of word 0 in that count
};

}  // namespace latticemetric
