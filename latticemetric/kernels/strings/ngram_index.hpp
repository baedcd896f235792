// The n-grams of many strings, and how many of them other strings share: statistics of all pairs.
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

  // Returns clipped matches: for each reference, for each order from 1 on, a number for each string of the index.
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
  std::vector<std::int64_t> begin_;     // by n-gram: where its postings begin
  std::vector<Posting> postings_;       // by n-gram, then by string
  std::vector<std::int64_t> row_;       // by n-gram: where its row begins, or none
  std::vector<std::uint8_t> rows_;      // one byte for each string: how often it has the n-gram
  std::vector<std::int32_t> times_;     // by n-gram: how often the text at hand has it
  std::vector<std::int32_t> counted_;   // the distinct n-grams of that text
  std::vector<std::uint16_t> from_rows_;
};

}  // namespace latticemetric
