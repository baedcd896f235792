#include "graphs/lattice_order.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "graphs/topology.hpp"
#include "memory/budget.hpp"

namespace latticemetric {
namespace {

// Returns the number of a state beyond all others, or 0 if numbers have large gaps.
std::int32_t end_of_states(const ReadGraph& graph) {
  std::int64_t lowest = graph.start, highest = graph.start;
  for (const auto* states : {&graph.source, &graph.target, &graph.final})
    for (const std::int64_t state : *states) {
      lowest = std::min(lowest, state);
      highest = std::max(highest, state);
    }
  const auto rows = static_cast<std::int64_t>(graph.source.size() + graph.final.size());
  return lowest >= 0 && highest <= std::min<std::int64_t>(2 * rows + 2, INT32_MAX - 1)
             ? static_cast<std::int32_t>(highest) + 1
             : 0;
}

// Returns the arcs on complete paths, sorted by the rank of their source.
std::vector<std::size_t> kept_arcs(const ReadGraph& graph, const Topology& order) {
  const auto rank = [&order](std::int32_t state) { return order.rank[static_cast<std::size_t>(state)]; };
  std::vector<std::size_t> rows;
  for (std::size_t a = 0; a < graph.source.size(); ++a)
    if (rank(graph.source[a]) >= 0 && rank(graph.target[a]) >= 0) rows.push_back(a);
  if (order.in_order) return rows;
  std::vector<std::size_t> begin(static_cast<std::size_t>(order.kept) + 1, 0), sorted(rows.size());
  for (const auto a : rows) ++begin[static_cast<std::size_t>(rank(graph.source[a])) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  for (const auto a : rows) sorted[begin[static_cast<std::size_t>(rank(graph.source[a]))]++] = a;
  return sorted;
}

// Returns the final states on complete paths, sorted by rank.
std::vector<std::size_t> kept_ends(const ReadGraph& graph, const Topology& order) {
  const auto rank = [&](std::size_t row) { return order.rank[static_cast<std::size_t>(graph.final[row])]; };
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < graph.final.size(); ++row)
    if (rank(row) >= 0) rows.push_back(row);
  std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  return rows;
}

}  // namespace

LatticeOrder lattice_order(const ReadGraph& graph) {
  const auto arcs = static_cast<std::int64_t>(graph.source.size());
  LatticeOrder found;
  if (graph.start == 0) {  // most decoders write lattices in this order
    found.states = ordered_states(graph.source.data(), graph.target.data(), arcs, graph.final.data(),
                                  static_cast<std::int64_t>(graph.final.size()));
    found.is_sorted = found.states > 0;
    if (found.is_sorted) return found;
  }
  const std::int32_t states = graph.final.empty() ? 0 : end_of_states(graph);
  if (states == 0) return found;
  std::vector<std::uint8_t> is_final(static_cast<std::size_t>(states), 0);
  for (const auto state : graph.final)
    if (std::exchange(is_final[static_cast<std::size_t>(state)], 1)) return found;  // given twice
  poll(arcs);
  Topology order = order_states(states, graph.source.data(), graph.target.data(), arcs,
                                static_cast<std::int32_t>(graph.start), is_final.data());
  if (order.on_cycle >= 0 || order.kept == 0) return found;
  found.states = order.kept;
  found.arcs = kept_arcs(graph, order);
  found.ends = kept_ends(graph, order);
  found.rank = std::move(order.rank);
  return found;
}

}  // namespace latticemetric
