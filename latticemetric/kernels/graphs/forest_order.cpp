#include "graphs/forest_order.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

#include "memory/budget.hpp"

namespace latticemetric {
namespace {

// Edges grouped by node: those of node v are edge[begin[v]] .. edge[begin[v + 1] - 1].
struct Grouped {
  std::vector<std::int64_t> begin, edge;
  explicit Grouped(std::int32_t nodes) : begin(static_cast<std::size_t>(nodes) + 1, 0) {}

  void count(std::int32_t node) { ++begin[node + 1]; }
  void allot() {
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    edge.resize(static_cast<std::size_t>(begin.back()));
    next_.assign(begin.begin(), begin.end() - 1);
  }
  void put(std::int32_t node, std::int64_t e) { edge[next_[node]++] = e; }

 private:
  std::vector<std::int64_t> next_;
};

class Order {
 public:
  Order(std::int32_t nodes, std::int64_t edges, const std::int32_t* head, const std::int64_t* tail_begin,
        const std::int32_t* tail)
      : nodes_(nodes), edges_(edges), head_(head), tail_begin_(tail_begin), tail_(tail), by_tail_(nodes) {
    for (std::int64_t k = 0; k < tail_begin[edges]; ++k) by_tail_.count(tail[k]);
    by_tail_.allot();
    for (std::int64_t e = 0; e < edges; ++e)
      for (auto k = tail_begin[e]; k < tail_begin[e + 1]; ++k) by_tail_.put(tail[k], e);
  }

  ForestOrder run(const std::uint8_t* is_goal) {
    find_productive();
    find_useful(is_goal);
    ForestOrder result;
    result.rank.assign(nodes_, -1);
    if (!number(result)) return result;
    for (std::int64_t e = 0; e < edges_; ++e)
      if (is_used(e)) result.edges.push_back(e);
    const auto before = [&](auto a, auto b) { return result.rank[head_[a]] < result.rank[head_[b]]; };
    if (!std::is_sorted(result.edges.begin(), result.edges.end(), before))
      std::stable_sort(result.edges.begin(), result.edges.end(), before);
    return result;
  }

 private:
  // A node is productive if it has an edge whose tails are all productive. missing_[e] counts the tails of edge e that
  // are not known to be productive.
  void find_productive() {
    productive_.assign(nodes_, 0);
    missing_.resize(static_cast<std::size_t>(edges_));
    std::vector<std::int32_t> pending;
    const auto found = [&](std::int32_t v) {
      if (productive_[v]) return;
      productive_[v] = 1;
      pending.push_back(v);
    };
    for (std::int64_t e = 0; e < edges_; ++e) {
      missing_[e] = tail_begin_[e + 1] - tail_begin_[e];
      if (missing_[e] == 0) found(head_[e]);
    }
    while (!pending.empty()) {
      const auto v = pending.back();
      pending.pop_back();
      for (auto k = by_tail_.begin[v]; k < by_tail_.begin[v + 1]; ++k)
        if (--missing_[by_tail_.edge[k]] == 0) found(head_[by_tail_.edge[k]]);
    }
  }

  void find_useful(const std::uint8_t* is_goal) {
    Grouped by_head(nodes_);
    for (std::int64_t e = 0; e < edges_; ++e) by_head.count(head_[e]);
    by_head.allot();
    for (std::int64_t e = 0; e < edges_; ++e) by_head.put(head_[e], e);
    useful_.assign(nodes_, 0);
    std::vector<std::int32_t> pending;
    const auto found = [&](std::int32_t v) {
      if (useful_[v]) return;
      useful_[v] = 1;
      pending.push_back(v);
    };
    for (std::int32_t v = 0; v < nodes_; ++v)
      if (is_goal[v] && productive_[v]) found(v);
    while (!pending.empty()) {
      const auto v = pending.back();
      pending.pop_back();
      for (auto k = by_head.begin[v]; k < by_head.begin[v + 1]; ++k) {
        const auto e = by_head.edge[k];
        if (missing_[e] != 0) continue;
        for (auto t = tail_begin_[e]; t < tail_begin_[e + 1]; ++t) found(tail_[t]);
      }
    }
  }

  bool is_used(std::int64_t e) const { return missing_[e] == 0 && useful_[head_[e]]; }

  // Numbers the useful nodes, tails before heads. Returns false if they have a cycle.
  bool number(ForestOrder& result) {
    std::vector<std::int64_t> waiting(nodes_, 0);
    bool in_order = true;
    std::int32_t wanted = 0;
    for (std::int32_t v = 0; v < nodes_; ++v) wanted += useful_[v];
    for (std::int64_t e = 0; e < edges_; ++e) {
      if (!is_used(e)) continue;
      waiting[head_[e]] += tail_begin_[e + 1] - tail_begin_[e];
      for (auto k = tail_begin_[e]; k < tail_begin_[e + 1]; ++k) in_order = in_order && tail_[k] < head_[e];
    }
    if (in_order) {
      for (std::int32_t v = 0; v < nodes_; ++v)
        if (useful_[v]) result.rank[v] = result.kept++;
      return true;
    }
    std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<>> ready;
    for (std::int32_t v = 0; v < nodes_; ++v)
      if (useful_[v] && waiting[v] == 0) ready.push(v);
    while (!ready.empty()) {
      poll(50);
      const auto v = ready.top();
      ready.pop();
      result.rank[v] = result.kept++;
      for (auto k = by_tail_.begin[v]; k < by_tail_.begin[v + 1]; ++k) {
        const auto e = by_tail_.edge[k];
        if (is_used(e) && --waiting[head_[e]] == 0) ready.push(head_[e]);
      }
    }
    if (result.kept == wanted) return true;
    result.on_cycle = node_on_cycle(result.rank);
    return false;
  }

  // Every useful node without a number has a tail without one. So a walk from tail to tail among them ends up in a
  // cycle.
  std::int32_t node_on_cycle(const std::vector<std::int32_t>& rank) const {
    std::vector<std::int32_t> below(nodes_, -1);
    for (std::int64_t e = 0; e < edges_; ++e)
      for (auto k = tail_begin_[e]; is_used(e) && k < tail_begin_[e + 1]; ++k)
        if (rank[tail_[k]] < 0) below[head_[e]] = tail_[k];
    std::int32_t v = 0;
    while (!useful_[v] || rank[v] >= 0) ++v;
    for (std::int32_t step = 0; step < nodes_; ++step) v = below[v];
    return v;
  }

  const std::int32_t nodes_;
  const std::int64_t edges_;
  const std::int32_t* head_;
  const std::int64_t* tail_begin_;
  const std::int32_t* tail_;
  Grouped by_tail_;
  std::vector<std::uint8_t> productive_, useful_;
  std::vector<std::int64_t> missing_;
};

}  // namespace

ForestOrder order_forest(std::int32_t nodes, std::int64_t edges, const std::int32_t* head,
                         const std::int64_t* tail_begin, const std::int32_t* tail, const std::uint8_t* is_goal) {
  return Order(nodes, edges, head, tail_begin, tail).run(is_goal);
}

}  // namespace latticemetric
