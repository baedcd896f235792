#include "graphs/topology.hpp"

#include <algorithm>
#include <functional>
#include <queue>

#include "graphs/lattice.hpp"
#include "memory/budget.hpp"

namespace latticemetric {
namespace {

// Arcs grouped by one of their ends: the arcs of state s lead to other[begin[s]] .. other[begin[s + 1] - 1].
struct Adjacency {
  std::vector<std::int64_t> begin;
  std::vector<std::int32_t> other;

  Adjacency(std::int32_t states, const std::int32_t* from, const std::int32_t* to, std::int64_t arcs)
      : begin(group_begins(states, arcs, from)), other(static_cast<std::size_t>(arcs)) {
    std::vector<std::int64_t> next(begin.begin(), begin.end() - 1);
    for (std::int64_t a = 0; a < arcs; ++a) other[next[from[a]]++] = to[a];
  }
};

void mark_reachable(const Adjacency& graph, std::vector<std::int32_t> pending, std::vector<std::uint8_t>& seen) {
  for (auto s : pending) seen[s] = 1;
  while (!pending.empty()) {
    poll(8);
    const auto s = pending.back();
    pending.pop_back();
    for (auto k = graph.begin[s]; k < graph.begin[s + 1]; ++k) {
      const auto t = graph.other[k];
      if (!seen[t]) {
        seen[t] = 1;
        pending.push_back(t);
      }
    }
  }
}

bool in_order(const std::int32_t* source, const std::int32_t* target, std::int64_t arcs) {
  for (std::int64_t a = 0; a < arcs; ++a)
    if (source[a] >= target[a] || (a > 0 && source[a - 1] > source[a])) return false;
  return true;
}

// Most decoders write arcs that are sorted by source and go forward. Then one sweep in each direction finds the useful
// states.
Topology keep_order(std::int32_t states, const std::int32_t* source, const std::int32_t* target, std::int64_t arcs,
                    std::int32_t start, const std::uint8_t* is_final) {
  std::vector<std::uint8_t> accessible(states, 0), useful(is_final, is_final + states);
  accessible[start] = 1;
  for (std::int64_t a = 0; a < arcs; ++a) accessible[target[a]] |= accessible[source[a]];
  for (std::int64_t a = arcs - 1; a >= 0; --a) useful[source[a]] |= useful[target[a]];
  Topology result;
  result.in_order = true;
  result.rank.assign(states, -1);
  for (std::int32_t s = 0; s < states; ++s)
    if (accessible[s] && useful[s]) result.rank[s] = result.kept++;
  return result;
}

}  // namespace

Topology order_states(std::int32_t states, const std::int32_t* source, const std::int32_t* target,
                      std::int64_t arcs, std::int32_t start, const std::uint8_t* is_final) {
  if (in_order(source, target, arcs)) return keep_order(states, source, target, arcs, start, is_final);
  Topology result;
  result.rank.assign(states, -1);
  const Adjacency outgoing(states, source, target, arcs);
  std::vector<std::uint8_t> useful(states, 0);
  {
    const Adjacency incoming(states, target, source, arcs);
    std::vector<std::uint8_t> accessible(states, 0);
    mark_reachable(outgoing, {start}, accessible);
    std::vector<std::int32_t> finals;
    for (std::int32_t s = 0; s < states; ++s)
      if (is_final[s] && accessible[s]) finals.push_back(s);
    mark_reachable(incoming, std::move(finals), useful);
    for (std::int32_t s = 0; s < states; ++s) useful[s] &= accessible[s];
  }

  bool ordered = true;
  std::vector<std::int32_t> indegree(states, 0);
  for (std::int64_t a = 0; a < arcs; ++a) {
    if (!useful[source[a]] || !useful[target[a]]) continue;
    ordered = ordered && source[a] < target[a];
    ++indegree[target[a]];
  }
  if (ordered) {
    for (std::int32_t s = 0; s < states; ++s)
      if (useful[s]) result.rank[s] = result.kept++;
    return result;
  }

  std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<>> ready;
  std::int32_t wanted = 0;
  for (std::int32_t s = 0; s < states; ++s) {
    wanted += useful[s];
    if (useful[s] && indegree[s] == 0) ready.push(s);
  }
  while (!ready.empty()) {
    poll(50);
    const auto s = ready.top();
    ready.pop();
    result.rank[s] = result.kept++;
    for (auto k = outgoing.begin[s]; k < outgoing.begin[s + 1]; ++k) {
      const auto t = outgoing.other[k];
      if (useful[t] && --indegree[t] == 0) ready.push(t);
    }
  }
  if (result.kept == wanted) return result;

  // Every useful state without a number has a useful predecessor without one. So a walk back among them ends up in a
  // cycle.
  const Adjacency incoming(states, target, source, arcs);
  std::int32_t s = 0;
  while (!useful[s] || result.rank[s] >= 0) ++s;
  for (std::int32_t step = 0; step < states; ++step) {
    for (auto k = incoming.begin[s]; k < incoming.begin[s + 1]; ++k) {
      const auto p = incoming.other[k];
      if (useful[p] && result.rank[p] < 0) {
        s = p;
        break;
      }
    }
  }
  result.on_cycle = s;
  return result;
}

std::int32_t ordered_states(const std::int32_t* source, const std::int32_t* target, std::int64_t arcs,
                            const std::int32_t* final, std::int64_t finals) {
  if (finals == 0 || final[0] < 0 || (arcs > 0 && source[0] < 0)) return 0;
  std::int32_t last = final[finals - 1], unsorted = 0;  // no early exits, so that the loops are vectorised
  for (std::int64_t a = 0; a < arcs; ++a) {
    unsorted |= source[a] >= target[a];
    last = std::max(last, target[a]);
  }
  for (std::int64_t a = 1; a < arcs; ++a) unsorted |= source[a - 1] > source[a];
  for (std::int64_t k = 1; k < finals; ++k) unsorted |= final[k - 1] >= final[k];
  if (unsorted || last > arcs) return 0;  // each state but the first needs an arc that enters it
  poll(arcs);
  // Arcs go to larger states. So if an arc enters every state but the first, all states can be reached; and if an arc
  // leaves every state that is not final, all states lead to a final one.
  const auto states = static_cast<std::size_t>(last) + 1;
  std::vector<std::uint8_t> entered(states, 0), left(states, 0);
  entered[0] = 1;
  for (std::int64_t a = 0; a < arcs; ++a) {
    entered[static_cast<std::size_t>(target[a])] = 1;
    left[static_cast<std::size_t>(source[a])] = 1;
  }
  for (std::int64_t k = 0; k < finals; ++k) left[static_cast<std::size_t>(final[k])] = 1;
  std::uint8_t complete = 1;
  for (std::size_t s = 0; s < states; ++s) complete &= entered[s] & left[s];
  return complete ? last + 1 : 0;
}

}  // namespace latticemetric
