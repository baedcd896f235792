#include "ngrams.hpp"

#include <algorithm>
#include <cmath>

namespace latticemetric {
namespace {

// A trie of n-grams: the child of a node by a word, in one hash table of open addressing. Node 0 is the empty n-gram.
class Trie {
 public:
  Trie() : keys_(1024, empty), children_(1024) {}

  std::int32_t find(std::int32_t node, std::int32_t word) const {
    const std::size_t at = place(key(node, word));
    return keys_[at] == empty ? -1 : children_[at];
  }

  std::int32_t add(std::int32_t node, std::int32_t word) {
    if (2 * static_cast<std::size_t>(parents_.size()) >= keys_.size()) grow();
    const std::size_t at = place(key(node, word));
    if (keys_[at] == empty) {
      keys_[at] = key(node, word);
      children_[at] = static_cast<std::int32_t>(parents_.size());
      parents_.push_back(node);
    }
    return children_[at];
  }

  std::int32_t parent(std::int32_t node) const { return parents_[node]; }
  std::size_t nodes() const { return parents_.size(); }

 private:
  static constexpr std::uint64_t empty = ~std::uint64_t{0};

  static std::uint64_t key(std::int32_t node, std::int32_t word) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(node)) << 32 | static_cast<std::uint32_t>(word);
  }

  std::size_t place(std::uint64_t key) const {
    // The multiplier of Fibonacci hashing spreads neighbouring nodes and words.
    std::size_t at = static_cast<std::size_t>((key ^ key >> 29) * 0x9e3779b97f4a7c15ull >> 20) & (keys_.size() - 1);
    while (keys_[at] != empty && keys_[at] != key) at = (at + 1) & (keys_.size() - 1);
    return at;
  }

  void grow() {
    std::vector<std::uint64_t> keys(2 * keys_.size(), empty);
    std::vector<std::int32_t> children(keys.size());
    keys.swap(keys_);
    children.swap(children_);
    for (std::size_t k = 0; k < keys.size(); ++k) {
      if (keys[k] == empty) continue;
      const std::size_t at = place(keys[k]);
      keys_[at] = keys[k];
      children_[at] = children[k];
    }
  }

  std::vector<std::uint64_t> keys_;
  std::vector<std::int32_t> children_;
  std::vector<std::int32_t> parents_{-1};
};

class Matcher {
 public:
  Matcher(const Strings& candidates, const Strings& references, std::int32_t order)
      : candidates_(candidates), references_(references), order_(order) {
    std::vector<std::int64_t> total(1, references.begin[references.count]);
    for (std::int64_t s = 0; s < references.count; ++s)
      each_ngram(references, s, true, [&](std::int32_t node, std::int32_t) {
        if (static_cast<std::size_t>(node) >= total.size()) total.resize(static_cast<std::size_t>(node) + 1, 0);
        ++total[node];
      });
    information_.resize(trie_.nodes(), 0);
    for (std::size_t node = 1; node < trie_.nodes(); ++node)
      information_[node] = std::log2(static_cast<double>(total[trie_.parent(static_cast<std::int32_t>(node))]) /
                                     static_cast<double>(total[node]));
    here_.assign(trie_.nodes(), 0);
    most_.assign(trie_.nodes(), 0);
  }

  NgramMatches run(const std::int64_t* owner) {
    const auto cells = static_cast<std::size_t>(candidates_.count) * order_;
    NgramMatches result{std::vector<std::int64_t>(cells, 0), std::vector<double>(cells, 0)};
    for (std::int64_t s = 0; s < candidates_.count; ++s) {
      for (auto r = owner[s]; r < owner[s + 1]; ++r) count_reference(r);
      std::int64_t* const matches = result.matches.data() + s * order_;
      double* const information = result.information.data() + s * order_;
      each_ngram(candidates_, s, false, [&](std::int32_t node, std::int32_t k) {
        if (most_[node] == 0) return;
        --most_[node];
        ++matches[k];
        information[k] += information_[node];
      });
      for (const auto node : allowed_) most_[node] = 0;
      allowed_.clear();
    }
    return result;
  }

 private:
  // Calls visit(node, k) for each k + 1-gram of a string that the trie holds, or is to hold.
  template <typename Visit>
  void each_ngram(const Strings& strings, std::int64_t s, bool add, Visit visit) {
    for (auto i = strings.begin[s]; i < strings.begin[s + 1]; ++i) {
      std::int32_t node = 0;
      const auto end = std::min<std::int64_t>(strings.begin[s + 1], i + order_);
      for (auto j = i; j < end; ++j) {
        node = add ? trie_.add(node, strings.words[j]) : trie_.find(node, strings.words[j]);
        if (node < 0) break;
        visit(node, static_cast<std::int32_t>(j - i));
      }
    }
  }

  void count_reference(std::int64_t r) {
    each_ngram(references_, r, false, [&](std::int32_t node, std::int32_t) {
      if (here_[node]++ == 0) touched_.push_back(node);
    });
    for (const auto node : touched_) {
      if (most_[node] == 0) allowed_.push_back(node);
      most_[node] = std::max(most_[node], here_[node]);
      here_[node] = 0;
    }
    touched_.clear();
  }

  const Strings& candidates_;
  const Strings& references_;
  const std::int32_t order_;
  Trie trie_;
  std::vector<double> information_;
  std::vector<std::int32_t> here_, most_;  // of each n-gram, in one reference, and in that which has most of it
  std::vector<std::int32_t> touched_, allowed_;
};

}  // namespace

NgramMatches match_ngrams(const Strings& candidates, const Strings& references, const std::int64_t* owner,
                          std::int32_t order) {
  return Matcher(candidates, references, order).run(owner);
}

}  // namespace latticemetric
