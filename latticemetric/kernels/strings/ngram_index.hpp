// N-grams of many strings, and how many of them each string shares with others: statistics of all pairs.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/ngram_trie.hpp"
#include "strings/test_set.hpp"

namespace latticemetric {

// An inverted index: for each n-gram up to an order, the strings that have it, and how often.
class NgramIndex {
 public:
  NgramIndex(const Strings& strings, std::int32_t order);

  std::int64_t strings() const { return strings_; }
  std::int32_t order() const { return order_; }

  // Clipped matches: for each reference and each order from 1, a number for each string of the index.
  std::vector<std::int32_t> matches(const Strings& references);

 private:
  struct Posting {
    std::int32_t string, times;
  };

  template <typename Step>
  void count(String text, Step step);
  void forget();
  void add_rows();
  void match(String reference, std::int32_t* found);

  NgramTrie trie_;
  std::int32_t order_;
  std::int64_t strings_;
  std::vector<std::int64_t> begin_;     // of each n-gram's postings
  std::vector<Posting> postings_;       // by n-gram, then by string
  std::vector<std::int64_t> row_;       // of each n-gram: where its row begins, or none
  std::vector<std::uint8_t> rows_;      // how often each string has an n-gram that many strings have
  std::vector<std::int32_t> times_;     // of each n-gram in the text that is counted
  std::vector<std::int32_t> counted_;   // the n-grams of that text
  std::vector<std::uint16_t> from_rows_;
};

}  // namespace latticemetric
