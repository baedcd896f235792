// The part of a forest that can say some words, and the rest of it in outline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "graphs/forest_rules.hpp"

namespace latticemetric {

// One or more rules of a node: what they say, and the probability of all of them, given the node.
struct Way {
  const Symbol* symbols;
  std::int32_t length;
  double mass;
};

// Rules that differ only in words which nobody asks about have the same shape: words stand in it as foreign ones, and
// what stands together as one of them. A node has few shapes.
class ForestShapes {
 public:
  ForestShapes(const ForestRules& rules, const std::vector<double>& rule_mass);

  // Finds the nodes that can say one of the words, somewhere below.
  void look_for(const std::vector<Symbol>& words);

  // Those nodes, ascending; and where one stands among them, -1 where it is none.
  const std::vector<std::int32_t>& sayers() const { return sayers_; }
  std::int64_t place(std::int32_t node) const { return place_[node]; }

  // The ways to derive a sayer: rules that say one of the words, and shapes of all others.
  const std::vector<Way>& ways(std::size_t place);

  double silence(std::int32_t node) const { return silence_[node]; }   // the probability that it says nothing
  bool can_be_silent(std::int32_t node) const { return can_be_silent_[node]; }
  bool can_speak(std::int32_t node) const { return can_speak_[node]; }
  std::size_t longest() const { return static_cast<std::size_t>(rules_.longest()); }
  const Forest& graph() const { return rules_.graph(); }

 private:
  struct Shape {
    std::size_t begin;   // of its symbols
    std::int32_t length;
    std::int64_t rules;
    double mass;
  };

  void describe(std::int32_t v, const Rule& rule, double mass);
  std::size_t shape_of(const Rule& rule);
  void index_words();

  const ForestRules& rules_;
  const std::vector<double>& rule_mass_;
  std::vector<double> silence_;
  std::vector<std::uint8_t> can_be_silent_, can_speak_;
  std::vector<Shape> shapes_, left_;
  std::vector<std::size_t> shape_begin_, rule_shape_;   // of a node; of a rule
  std::vector<Symbol> shape_symbols_, outline_;
  std::map<std::vector<Symbol>, std::size_t> shape_at_;   // of the node that is described
  std::vector<std::int64_t> rules_begin_, users_begin_;   // rows of the two below
  std::vector<std::int32_t> rules_with_;   // the rules that say a word, ascending
  std::vector<std::int32_t> users_;        // the nodes that have a node as a tail
  std::vector<std::int32_t> sayers_, rule_node_, asked_;
  std::vector<std::size_t> asked_begin_;   // of a sayer: its rules that say one of the words
  std::vector<std::int64_t> place_;
  std::vector<Way> ways_;
};

}  // namespace latticemetric
