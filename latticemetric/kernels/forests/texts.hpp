// Texts that share their parts. Equal texts have equal numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace latticemetric {

// Texts are joined without being written out: a path of ten thousand words has ten thousand prefixes. They are looked
// up by a hash that can be joined, too (Karp & Rabin 1987), and then compared piece by piece.
class Texts {
 public:
  using Number = std::int32_t;
  using Piece = std::int64_t;  // the number of a text, or the complement (~) of a word number

  static constexpr Piece word(std::int32_t number) { return ~static_cast<Piece>(number); }

  static constexpr Number empty = 0;

  Texts() { join({}); }

  // Returns the number of the text that consists of these pieces. Throws TooLarge.
  Number join(const std::vector<Piece>& pieces);

  std::int64_t words(Number text) const { return texts_[text].print.words; }
  std::size_t bytes() const;

 private:
  // The hash of a text: its words as the digits of a number, modulo a prime. `power` is the base to the power of its
  // length.
  struct Print {
    std::uint64_t value = 0, power = 1;
    std::int64_t words = 0;
  };
  struct Text {
    Print print;
    std::size_t begin;  // in `pieces_`
    std::size_t count;
  };

  static Print joined(const Print& a, const Print& b);
  Print print(Piece piece) const;
  void gather(const std::vector<Piece>& pieces);
  bool equals_gathered(Number text);
  void open(Piece text, std::vector<Piece>& pending) const;

  std::vector<Text> texts_;
  std::vector<Piece> pieces_;
  std::unordered_multimap<std::uint64_t, Number> numbers_;
  std::vector<Piece> gathered_, one_, other_;
};

}  // namespace latticemetric
