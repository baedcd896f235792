#include "forests/texts.hpp"

#include <limits>

#include "memory/budget.hpp"
#include "memory/int128.hpp"

namespace latticemetric {
namespace {

constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
constexpr std::int64_t longest_text = std::int64_t{1} << 48;  // so that the sum of a few lengths does not overflow
constexpr std::size_t most_comparisons = std::size_t{1} << 28;
constexpr std::uint64_t base = 0x1d8af066f0f7b4d9u % prime;

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(static_cast<Int128>(a) * b % prime);
}

}  // namespace

Texts::Number Texts::join(const std::vector<Piece>& pieces) {
  gather(pieces);
  if (gathered_.size() == 1 && gathered_[0] >= 0) return static_cast<Number>(gathered_[0]);
  Print whole;
  for (const Piece piece : gathered_) whole = joined(whole, print(piece));
  const auto found = numbers_.equal_range(whole.value);
  for (auto entry = found.first; entry != found.second; ++entry)
    if (texts_[entry->second].print.words == whole.words && equals_gathered(entry->second)) return entry->second;
  const auto number = static_cast<Number>(texts_.size());
  if (number == std::numeric_limits<Number>::max())
    throw TooLarge("the forest has too many partial strings; prune the forest");
  texts_.push_back({whole, pieces_.size(), gathered_.size()});
  pieces_.insert(pieces_.end(), gathered_.begin(), gathered_.end());
  numbers_.emplace(whole.value, number);
  return number;
}

std::size_t Texts::bytes() const {
  constexpr std::size_t entry = 6 * sizeof(void*);  // the size of an entry of the hash table
  return texts_.size() * (sizeof(Text) + entry) + pieces_.size() * sizeof(Piece);
}

Texts::Print Texts::print(Piece piece) const {
  if (piece >= 0) return texts_[piece].print;
  return {product(static_cast<std::uint64_t>(~piece) + 1, 0x9E3779B97F4A7C15u % prime), base, 1};
}

Texts::Print Texts::joined(const Print& a, const Print& b) {
  if (a.words + b.words > longest_text) throw TooLarge("a string of the forest has too many words; prune the forest");
  return {(product(a.value, b.power) + b.value) % prime, product(a.power, b.power), a.words + b.words};
}

// Sets `gathered_` to the pieces without empty texts, and with words in place of texts of one word.
void Texts::gather(const std::vector<Piece>& pieces) {
  gathered_.clear();
  for (const Piece piece : pieces)
    if (piece < 0 || words(static_cast<Number>(piece)) > 1)
      gathered_.push_back(piece);
    else if (piece != empty)
      gathered_.push_back(pieces_[texts_[piece].begin]);
}

// Compares a text with the gathered pieces. Of the pieces at the front of both, the longer one is opened (replaced by
// its own pieces) until both are the same.
bool Texts::equals_gathered(Number text) {
  one_.assign(gathered_.rbegin(), gathered_.rend());
  other_.assign(1, text);
  open(text, other_);
  for (std::size_t steps = 0; !one_.empty() && !other_.empty(); ++steps) {
    if (steps > most_comparisons)
      throw TooLarge("the strings of the forest are too long to be compared; prune the forest");
    poll(5);
    const Piece a = one_.back(), b = other_.back();
    if (a == b) {
      one_.pop_back();
      other_.pop_back();
      continue;
    }
    const auto of_a = print(a).words, of_b = print(b).words;
    if (of_a == of_b) return false;  // equal texts have equal numbers
    of_a > of_b ? open(a, one_) : open(b, other_);
  }
  return one_.empty() && other_.empty();
}

void Texts::open(Piece text, std::vector<Piece>& pending) const {
  pending.pop_back();
  const Text& opened = texts_[text];
  for (std::size_t k = opened.count; k > 0; --k) pending.push_back(pieces_[opened.begin + k - 1]);
}

}  // namespace latticemetric
