// N-grams as arrays from Python.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bindings/binding.hpp"
#include "graphs/ngram_trie.hpp"

namespace latticemetric {

// Checks n-grams, and returns them as a trie. Node 0 is the empty n-gram. Each other node comes after its parent, the
// n-gram without its last word; the last word is in `ending`.
inline NgramTrie trie_of(const Input<std::int32_t>& parent, const Input<std::int32_t>& ending) {
  NgramTrie trie;
  require(parent.size() >= 1 && ending.size() == parent.size(), "columns of n-grams differ in length");
  for (std::size_t g = 1; g < parent.size(); ++g) {
    require(0 <= parent.data()[g] && parent.data()[g] < static_cast<std::int32_t>(g), "parents must precede n-grams");
    require(ending.data()[g] > 0, "the last word of an n-gram must be positive");
    require(trie.add(parent.data()[g], ending.data()[g]) == static_cast<std::int32_t>(g), "an n-gram occurs twice");
  }
  return trie;
}

}  // namespace latticemetric
