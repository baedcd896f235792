// The smallest deterministic lattice of a list of strings, each with a cost.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/ngram_trie.hpp"

namespace latticemetric {

struct StringTrie {
  NgramTrie trie;
  std::vector<std::int32_t> end;   // by string: its node, which equal strings share
};

// String s is words[begin[s]] … words[begin[s + 1] - 1].
StringTrie string_trie(std::int64_t strings, const std::int64_t* begin, const std::int32_t* words);

struct StringLattice {
  std::vector<std::int32_t> source, target, word, final;
  std::vector<double> cost, final_cost;
  std::int32_t start = 0;
};

// Returns the lattice of the strings of a trie. Nodes come after their parents; `end_cost` is infinite where no string
// ends. A string costs the sum of its arcs and its end, up to rounding. Costs are moved as near to the start as
// possible, so that strings share their ends.
StringLattice minimize_trie(std::int32_t nodes, const std::int32_t* parent, const std::int32_t* word,
                            const double* end_cost);

}  // namespace latticemetric
