// The gains of n-grams as an automaton over words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphs/ngram_trie.hpp"
#include "memory/budget.hpp"

namespace latticemetric {

// The gain of a string: `gain[g]` for each occurrence of each n-gram g of the trie, and `word` for each word.
struct NgramGains {
  const NgramTrie& ngrams;
  const double* gain;
  double word;
};

// The trie as an automaton (Aho & Corasick 1975). Its state is the longest suffix of the words read that the trie can
// extend.
class GainAutomaton {
 public:
  explicit GainAutomaton(const NgramGains& gains) : trie_(gains.ngrams), gain_(gains.gain, gains.gain + trie_.size()) {
    const auto size = static_cast<std::size_t>(trie_.size());
    shorter_.assign(size, NgramTrie::root);
    state_.assign(size, NgramTrie::root);
    std::vector<std::uint8_t> goes_on(size, 0);
    for (std::size_t g = 1; g < size; ++g) goes_on[trie_.parent(static_cast<std::int32_t>(g))] = 1;
    gain_[NgramTrie::root] = 0;
    for (const auto g : trie_.by_length()) {
      if (g == NgramTrie::root) continue;
      poll(50);
      const auto parent = trie_.parent(g);
      if (parent != NgramTrie::root) shorter_[g] = longest_ngram(shorter_[parent], trie_.word(g));
      gain_[g] += gain_[shorter_[g]] + (parent == NgramTrie::root ? gains.word : 0);
      state_[g] = goes_on[g] ? g : state_[shorter_[g]];
    }
    gain_[NgramTrie::root] = gains.word;
  }

  // Returns the longest n-gram that ends with the word; the empty n-gram if there is none.
  std::int32_t longest_ngram(std::int32_t state, std::int32_t word) const {
    for (;; state = shorter_[state]) {
      const auto ngram = trie_.child(state, word);
      if (ngram != NgramTrie::none) return ngram;
      if (state == NgramTrie::root) return NgramTrie::root;
    }
  }

  // Returns the gain of a word whose longest n-gram this is: of the word and of all n-grams that it completes.
  double gain(std::int32_t ngram) const { return gain_[ngram]; }
  std::int32_t state(std::int32_t ngram) const { return state_[ngram]; }
  std::int32_t size() const { return trie_.size(); }

 private:
  const NgramTrie& trie_;
  std::vector<double> gain_;
  std::vector<std::int32_t> shorter_;   // the longest proper suffix of an n-gram in the trie
  std::vector<std::int32_t> state_;
};

}  // namespace latticemetric
