#include "ngrams/forest_shapes.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "memory/budget.hpp"

namespace latticemetric {
namespace {

// Groups (key, value) pairs into one row of values per key, ascending and without duplicates.
void group(std::vector<std::pair<std::int32_t, std::int32_t>>& pairs, std::size_t keys,
           std::vector<std::int64_t>& begin, std::vector<std::int32_t>& values) {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  begin.assign(keys + 1, 0);
  for (const auto& [key, value] : pairs) {
    ++begin[key + 1];
    values.push_back(value);
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
}

}  // namespace

ForestShapes::ForestShapes(const ForestRules& rules, const std::vector<double>& rule_mass)
    : rules_(rules), rule_mass_(rule_mass) {
  const auto nodes = static_cast<std::size_t>(rules.graph().nodes);
  empty_probability_.assign(nodes, 0);
  can_be_empty_.assign(nodes, 0);
  can_yield_words_.assign(nodes, 0);
  place_.assign(nodes, -1);
  auto mass = rule_mass.begin();
  for (std::int32_t v = 0; v < rules.graph().nodes; ++v) {
    shape_begin_.push_back(shapes_.size());
    shape_at_.clear();
    for (const Rule* rule = rules.begin(v); rule != rules.end(v); ++rule) describe(v, *rule, *mass++);
  }
  shape_begin_.push_back(shapes_.size());
  left_ = shapes_;
  index_words();
}

void ForestShapes::describe(std::int32_t v, const Rule& rule, double mass) {
  bool is_empty = true;
  double empty_probability = mass;
  for (std::int32_t t = 0; t < rule.length; ++t) {
    const Symbol symbol = rules_.symbols(rule)[t];
    const auto tail = node_of(symbol);
    is_empty = is_empty && is_node(symbol) && can_be_empty_[tail];
    empty_probability = is_node(symbol) ? empty_probability * empty_probability_[tail] : 0;
    if (!is_node(symbol) || can_yield_words_[tail]) can_yield_words_[v] = 1;
  }
  can_be_empty_[v] |= is_empty;
  empty_probability_[v] += empty_probability;
  const auto shape = shape_of(rule);
  ++shapes_[shape].rules;
  shapes_[shape].mass += mass;
  rule_shape_.push_back(shape);
  rule_node_.push_back(v);
}

std::size_t ForestShapes::shape_of(const Rule& rule) {
  outline_.clear();
  for (std::int32_t t = 0; t < rule.length; ++t) {
    const Symbol symbol = rules_.symbols(rule)[t];
    if (is_node(symbol) || outline_.empty() || outline_.back() != foreign)
      outline_.push_back(is_node(symbol) ? symbol : foreign);
  }
  const auto [known, is_new] = shape_at_.emplace(outline_, shapes_.size());
  if (!is_new) return known->second;
  shapes_.push_back({shape_symbols_.size(), static_cast<std::int32_t>(outline_.size()), 0, 0});
  shape_symbols_.insert(shape_symbols_.end(), outline_.begin(), outline_.end());
  return shapes_.size() - 1;
}

void ForestShapes::index_words() {
  std::vector<std::pair<std::int32_t, std::int32_t>> rules_of_words, users_of_nodes;
  Symbol largest = 0;
  for (std::int64_t r = 0; r < rules_.size(); ++r) {
    const Rule& rule = rules_.begin(0)[r];
    for (std::int32_t t = 0; t < rule.length; ++t) {
      const Symbol symbol = rules_.symbols(rule)[t];
      if (is_node(symbol)) {
        users_of_nodes.emplace_back(node_of(symbol), rule_node_[r]);
      } else {
        rules_of_words.emplace_back(symbol, static_cast<std::int32_t>(r));
        largest = std::max(largest, symbol);
      }
    }
  }
  group(rules_of_words, static_cast<std::size_t>(largest) + 1, rules_begin_, rules_with_);
  group(users_of_nodes, place_.size(), users_begin_, users_);
}

// Goes upwards: from the rules with one of the words to their nodes, then to the nodes that use these as tails.
void ForestShapes::set_words(const std::vector<Symbol>& words) {
  for (const auto v : producers_) place_[v] = -1;
  producers_.clear();
  selected_.clear();
  for (std::size_t k = 0; k < words.size(); ++k)
    if (std::find(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(k), words[k]) ==
        words.begin() + static_cast<std::ptrdiff_t>(k))
      selected_.insert(selected_.end(), rules_with_.begin() + rules_begin_[words[k]],
                       rules_with_.begin() + rules_begin_[words[k] + 1]);
  std::sort(selected_.begin(), selected_.end());
  selected_.erase(std::unique(selected_.begin(), selected_.end()), selected_.end());
  const auto reach = [&](std::int32_t v) {
    if (place_[v] >= 0) return;
    place_[v] = 0;
    producers_.push_back(v);
  };
  for (const auto r : selected_) reach(rule_node_[r]);
  for (std::size_t at = 0; at < producers_.size(); ++at)
    for (auto k = users_begin_[producers_[at]]; k < users_begin_[producers_[at] + 1]; ++k) reach(users_[k]);
  std::sort(producers_.begin(), producers_.end());
  selected_begin_.clear();
  std::size_t selected = 0;
  for (std::size_t at = 0; at < producers_.size(); ++at) {
    place_[producers_[at]] = static_cast<std::int64_t>(at);
    selected_begin_.push_back(selected);
    while (selected < selected_.size() && rule_node_[selected_[selected]] == producers_[at]) ++selected;
  }
  selected_begin_.push_back(selected);
}

const std::vector<RuleGroup>& ForestShapes::groups(std::size_t place) {
  poll(50);
  const auto v = producers_[place];
  groups_.clear();
  const auto begin = shape_begin_[v], end = shape_begin_[v + 1];
  std::copy(shapes_.begin() + static_cast<std::ptrdiff_t>(begin), shapes_.begin() + static_cast<std::ptrdiff_t>(end),
            left_.begin() + static_cast<std::ptrdiff_t>(begin));
  for (auto k = selected_begin_[place]; k < selected_begin_[place + 1]; ++k) {
    const auto r = selected_[k];
    const Rule& rule = rules_.begin(0)[r];
    groups_.push_back({rules_.symbols(rule), rule.length, rule_mass_[r]});
    --left_[rule_shape_[r]].rules;
    left_[rule_shape_[r]].mass -= rule_mass_[r];
  }
  for (auto shape = begin; shape < end; ++shape)
    if (left_[shape].rules > 0)
      groups_.push_back({shape_symbols_.data() + left_[shape].begin, left_[shape].length,
                         std::max(left_[shape].mass, 0.0)});
  return groups_;
}

}  // namespace latticemetric
