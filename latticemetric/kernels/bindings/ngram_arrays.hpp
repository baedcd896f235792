// N-grams as they come from Python.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bindings/binding.hpp"
#include "graphs/ngram_trie.hpp"

namespace latticemetric {

// Node 0 is the empty n-gram; the others come after their parents.
inline NgramTrie trie_of(const Input<std::int32_t>& parent, const Input<std::int32_t>& ending) {
  NgramTrie trie;
  require(parent.size() >= 1 && ending.size() == parent.size(), "n-grams differ in number");
  for (std::size_t g = 1; g < parent.size(); ++g) {
    require(0 <= parent.data()[g] && parent.data()[g] < static_cast<std::int32_t>(g), "n-grams must follow theirs");
    require(ending.data()[g] > 0, "an n-gram has words");
    require(trie.add(parent.data()[g], ending.data()[g]) == static_cast<std::int32_t>(g), "an n-gram stands twice");
  }
  return trie;
}

}  // namespace latticemetric
