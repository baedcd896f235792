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
  if (!symbols_.empty()) {
    const auto [least, most] = std::minmax_element(symbols_.begin(), symbols_.end());
    least_ = *least;
    for (bits_ = 1; (std::uint64_t{1} << bits_) <= static_cast<std::uint64_t>(std::int64_t{*most} - least_) + 1;) ++bits_;
    packed_ = 64 / bits_;
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

// Returns the first `packed_` symbols of an edge as one number that sorts as they do. A missing symbol sorts before all
// others.
std::uint64_t ForestRules::beginning(std::int64_t edge) const {
  const Symbol* const own = symbols(edge);
  const auto size = std::min(length(edge), packed_);
  std::uint64_t number = 0;
  for (std::int64_t k = 0; k < size; ++k)
    number = number << bits_ | static_cast<std::uint64_t>(std::int64_t{own[k]} - least_ + 1);
  return size == 0 ? 0 : number << bits_ * (packed_ - size);
}

void ForestRules::add_node(std::int64_t first, std::int64_t last) {
  poll(100 * (last - first));
  // Sorts edges by their first symbols (nearly always all that they have), then by the other symbols, then by the tie
  // rule.
  struct Sorted {
    std::uint64_t beginning;
    double cost;
    std::int64_t words, edge;
  };
  std::vector<Sorted> edges;
  edges.reserve(static_cast<std::size_t>(last - first));
  for (auto e = first; e < last; ++e) edges.push_back({beginning(e), graph_.cost[e], graph_.words[e], e});
  std::sort(edges.begin(), edges.end(), [&](const Sorted& a, const Sorted& b) {
    if (a.beginning != b.beginning) return a.beginning < b.beginning;
    const auto a_length = length(a.edge), b_length = length(b.edge);
    if (a_length > packed_ || b_length > packed_) {
      const Symbol *const x = symbols(a.edge), *const y = symbols(b.edge);
      const auto at = std::mismatch(x, x + std::min(a_length, b_length), y).first - x;
      if (at < a_length && at < b_length) return x[at] < y[at];
      if (a_length != b_length) return a_length < b_length;
    }
    return costs_as_much(a, b) ? a.edge < b.edge : comes_first(a, b);
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
