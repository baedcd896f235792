// How many n-grams two strings share, of all orders.
#pragma once

#include <cstdint>
#include <vector>

#include "strings/test_set.hpp"

namespace latticemetric {

// Counts many pairs with one set of buffers.
class SharedNgrams {
 public:
  // Sets shared[n - 1] to the number of n-grams that both strings have, each counted as often as both have it, for all
  // n up to `order`. Symbols are not negative.
  void count(String one, String other, std::int32_t order, std::int64_t* shared);

 private:
  // A place where an n-gram begins that both strings have, and the number of that n-gram. Its order is the last one
  // that was counted.
  struct Place {
    std::int32_t at, ngram;
  };

  void number_symbols(String one, String other);
  template <std::int64_t words>
  void count_by_bits(std::int32_t order, std::int64_t* shared);
  void count_by_places(std::int32_t order, std::int64_t* shared);
  template <typename Table>
  std::int64_t count_order(std::int32_t n, Table& table);

  std::vector<std::int64_t> number_of_;    // by symbol: its number, counted on through all pairs
  std::int64_t first_ = 1;                 // the number of this pair's first symbol in that count
  std::vector<std::int32_t> one_, other_;  // the strings, as numbers of symbols from 0 on
  std::int64_t symbols_ = 0;               // how many symbols this pair has
  std::vector<std::uint64_t> bits_;        // by symbol: a bit for each place where the one string has it
  std::vector<Place> one_places_, other_places_;
  std::int64_t ngrams_ = 1;                // one more than the highest number of the last order
  std::vector<std::int32_t> numbers_;      // by n-gram of the last order and symbol: 0, or a number of this order
  std::vector<std::int64_t> keys_;         // the indices of `numbers_` that are not 0
  std::vector<std::int32_t> left_;         // by number: how many n-grams of the one string are not matched yet
  std::vector<std::int32_t> is_shared_;    // by number: 1 where the other string has it, too
};

}  // namespace latticemetric
