// A forest as it is searched: of the edges that act alike, the one that the tie rule prefers.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace latticemetric {

// Nodes are in topological order, tails before heads; edges are sorted by head.
struct ForestGraph {
  std::int32_t nodes;
  std::int64_t edges;
  const std::int32_t* head;
  const std::int64_t* tail_begin;  // an edge, and one more
  const std::int32_t* tail;
  const std::int64_t* said_begin;  // an edge, and one more
  const std::int32_t* said;        // word numbers, and -k where the k-th tail's words stand
  const double* cost;
  const std::int64_t* words;       // how many of an edge's words stand in the result
  const double* goal_cost;         // a node; infinite where it is no goal
};

// What an edge says, symbol by symbol: a node's words, or a word as the reference knows it.
using Symbol = std::int32_t;
constexpr Symbol foreign = 0;  // a word that the reference does not have; its own are 1, 2, ...
constexpr Symbol says(std::int32_t node) { return -node - 1; }
constexpr bool is_node(Symbol symbol) { return symbol < 0; }
constexpr std::int32_t node_of(Symbol symbol) { return -symbol - 1; }

// The reference's words as symbols 1, 2, ..., and what each word number counts as.
struct WordClasses {
  std::vector<Symbol> reference;

  WordClasses(const std::int32_t* words, std::int32_t size);
  Symbol of(std::int32_t word) const;

 private:
  std::vector<std::pair<std::int32_t, Symbol>> known_;  // sorted by word
  std::vector<std::uint8_t> filter_;                    // turns most foreign words away
};

struct Rule {
  std::int64_t edge;     // that stands for all that say the same
  std::int64_t begin;    // of its symbols
  std::int64_t alike;    // where the edges that say the same begin
  std::int32_t length;
  std::int32_t shared;   // how many symbols it begins with as the node's rule before it does
};

// The rules of node v are rules[begin[v]] .. rules[begin[v + 1]], sorted by what they say, so that neighbours share
// their beginnings. Edges of a node that say the same differ in cost only: the cheapest stands for all of them, then
// that of the fewest words, then the first.
class ForestRules {
 public:
  ForestRules(const ForestGraph& graph, const WordClasses& classes);

  const ForestGraph& graph() const { return graph_; }
  const Rule* begin(std::int32_t v) const { return rules_.data() + begin_[v]; }
  const Rule* end(std::int32_t v) const { return rules_.data() + begin_[v + 1]; }
  const Symbol* symbols(const Rule& rule) const { return symbols_.data() + rule.begin; }
  const Symbol* symbols(std::int64_t edge) const { return symbols_.data() + graph_.said_begin[edge]; }
  std::int64_t length(std::int64_t edge) const { return graph_.said_begin[edge + 1] - graph_.said_begin[edge]; }
  const std::int64_t* alike_begin(const Rule& rule) const { return alike_.data() + rule.alike; }
  const std::int64_t* alike_end(const Rule& rule) const {
    return alike_.data() + (&rule + 1 < rules_.data() + rules_.size() ? (&rule + 1)->alike : alike_.size());
  }
  std::int64_t size() const { return static_cast<std::int64_t>(rules_.size()); }
  std::int32_t longest() const { return longest_; }  // of all rules, in symbols
  double most_words() const { return most_words_; }  // of all derivations; there may be very many

 private:
  std::uint64_t beginning(std::int64_t edge) const;
  void add_node(std::int64_t first, std::int64_t last);
  void measure();

  const ForestGraph graph_;
  std::vector<Symbol> symbols_;
  std::vector<Rule> rules_;
  std::vector<std::int64_t> alike_;
  std::vector<std::int64_t> begin_;
  std::int32_t longest_ = 0;
  double most_words_ = 0;
};

}  // namespace latticemetric
