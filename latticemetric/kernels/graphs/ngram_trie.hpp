// N-grams as nodes of a trie: node 0 is the empty one, and a node's parent is the n-gram without its last word.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "memory/bits.hpp"

namespace latticemetric {

class NgramTrie {
 public:
  static constexpr std::int32_t root = 0;
  static constexpr std::int32_t none = -1;

  NgramTrie() : parent_{none}, word_{0}, length_{0}, table_(1024) {}

  std::int32_t size() const { return static_cast<std::int32_t>(parent_.size()); }
  std::int32_t parent(std::int32_t node) const { return parent_[node]; }
  std::int32_t word(std::int32_t node) const { return word_[node]; }
  std::int32_t length(std::int32_t node) const { return length_[node]; }
  const std::vector<std::int32_t>& parents() const { return parent_; }
  const std::vector<std::int32_t>& words() const { return word_; }

  // Returns the words of a node's n-gram.
  std::vector<std::int32_t> words_of(std::int32_t node) const {
    std::vector<std::int32_t> words(static_cast<std::size_t>(length(node)));
    for (auto k = words.size(); k-- > 0; node = parent(node)) words[k] = word(node);
    return words;
  }

  // Returns all nodes, shorter n-grams first.
  std::vector<std::int32_t> by_length() const {
    std::vector<std::int32_t> nodes(parent_.size());
    for (std::size_t node = 0; node < nodes.size(); ++node) nodes[node] = static_cast<std::int32_t>(node);
    std::stable_sort(nodes.begin(), nodes.end(),
                     [this](std::int32_t a, std::int32_t b) { return length(a) < length(b); });
    return nodes;
  }

  // Returns the n-gram `node` with `word` after it, or `none` if the trie lacks it.
  std::int32_t child(std::int32_t node, std::int32_t word) const { return table_[place(pair_key(node, word))].node; }

  // Returns the same n-gram; adds it if the trie lacks it.
  std::int32_t add(std::int32_t node, std::int32_t word) {
    const auto wanted = pair_key(node, word);
    Entry& entry = table_[place(wanted)];
    if (entry.node != none) return entry.node;
    if (size() == std::numeric_limits<std::int32_t>::max()) throw std::length_error("there are too many n-grams");
    const auto made = size();
    entry = {wanted, made};
    parent_.push_back(node);
    word_.push_back(word);
    length_.push_back(length_[node] + 1);
    if (2 * parent_.size() > table_.size()) grow();
    return made;
  }

 private:
  struct Entry {
    std::uint64_t key = 0;
    std::int32_t node = none;
  };

  // Returns where a key is, or where it belongs: open addressing after Fibonacci hashing.
  std::size_t place(std::uint64_t wanted) const {
    const auto mask = table_.size() - 1;
    auto at = (wanted * 0x9E3779B97F4A7C15u >> 32) & mask;
    while (table_[at].node != none && table_[at].key != wanted) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<Entry> before(2 * table_.size());
    before.swap(table_);
    for (const Entry& entry : before)
      if (entry.node != none) table_[place(entry.key)] = entry;
  }

  std::vector<std::int32_t> parent_, word_, length_;
  std::vector<Entry> table_;
};

}  // namespace latticemetric
