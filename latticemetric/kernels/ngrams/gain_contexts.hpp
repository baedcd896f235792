// Contexts (strings of a few words) with the gains of the n-grams that they complete, and bounds for longer n-grams.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "graphs/ngram_trie.hpp"
#include "ngrams/forest_search.hpp"

namespace latticemetric {

// Strings of up to `order` words, as nodes of a trie. The gain of a string is that of its last word: for the word, and
// for all n-grams that it completes within the string. N-grams of more than `longest` words occur in no string and are
// left out of bounds.
class GainContexts {
 public:
  GainContexts(const ForestNgramGains& gains, std::int32_t longest) : gains_(gains) {
    bound_from_longer(longest);
    shorter_.push_back(NgramTrie::root);
    evidence_.push_back(NgramTrie::root);
    gain_.push_back(0);
  }

  static constexpr std::int32_t foreign = -1;   // no n-gram has it

  std::int32_t with(std::int32_t string, std::int32_t word) {
    const auto there = strings_.child(string, word);
    if (there != NgramTrie::none) return there;
    const auto without_first = string == NgramTrie::root ? NgramTrie::root : with(shorter_[string], word);
    const auto known = evidence_[string] < 0 || word == foreign ? NgramTrie::none
                                                                : gains_.ngrams.child(evidence_[string], word);
    gain_.push_back((known < 0 ? 0 : gains_.gain[known]) +
                    (string == NgramTrie::root ? gains_.word : gain_[without_first]));
    evidence_.push_back(known);
    shorter_.push_back(without_first);
    return strings_.add(string, word);
  }

  std::int32_t length(std::int32_t string) const { return strings_.length(string); }
  std::int32_t parent(std::int32_t string) const { return strings_.parent(string); }
  std::int32_t word(std::int32_t string) const { return strings_.word(string); }
  std::int32_t shorter(std::int32_t string) const { return shorter_[string]; }
  double gain(std::int32_t string) const { return gain_[string]; }

  // Returns an upper bound of what longer n-grams that end with the string can add.
  double bound(std::int32_t string) const { return evidence_[string] < 0 ? 0 : bound_[evidence_[string]]; }

  std::int32_t first(std::int32_t string, std::int32_t words) const {
    while (length(string) > words) string = parent(string);
    return string;
  }
  std::int32_t last(std::int32_t string, std::int32_t words) const {
    while (length(string) > words) string = shorter(string);
    return string;
  }

  std::size_t bytes() const { return shorter_.size() * 96 + bound_.size() * sizeof(double); }

 private:
  // Computes the bounds, longer n-grams first. An n-gram adds at most its own gain and its bound; the largest such sum
  // over the n-grams with one word more in front is the bound of the shorter one.
  void bound_from_longer(std::int32_t longest) {
    const auto& ngrams = gains_.ngrams;
    const auto size = static_cast<std::size_t>(ngrams.size());
    const auto sorted = ngrams.by_length();
    std::vector<std::int32_t> suffix(size, NgramTrie::root);
    for (const auto g : sorted)
      if (ngrams.length(g) > 1) {
        suffix[g] = ngrams.child(suffix[ngrams.parent(g)], ngrams.word(g));
        if (suffix[g] == NgramTrie::none) throw std::invalid_argument("an n-gram is given without its suffixes");
      }
    bound_.assign(size, 0);
    for (auto g = sorted.rbegin(); g != sorted.rend(); ++g) {
      if (*g != NgramTrie::root && ngrams.length(*g) <= longest)
        bound_[suffix[*g]] = std::max(bound_[suffix[*g]], gains_.gain[*g] + bound_[*g]);
    }
  }

  const ForestNgramGains gains_;
  NgramTrie strings_;
  std::vector<std::int32_t> shorter_, evidence_;
  std::vector<double> gain_, bound_;
};

}  // namespace latticemetric
