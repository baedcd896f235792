#include "strings/ngram_matches.hpp"

#include <algorithm>
#include <cmath>

#include "memory/bits.hpp"
#include "memory/budget.hpp"

namespace latticemetric {
namespace {

// A trie of n-grams. One hash table with open addressing maps a node and a word to the node's child. Node 0 is the
// empty n-gram.
class Trie {
 public:
  Trie() : edges_(1024) {}

  std::int32_t find(std::int32_t node, std::int32_t word) const {
    const Edge& edge = edges_[place(pair_key(node, word))];
    return edge.child < first_ ? -1 : static_cast<std::int32_t>(edge.child - first_);
  }

  std::int32_t add(std::int32_t node, std::int32_t word) {
    if (2 * parents_.size() >= edges_.size()) grow();
    Edge& edge = edges_[place(pair_key(node, word))];
    if (edge.child < first_) {
      edge = {pair_key(node, word), first_ + static_cast<std::int64_t>(parents_.size())};
      parents_.push_back(node);
    }
    return static_cast<std::int32_t>(edge.child - first_);
  }

  // Forgets all n-grams, in constant time: an edge to a node from before counts as free.
  void forget() {
    first_ += static_cast<std::int64_t>(parents_.size());
    parents_.resize(1);
  }

  std::int32_t parent(std::int32_t node) const { return parents_[node]; }
  std::size_t nodes() const { return parents_.size(); }

 private:
  struct Edge {
    std::uint64_t key = 0;
    std::int64_t child = -1;
  };

  std::size_t place(std::uint64_t key) const {
    // The multiplier of Fibonacci hashing spreads neighbouring nodes and words.
    std::size_t at = static_cast<std::size_t>((key ^ key >> 29) * 0x9e3779b97f4a7c15ull >> 20) & (edges_.size() - 1);
    while (edges_[at].child >= first_ && edges_[at].key != key) at = (at + 1) & (edges_.size() - 1);
    return at;
  }

  void grow() {
    std::vector<Edge> edges(2 * edges_.size());
    edges.swap(edges_);
    for (const Edge& edge : edges)
      if (edge.child >= first_) edges_[place(edge.key)] = edge;
  }

  std::vector<Edge> edges_;
  std::vector<std::int32_t> parents_{-1};
  std::int64_t first_ = 0;  // what node 0 is if nodes are counted on through `forget`
};

// Counts matches in a trie: of the references of one segment, or, for information, of all references.
class Matcher {
 public:
  Matcher(const TestSet& test, std::int32_t order) : test_(test), order_(order) {}

  std::vector<std::int64_t> matches() {
    std::vector<std::int64_t> found(static_cast<std::size_t>(test_.hypotheses.count) * order_, 0);
    for (std::int64_t s = 0; s < test_.hypotheses.count; ++s) {
      trie_.forget();
      add_references(test_.owner[s], test_.owner[s + 1]);
      each_match(s, [row = found.data() + s * order_](std::int32_t, std::int32_t k) { ++row[k]; });
    }
    return found;
  }

  std::vector<double> information() {
    add_references(0, test_.references.count);
    const std::vector<double> of_node = information_of_nodes();
    std::vector<double> found(static_cast<std::size_t>(test_.hypotheses.count) * order_, 0);
    for (std::int64_t s = 0; s < test_.hypotheses.count; ++s)
      each_match(s, [&of_node, row = found.data() + s * order_](std::int32_t node, std::int32_t k) {
        row[k] += of_node[node];
      });
    return found;
  }

 private:
  void add_references(std::int64_t first, std::int64_t end) {
    first_ = first;
    nodes_.clear();
    node_begin_.assign(1, 0);
    for (auto r = first; r < end; ++r) {
      each_ngram<true>(test_.references, r, [&](std::int32_t node, std::int32_t) { nodes_.push_back(node); });
      node_begin_.push_back(nodes_.size());
    }
    if (here_.size() < trie_.nodes()) {
      here_.resize(trie_.nodes(), 0);
      most_.resize(trie_.nodes(), 0);
    }
  }

  std::vector<double> information_of_nodes() const {
    std::vector<std::int64_t> total(trie_.nodes(), 0);
    total[0] = test_.references.begin[test_.references.count];
    for (const auto node : nodes_) ++total[node];
    std::vector<double> information(trie_.nodes(), 0);
    for (std::size_t node = 1; node < trie_.nodes(); ++node)
      information[node] = std::log2(static_cast<double>(total[trie_.parent(static_cast<std::int32_t>(node))]) /
                                    static_cast<double>(total[node]));
    return information;
  }

  // Calls visit(node, k) for each (k + 1)-gram of a string that the trie holds (or that is added, if `add`). Short
  // n-grams come first, so that successive look-ups do not wait for each other.
  template <bool add, typename Visit>
  void each_ngram(const Strings& strings, std::int64_t s, Visit visit) {
    const String string = strings.at(s);
    poll(20 * order_ * string.size);
    reached_.assign(static_cast<std::size_t>(string.size), 0);
    for (std::int32_t k = 0; k < std::min<std::int64_t>(order_, string.size); ++k)
      for (std::int64_t i = 0; i < string.size - k; ++i) {
        auto& node = reached_[i];  // of the k-gram that begins at i, or -1
        if (node >= 0) node = add ? trie_.add(node, string.begin[i + k]) : trie_.find(node, string.begin[i + k]);
        if (node >= 0) visit(node, k);
      }
  }

  // Calls visit(node, k) for each (k + 1)-gram of a hypothesis that counts as a match.
  template <typename Visit>
  void each_match(std::int64_t s, Visit visit) {
    for (auto r = test_.owner[s]; r < test_.owner[s + 1]; ++r) count_reference(r - first_);
    each_ngram<false>(test_.hypotheses, s, [&](std::int32_t node, std::int32_t k) {
      if (most_[node] == 0) return;
      --most_[node];
      visit(node, k);
    });
    for (const auto node : allowed_) most_[node] = 0;
    allowed_.clear();
  }

  void count_reference(std::int64_t r) {
    const auto *const begin = nodes_.data() + node_begin_[r], *const end = nodes_.data() + node_begin_[r + 1];
    for (const auto* node = begin; node < end; ++node) ++here_[*node];
    for (const auto* node = begin; node < end; ++node) {
      if (here_[*node] == 0) continue;  // counted before
      if (most_[*node] == 0) allowed_.push_back(*node);
      most_[*node] = std::max(most_[*node], here_[*node]);
      here_[*node] = 0;
    }
  }

  const TestSet& test_;
  const std::int32_t order_;
  Trie trie_;
  std::int64_t first_ = 0;           // the first reference that was added
  std::vector<std::int32_t> nodes_;  // of the references' n-grams, one reference after the other
  std::vector<std::size_t> node_begin_;
  std::vector<std::int32_t> here_, most_;  // by n-gram: how often one reference has it; the most in any
  std::vector<std::int32_t> allowed_, reached_;
};

}  // namespace

std::vector<std::int64_t> match_ngrams(const TestSet& test, std::int32_t order) {
  return Matcher(test, order).matches();
}

std::vector<double> weigh_ngrams(const TestSet& test, std::int32_t order) {
  return Matcher(test, order).information();
}

}  // namespace latticemetric
