// N-grams with their gains, or upper bounds of these, as an automaton over words. All other n-grams share bounds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "graphs/ngram_trie.hpp"
#include "memory/budget.hpp"

namespace latticemetric {

// Some n-grams are known, each with the gain of one occurrence, or an upper bound of it. With an n-gram, all shorter
// ones within it are known, too. All n-grams of the same length that are not known share one bound.
//
// A state of the automaton, a context, is the longest known n-gram that the words read so far end with. Of a longer one
// that they end with, nothing is known, whatever follows.
class KnownNgrams {
 public:
  static constexpr std::int32_t foreign = 0;   // any word that the evidence lacks

  // `word` is the gain of each word, `others[n - 1]` the bound of n-grams of n words that are not known. The size of
  // `others` is the order: longer n-grams do not count.
  KnownNgrams(double word, std::vector<double> others)
      : others_(std::move(others)), per_word_(word), gain_{0}, suffix_{NgramTrie::root} {
    for (const double other : others_) per_word_ += other;
    settle();
  }

  // Adds an n-gram, or gives it another gain: `parent` with a word after it. Call `settle` afterwards.
  std::int32_t set(std::int32_t parent, std::int32_t word, double gain) {
    poll(50);
    const auto suffix = parent == NgramTrie::root ? NgramTrie::root : ngrams_.child(suffix_[parent], word);
    if (suffix == NgramTrie::none) throw std::invalid_argument("an n-gram is given without its suffixes");
    const auto ngram = ngrams_.add(parent, word);
    if (static_cast<std::size_t>(ngram) == gain_.size()) {
      gain_.push_back(gain);
      suffix_.push_back(suffix);
    } else {
      gain_[ngram] = gain;
    }
    return ngram;
  }

  // Computes what follows from the gains. Call it after `set`.
  void settle() {
    const auto size = gain_.size();
    surplus_.assign(size, 0);
    longer_.assign(size, 0);
    const auto sorted = ngrams_.by_length();
    for (const auto g : sorted) {
      poll(50);
      if (g != NgramTrie::root) surplus_[g] = surplus_[suffix_[g]] + more(g);
    }
    for (auto g = sorted.rbegin(); g != sorted.rend(); ++g)
      if (*g != NgramTrie::root) longer_[suffix_[*g]] = std::max(longer_[suffix_[*g]], more(*g) + longer_[*g]);
  }

  std::int32_t order() const { return static_cast<std::int32_t>(others_.size()); }
  std::int32_t length(std::int32_t ngram) const { return ngrams_.length(ngram); }
  std::int32_t word(std::int32_t ngram) const { return ngrams_.word(ngram); }
  std::int32_t parent(std::int32_t ngram) const { return ngrams_.parent(ngram); }

  // Returns an n-gram with a word after it; `none` if that is not known.
  std::int32_t longer(std::int32_t ngram, std::int32_t word) const { return ngrams_.child(ngram, word); }

  // Returns the context after a further word.
  std::int32_t after(std::int32_t context, std::int32_t word) const {
    for (;; context = suffix_[context]) {
      const auto ngram = ngrams_.child(context, word);
      if (ngram != NgramTrie::none) return ngram;
      if (context == NgramTrie::root) return NgramTrie::root;
    }
  }

  // Returns the longest known n-gram of up to `words` words that an n-gram ends with.
  std::int32_t last(std::int32_t ngram, std::int32_t words) const {
    while (length(ngram) > words) ngram = suffix_[ngram];
    return ngram;
  }

  // Returns the gain of one occurrence, or its bound.
  double gain(std::int32_t ngram) const { return gain_[ngram]; }

  // What a word gains after words that are not known: for the word itself, and for an n-gram of each length.
  double per_word() const { return per_word_; }

  // Returns what a word gains beyond `per_word` if this is the longest known n-gram that it ends.
  double surplus(std::int32_t ngram) const { return surplus_[ngram]; }

  // Returns an upper bound of what longer known n-grams that end with this one can add to its surplus.
  double bound_of_longer(std::int32_t ngram) const { return longer_[ngram]; }

  // Returns what `per_word` counts too much in a string of this many words: the first words end no long n-grams.
  double excess(std::int32_t words) const {
    double excess = 0;
    for (std::int32_t n = 2; n <= order() && words > 0; ++n) excess += others_[n - 1] * std::min(words, n - 1);
    return excess;
  }

  // Returns the gain of a string, or an upper bound of it.
  double gain_of(const std::vector<std::int32_t>& words) const {
    double gain = 0;
    std::int32_t context = NgramTrie::root;
    for (const auto word : words) {
      context = after(last(context, order() - 1), word);
      gain += per_word_ + surplus_[context];
    }
    return gain - excess(static_cast<std::int32_t>(std::min<std::size_t>(words.size(), others_.size())));
  }

  std::size_t bytes() const { return gain_.size() * bytes_of_ngram; }

 private:
  static constexpr std::size_t bytes_of_ngram = 72;   // in all vectors and the hash table

  double more(std::int32_t ngram) const { return gain_[ngram] - others_[length(ngram) - 1]; }

  std::vector<double> others_;
  double per_word_;
  NgramTrie ngrams_;
  std::vector<double> gain_;
  std::vector<std::int32_t> suffix_;   // by n-gram: without its first word
  std::vector<double> surplus_, longer_;
};

}  // namespace latticemetric
