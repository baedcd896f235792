#include "blocks/kaldi_lattice.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "graphs/topology.hpp"

namespace latticemetric {
namespace {

template <typename T>
std::vector<T> taken(const std::vector<T>& values, const std::vector<std::size_t>& rows) {
  std::vector<T> found;
  found.reserve(rows.size());
  for (const auto row : rows) found.push_back(values[row]);
  return found;
}

std::vector<std::int32_t> renumbered(const std::vector<std::int32_t>& states, const std::vector<std::size_t>& rows,
                                     const std::vector<std::int32_t>& rank) {
  auto found = taken(states, rows);
  for (auto& state : found) state = rank[static_cast<std::size_t>(state)];
  return found;
}

// Returns the number of a state beyond all others, or 0 if numbers have large gaps.
std::int32_t end_of_states(const ArcLines& lines) {
  std::int32_t highest = lines.start;
  for (const auto* states : {&lines.source, &lines.target, &lines.final})
    for (const auto state : *states) highest = std::max(highest, state);
  const auto rows = static_cast<std::int64_t>(lines.source.size() + lines.final.size());
  return highest <= 2 * rows + 2 ? highest + 1 : 0;
}

// Returns the arcs on complete paths, sorted by the rank of their source.
std::vector<std::size_t> kept_arcs(const ArcLines& lines, const Topology& order) {
  const auto rank = [&order](std::int32_t state) { return order.rank[static_cast<std::size_t>(state)]; };
  std::vector<std::size_t> rows;
  for (std::size_t a = 0; a < lines.source.size(); ++a)
    if (rank(lines.source[a]) >= 0 && rank(lines.target[a]) >= 0) rows.push_back(a);
  if (order.in_order) return rows;
  std::vector<std::size_t> begin(static_cast<std::size_t>(order.kept) + 1, 0), sorted(rows.size());
  for (const auto a : rows) ++begin[static_cast<std::size_t>(rank(lines.source[a])) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  for (const auto a : rows) sorted[begin[static_cast<std::size_t>(rank(lines.source[a]))]++] = a;
  return sorted;
}

// Returns the final states on complete paths, sorted by rank.
std::vector<std::size_t> kept_ends(const ArcLines& lines, const Topology& order) {
  const auto rank = [&](std::size_t row) { return order.rank[static_cast<std::size_t>(lines.final[row])]; };
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < lines.final.size(); ++row)
    if (rank(row) >= 0) rows.push_back(row);
  std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  return rows;
}

// Removes states and arcs that are on no complete path, and sorts the others. Returns false if there is no order.
bool sort(KaldiLattice& lattice) {
  ArcLines& lines = lattice.lines;
  const std::int32_t states = lines.start < 0 || lines.final.empty() ? 0 : end_of_states(lines);
  if (states == 0) return false;
  std::vector<std::uint8_t> is_final(static_cast<std::size_t>(states), 0);
  for (const auto state : lines.final)
    if (std::exchange(is_final[static_cast<std::size_t>(state)], 1)) return false;  // given twice
  const Topology order = order_states(states, lines.source.data(), lines.target.data(), lattice.arcs(), lines.start,
                                      is_final.data());
  if (order.on_cycle >= 0 || order.kept == 0) return false;
  const auto arcs = kept_arcs(lines, order), ends = kept_ends(lines, order);
  lines.source = renumbered(lines.source, arcs, order.rank);
  lines.target = renumbered(lines.target, arcs, order.rank);
  lines.final = renumbered(lines.final, ends, order.rank);
  lattice.word = taken(lattice.word, arcs);
  for (int k = 0; k < KaldiLattice::costs; ++k) {
    lines.cost[k] = taken(lines.cost[k], arcs);
    lines.final_cost[k] = taken(lines.final_cost[k], ends);
  }
  lattice.states = order.kept;
  return true;
}

}  // namespace

std::size_t KaldiLattice::row_of(std::int32_t state) const {
  return static_cast<std::size_t>(std::lower_bound(lines.final.begin(), lines.final.end(), state) -
                                  lines.final.begin());
}

bool read_kaldi_lattice(std::string_view text, bool symbols, KaldiLattice& lattice) {
  lattice.lines = parse_kaldi(text, symbols);
  ArcLines& lines = lattice.lines;
  lattice.word = lines.word.take();
  const bool has_costs = std::any_of(lines.cost[0].begin(), lines.cost[0].end(), [](double c) { return c != 0; }) ||
                         std::any_of(lines.cost[1].begin(), lines.cost[1].end(), [](double c) { return c != 0; });
  if (!has_costs && !lines.word.numeric()) return false;  // its words may be the weights of another format
  lattice.states = lines.start != 0 ? 0 : ordered_states(lines.source.data(), lines.target.data(), lattice.arcs(),
                                                         lines.final.data(), static_cast<std::int64_t>(lines.final.size()));
  return lattice.states > 0 || sort(lattice);
}

}  // namespace latticemetric
