#include "graphs/forest_rules.hpp"

#include <algorithm>

#include "graphs/tie_order.hpp"
#include "memory/budget.hpp"

namespace latticemetric {

ForestRules::ForestRules(const Forest& graph, const WordClasses& classes) : graph_(graph) {
  symbols_.reserve(static_cast<std::size_t>(graph.target_begin[graph.edges]));
  for (std::int64_t e = 0; e < graph.edges; ++e)
    for (auto k = graph.target_begin[e]; k < graph.target_begin[e + 1]; ++k) {
      const auto symbol = graph.target[k];
      symbols_.push_back(symbol < 0 ? node_symbol(graph.tail[graph.tail_begin[e] - symbol - 1]) : classes.of(symbol));
    }
  std::int64_t first = 0;
  for (std::int32_t v = 0; v < graph.nodes; ++v) {
    begin_.push_back(size());
    auto last = first;
    while (last < graph.edges && graph.head[last] == v) ++last;
    add_node(first, last);
    first = last;
  }
  begin_.push_back(size());
  measure();
}

// The first two symbols of an edge as a number that sorts as they do; none is less than any.
std::uint64_t ForestRules::beginning(std::int64_t edge) const {
  const auto rank = [&](std::int64_t k) -> std::uint64_t {
    return k < length(edge) ? static_cast<std::uint32_t>(symbols(edge)[k]) + (std::uint32_t{1} << 31) : 0;
  };
  return rank(0) << 32 | rank(1);
}

void ForestRules::add_node(std::int64_t first, std::int64_t last) {
  poll(100 * (last - first));
  // By their first two symbols, which tell most of them apart.
  struct Sorted {
    std::uint64_t beginning;
    std::int64_t edge;
  };
  std::vector<Sorted> edges;
  edges.reserve(static_cast<std::size_t>(last - first));
  for (auto e = first; e < last; ++e) edges.push_back({beginning(e), e});
  struct EdgeCost {
    double cost;
    std::int64_t words;
  };
  const auto preferred = [&](std::int64_t a, std::int64_t b) {
    const EdgeCost one{graph_.cost[a], graph_.words[a]}, other{graph_.cost[b], graph_.words[b]};
    return costs_as_much(one, other) ? a < b : comes_first(one, other);
  };
  std::sort(edges.begin(), edges.end(), [&](const Sorted& a, const Sorted& b) {
    if (a.beginning != b.beginning) return a.beginning < b.beginning;
    const Symbol *x = symbols(a.edge), *y = symbols(b.edge);
    const auto x_length = length(a.edge), y_length = length(b.edge);
    const auto differ = std::mismatch(x, x + std::min(x_length, y_length), y);
    const auto at = differ.first - x;
    if (at < x_length && at < y_length) return x[at] < y[at];
    return x_length != y_length ? x_length < y_length : preferred(a.edge, b.edge);
  });
  for (const auto& sorted : edges) {
    Rule rule{sorted.edge, graph_.target_begin[sorted.edge], 0, static_cast<std::int32_t>(length(sorted.edge)), 0};
    rule.alike = static_cast<std::int64_t>(alike_.size());
    alike_.push_back(rule.edge);
    if (size() > begin_.back()) {
      const Rule& before = rules_.back();
      const Symbol *x = symbols(rule), *y = symbols(before);
      rule.shared = static_cast<std::int32_t>(std::mismatch(x, x + std::min(rule.length, before.length), y).first - x);
      if (rule.shared == rule.length && rule.length == before.length) continue;
    }
    longest_ = std::max(longest_, rule.length);
    rules_.push_back(rule);
  }
}

void ForestRules::measure() {
  std::vector<double> most(graph_.nodes, 0);
  for (std::int32_t v = 0; v < graph_.nodes; ++v) {
    for (const Rule* rule = begin(v); rule != end(v); ++rule) {
      double words = 0;
      for (std::int32_t k = 0; k < rule->length; ++k) {
        const Symbol symbol = symbols(*rule)[k];
        words += is_node(symbol) ? most[node_of(symbol)] : 1;
      }
      most[v] = std::max(most[v], words);
    }
    most_words_ = std::max(most_words_, most[v]);
  }
}

}  // namespace latticemetric
