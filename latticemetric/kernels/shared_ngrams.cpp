#include "shared_ngrams.hpp"

#include <algorithm>
#include <unordered_map>

#include "budget.hpp"

// An n-gram that both strings have begins where both have an n-1-gram. So orders are counted one after the other, and
// each looks only at places that are left from the one before. An n-gram is an n-1-gram, whose number is known, and one
// more symbol: it is looked up in a table by these two, not by its text.
namespace latticemetric {
namespace {

// A table of more numbers than this would not stay in a cache: few of them are used, and are kept by a hash.
constexpr std::int64_t most_direct = std::int64_t{1} << 21;

struct Direct {
  std::vector<std::int32_t>& numbers;
  std::int32_t& operator[](std::int64_t key) { return numbers[static_cast<std::size_t>(key)]; }
  std::int32_t find(std::int64_t key) const { return numbers[static_cast<std::size_t>(key)]; }
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
  symbols_ = 0;
  const auto number = [this](String string, std::vector<std::int32_t>& numbers) {
    numbers.resize(static_cast<std::size_t>(string.size));
    for (std::int64_t i = 0; i < string.size; ++i) {
      const auto symbol = static_cast<std::size_t>(string.begin[i]);
      if (symbol >= number_of_.size()) number_of_.resize(std::max(symbol + 1, 2 * number_of_.size()), 0);
      std::int32_t& known = number_of_[symbol];
      if (known == 0) known = static_cast<std::int32_t>(++symbols_);
      numbers[static_cast<std::size_t>(i)] = known - 1;
    }
  };
  number(one, one_);
  number(other, other_);
  for (const String string : {one, other})
    for (std::int64_t i = 0; i < string.size; ++i) number_of_[static_cast<std::size_t>(string.begin[i])] = 0;
}

template <typename Table>
std::int64_t SharedNgrams::count_order(std::int32_t n, Table& table) {
  // Places where the string is over.
  const auto drop = [n](std::vector<Place>& places, const std::vector<std::int32_t>& string) {
    while (!places.empty() && places.back().at + n > static_cast<std::int64_t>(string.size())) places.pop_back();
  };
  drop(one_places_, one_);
  drop(other_places_, other_);
  poll(static_cast<std::int64_t>(10 * (one_places_.size() + other_places_.size())));
  left_.assign(one_places_.size() + 1, 0);
  is_shared_.assign(one_places_.size() + 1, 0);
  keys_.resize(one_places_.size());
  std::int32_t highest = 0;
  // No branch waits for what a table holds: what is new and what is known is the same work.
  for (std::size_t k = 0; k < one_places_.size(); ++k) {
    Place& place = one_places_[k];
    const std::int64_t key = place.ngram * symbols_ + one_[static_cast<std::size_t>(place.at + n - 1)];
    std::int32_t& number = table[key];
    const std::int32_t known = number;
    highest += known == 0;
    number = place.ngram = known == 0 ? highest : known;
    keys_[k] = key;
    ++left_[static_cast<std::size_t>(place.ngram)];
  }
  std::int64_t shared = 0;
  std::size_t kept = 0;
  for (std::size_t k = 0; k < other_places_.size(); ++k) {
    const Place place = other_places_[k];
    const std::int32_t number =
        table.find(place.ngram * symbols_ + other_[static_cast<std::size_t>(place.at + n - 1)]);
    std::int32_t& left = left_[static_cast<std::size_t>(number)];  // none of number 0
    const bool matches = left > 0;
    left -= matches;
    shared += matches;
    is_shared_[static_cast<std::size_t>(number)] = 1;
    other_places_[kept] = {place.at, number};
    kept += number != 0;
  }
  other_places_.resize(kept);
  kept = 0;
  for (const Place place : one_places_) {
    one_places_[kept] = place;
    kept += is_shared_[static_cast<std::size_t>(place.ngram)];
  }
  one_places_.resize(kept);
  ngrams_ = highest + 1;
  return shared;
}

void SharedNgrams::count(String one, String other, std::int32_t order, std::int64_t* shared) {
  std::fill_n(shared, order, 0);
  number_symbols(one, other);
  const auto all = [](String string, std::vector<Place>& places) {
    places.resize(static_cast<std::size_t>(string.size));
    for (std::int64_t i = 0; i < string.size; ++i)
      places[static_cast<std::size_t>(i)] = {static_cast<std::int32_t>(i), 0};
  };
  all(one, one_places_);
  all(other, other_places_);
  ngrams_ = 1;
  for (std::int32_t n = 1; n <= order && !one_places_.empty() && !other_places_.empty(); ++n) {
    const std::int64_t size = ngrams_ * symbols_;
    if (size > most_direct) {
      Hashed hashed;
      shared[n - 1] = count_order(n, hashed);
      continue;
    }
    if (static_cast<std::int64_t>(numbers_.size()) < size) numbers_.resize(static_cast<std::size_t>(size), 0);
    Direct direct{numbers_};
    shared[n - 1] = count_order(n, direct);
    for (const std::int64_t key : keys_) numbers_[static_cast<std::size_t>(key)] = 0;
  }
}

}  // namespace latticemetric
