// The edges of a forest as rules: one rule for all edges of a node with the same target side.
#pragma once

#include <cstdint>
#include <vector>

#include "graphs/forest.hpp"
#include "graphs/symbols.hpp"

namespace latticemetric {

struct Rule {
  std::int64_t edge;     // the one that the tie rule prefers, of those with the same target side
  std::int64_t begin;    // where its symbols begin
  std::int64_t alike;    // where the list of edges with the same target side begins
  std::int32_t length;
  std::int32_t shared;   // how many first symbols it shares with the rule before it
};

// The rules of node v are rules[begin[v]] .. rules[begin[v + 1] - 1]. They are sorted by target side, so that
// neighbours share beginnings. Edges of a node with the same target side differ in cost and in words of the result
// only, so one stands for all of them: the cheapest, then the one with the fewest words, then the first.
class ForestRules {
 public:
  ForestRules(const Forest& graph, const WordClasses& classes);

  const Forest& graph() const { return graph_; }
  const Rule* begin(std::int32_t v) const { return rules_.data() + begin_[v]; }
  const Rule* end(std::int32_t v) const { return rules_.data() + begin_[v + 1]; }
  const Symbol* symbols(const Rule& rule) const { return symbols_.data() + rule.begin; }
  const Symbol* symbols(std::int64_t edge) const { return symbols_.data() + graph_.target_begin[edge]; }
  std::int64_t length(std::int64_t edge) const { return graph_.target_begin[edge + 1] - graph_.target_begin[edge]; }
  const std::int64_t* alike_begin(const Rule& rule) const { return alike_.data() + rule.alike; }
  const std::int64_t* alike_end(const Rule& rule) const {
    return alike_.data() + (&rule + 1 < rules_.data() + rules_.size() ? (&rule + 1)->alike : alike_.size());
  }
  std::int64_t size() const { return static_cast<std::int64_t>(rules_.size()); }
  std::int32_t longest() const { return longest_; }  // the symbols of the longest rule
  double most_words() const { return most_words_; }  // of any derivation; a double, since there may be very many

 private:
  std::uint64_t beginning(std::int64_t edge) const;
  void add_node(std::int64_t first, std::int64_t last);
  void measure();

  const Forest graph_;
  std::vector<Symbol> symbols_;
  // How symbols are packed into 64 bits: the least symbol, the bits for one symbol counted from there, and how many
  // symbols fit.
  std::int64_t least_ = 0, bits_ = 1, packed_ = 64;
  std::vector<Rule> rules_;
  std::vector<std::int64_t> alike_;
  std::vector<std::int64_t> begin_;
  std::int32_t longest_ = 0;
  double most_words_ = 0;
};

}  // namespace latticemetric
