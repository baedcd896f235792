#include "strings/shared_ngrams.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "memory/bits.hpp"
#include "memory/budget.hpp"

// There are two methods, by length.
//
// Short strings: one bit for each place of the one string says whether an n-gram ends there that equals the n-gram that
// ends at place j of the other string. The places of order n are those of order n - 1 for place j - 1, moved by one
// place, where the one string has symbol j of the other (the Shift-And of Baeza-Yates & Gonnet 1992). Each n-gram of
// the other string takes one of these places that is still free. The number of places taken in the end is the number of
// shared n-grams.
//
// Long strings: an n-gram that both strings have begins where both have an (n-1)-gram. So orders are counted one after
// the other, and each order looks only at places that are left from the order before. An n-gram is an (n-1)-gram, whose
// number is known, and one more symbol: it is looked up in a table by these two, not by its text.
namespace latticemetric {
namespace {

// A table of more numbers than this would not stay in a cache. Only few of them are used, so a hash table keeps those.
constexpr std::int64_t most_direct = std::int64_t{1} << 21;

// The highest order that is counted by bits.
constexpr std::int32_t most_by_bits = 8;

struct Direct {
  std::int32_t* numbers;
  std::int32_t& operator[](std::int64_t key) const { return numbers[key]; }
  std::int32_t find(std::int64_t key) const { return numbers[key]; }
};

struct Hashed {
  std::unordered_map<std::int64_t, std::int32_t> numbers;
  std::int32_t& operator[](std::int64_t key) { return numbers[key]; }
  std::int32_t find(std::int64_t key) const {
    const auto found = numbers.find(key);
    return found == numbers.end() ? 0 : found->second;
  }
};

}  // namespace

void SharedNgrams::number_symbols(String one, String other) {
  first_ += symbols_;
  std::int64_t next = first_;
  const auto number = [&](String string, std::vector<std::int32_t>& numbers) {
    numbers.resize(static_cast<std::size_t>(string.size));
    for (std::int64_t i = 0; i < string.size; ++i) {
      const auto symbol = static_cast<std::size_t>(string.begin[i]);
      if (symbol >= number_of_.size()) number_of_.resize(std::max(symbol + 1, 2 * number_of_.size()), 0);
      const std::int64_t known = number_of_[symbol];
      const std::int64_t found = known < first_ ? next : known;  // a number of an earlier pair does not count
      next += known < first_;
      number_of_[symbol] = found;
      numbers[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(found - first_);
    }
  };
  number(one, one_);
  number(other, other_);
  symbols_ = next - first_;
}

template <std::int64_t words>
void SharedNgrams::count_by_bits(std::int32_t order, std::int64_t* shared) {
  using Places = std::array<std::uint64_t, words>;
  bits_.assign(static_cast<std::size_t>(symbols_ * words), 0);
  for (std::size_t i = 0; i < one_.size(); ++i)
    bits_[static_cast<std::size_t>(one_[i]) * words + i / 64] |= std::uint64_t{1} << i % 64;
  Places ends[most_by_bits + 1] = {}, taken[most_by_bits + 1] = {};
  for (const std::int32_t symbol : other_) {
    Places same;
    std::copy_n(bits_.data() + symbol * words, words, same.begin());
    for (std::int32_t n = order; n >= 1; --n) {
      std::uint64_t carry = 0, open = ~std::uint64_t{0};
      for (std::int64_t w = 0; w < words; ++w) {
        const std::uint64_t last = ends[n - 1][w], moved = last << 1 | carry;
        carry = last >> 63;
        const std::uint64_t here = n == 1 ? same[w] : moved & same[w];
        const std::uint64_t free = here & ~taken[n][w] & open;
        ends[n][w] = here;
        taken[n][w] |= free & (0 - free);  // the first free place
        open = free ? 0 : open;
      }
    }
  }
  for (std::int32_t n = 1; n <= order; ++n)
    for (std::int64_t w = 0; w < words; ++w) shared[n - 1] += count_bits(taken[n][w]);
}

template <typename Table>
std::int64_t SharedNgrams::count_order(std::int32_t n, Table& table) {
  // Drops places where the string is too short for an n-gram.
  const auto drop = [n](std::vector<Place>& places, const std::vector<std::int32_t>& string) {
    while (!places.empty() && places.back().at + n > static_cast<std::int64_t>(string.size())) places.pop_back();
  };
  drop(one_places_, one_);
  drop(other_places_, other_);
  left_.assign(one_places_.size() + 1, 0);
  is_shared_.assign(one_places_.size() + 1, 0);
  keys_.resize(one_places_.size());
  const std::int64_t symbols = symbols_;
  std::int32_t highest = 0;
  // Without branches on what the table holds: new and known n-grams are the same work.
  {
    const std::int32_t* const last = one_.data() + n - 1;  // the last symbol of the n-gram at place 0
    std::int32_t* const left = left_.data();
    std::int64_t* key = keys_.data();
    for (Place& place : one_places_) {
      poll(10);
      *key = place.ngram * symbols + last[place.at];
      std::int32_t& number = table[*key++];
      const std::int32_t known = number;
      highest += known == 0;
      number = place.ngram = known == 0 ? highest : known;
      ++left[place.ngram];
    }
  }
  std::int64_t shared = 0;
  {
    const std::int32_t* const last = other_.data() + n - 1;
    std::int32_t *const left = left_.data(), *const is_shared = is_shared_.data();
    Place* kept = other_places_.data();
    for (const Place place : other_places_) {
      poll(10);
      const std::int32_t number = table.find(place.ngram * symbols + last[place.at]);
      const std::int32_t matches = left[number] > 0;  // number 0, of unknown n-grams, has none left
      left[number] -= matches;
      shared += matches;
      is_shared[number] = 1;
      *kept = {place.at, number};
      kept += number != 0;
    }
    other_places_.resize(static_cast<std::size_t>(kept - other_places_.data()));
  }
  Place* kept = one_places_.data();
  for (const Place place : one_places_) {
    *kept = place;
    kept += is_shared_[static_cast<std::size_t>(place.ngram)];
  }
  one_places_.resize(static_cast<std::size_t>(kept - one_places_.data()));
  ngrams_ = highest + 1;
  return shared;
}

void SharedNgrams::count_by_places(std::int32_t order, std::int64_t* shared) {
  const auto all = [](std::size_t size, std::vector<Place>& places) {
    places.resize(size);
    for (std::size_t i = 0; i < size; ++i) places[i] = {static_cast<std::int32_t>(i), 0};
  };
  all(one_.size(), one_places_);
  all(other_.size(), other_places_);
  ngrams_ = 1;
  for (std::int32_t n = 1; n <= order && !one_places_.empty() && !other_places_.empty(); ++n) {
    const std::int64_t size = ngrams_ * symbols_;
    if (size > most_direct) {
      Hashed hashed;
      shared[n - 1] = count_order(n, hashed);
      continue;
    }
    if (static_cast<std::int64_t>(numbers_.size()) < size) numbers_.resize(static_cast<std::size_t>(size), 0);
    Direct direct{numbers_.data()};
    shared[n - 1] = count_order(n, direct);
    for (const std::int64_t key : keys_) numbers_[static_cast<std::size_t>(key)] = 0;
  }
}

void SharedNgrams::count(String one, String other, std::int32_t order, std::int64_t* shared) {
  std::fill_n(shared, order, 0);
  if (one.size > other.size) std::swap(one, other);
  if (one.size == 0) return;
  number_symbols(one, other);
  const auto by_bits = order > most_by_bits ? nullptr
                       : one.size <= 64     ? &SharedNgrams::template count_by_bits<1>
                       : one.size <= 128    ? &SharedNgrams::template count_by_bits<2>
                       : one.size <= 192    ? &SharedNgrams::template count_by_bits<3>
                       : one.size <= 256    ? &SharedNgrams::template count_by_bits<4>
                                            : nullptr;
  if (by_bits && other.size <= 8 * one.size + 256) {
    poll((one.size / 64 + 1) * other.size * order);
    (this->*by_bits)(order, shared);
  } else {
    count_by_places(order, shared);
  }
}

}  // namespace latticemetric
