// The part of a forest that can produce some words, and an outline of the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "graphs/forest_rules.hpp"

namespace latticemetric {

// One or more rules of a node with the same symbols, and their total probability, given the node.
struct RuleGroup {
  const Symbol* symbols;
  std::int32_t length;
  double mass;
};

// The shape of a rule has one foreign word in place of each run of words, so rules that differ only in their words have
// the same shape. A node has few shapes. Rules with a selected word are read as they are, all others by their shapes.
class ForestShapes {
 public:
  ForestShapes(const ForestRules& rules, const std::vector<double>& rule_mass);

  // Selects words: finds the nodes that can produce one of them.
  void set_words(const std::vector<Symbol>& words);

  // The nodes that can produce a selected word, ascending; and the index of a node among them, or -1.
  const std::vector<std::int32_t>& producers() const { return producers_; }
  std::int64_t place(std::int32_t node) const { return place_[node]; }

  // Returns what a producer derives: its rules with one of the words, and the shapes of its other rules.
  const std::vector<RuleGroup>& groups(std::size_t place);

  // Returns the probability that the node's string is empty.
  double empty_probability(std::int32_t node) const { return empty_probability_[node]; }
  bool can_be_empty(std::int32_t node) const { return can_be_empty_[node]; }
  bool can_yield_words(std::int32_t node) const { return can_yield_words_[node]; }
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
  std::vector<double> empty_probability_;
  std::vector<std::uint8_t> can_be_empty_, can_yield_words_;
  std::vector<Shape> shapes_, left_;
  std::vector<std::size_t> shape_begin_, rule_shape_;   // by node: its first shape; by rule: its shape
  std::vector<Symbol> shape_symbols_, outline_;
  std::map<std::vector<Symbol>, std::size_t> shape_at_;   // of the node that is being described
  std::vector<std::int64_t> rules_begin_, users_begin_;   // rows of the two below
  std::vector<std::int32_t> rules_with_;   // the rules that have a word, ascending
  std::vector<std::int32_t> users_;        // the nodes that have a node as a tail
  std::vector<std::int32_t> producers_, rule_node_, selected_;
  std::vector<std::size_t> selected_begin_;   // by producer: the first of its rules in `selected_`
  std::vector<std::int64_t> place_;
  std::vector<RuleGroup> groups_;
};

}  // namespace latticemetric
