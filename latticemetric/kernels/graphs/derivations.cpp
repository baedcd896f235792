#include "graphs/derivations.hpp"

#include <algorithm>

#include "memory/budget.hpp"

namespace latticemetric {
namespace {

// A thousand times more edges than a sentence needs. With four million edges, the tree alone took half a minute.
constexpr std::size_t longest_derivation = std::size_t{1} << 18;

}  // namespace

void require_writable(std::size_t edges) {
  if (edges > longest_derivation)
    throw TooLarge("the best derivation has more than 262144 edges, perhaps since it uses shared nodes many times; "
                   "prune the forest");
}

Derivations::Number Derivations::add(std::int64_t edge, const std::vector<Number>& parts) {
  std::uint64_t hash = static_cast<std::uint64_t>(edge) + 1;
  for (const Number part : parts) hash = hash * 0x9E3779B97F4A7C15u ^ static_cast<std::uint64_t>(part);
  const auto found = numbers_.equal_range(hash);
  for (auto entry = found.first; entry != found.second; ++entry)
    if (is(entry->second, edge, parts)) return entry->second;
  const auto number = static_cast<Number>(trees_.size());
  trees_.push_back({edge, parts_.size(), parts.size()});
  parts_.insert(parts_.end(), parts.begin(), parts.end());
  numbers_.emplace(hash, number);
  return number;
}

bool Derivations::is(Number number, std::int64_t edge, const std::vector<Number>& parts) const {
  const Tree& tree = trees_[number];
  return tree.edge == edge && tree.count == parts.size() &&
         std::equal(parts.begin(), parts.end(), parts_.begin() + static_cast<std::ptrdiff_t>(tree.begin));
}

bool Derivations::less(Number a, Number b) const {
  while (a != b) {
    const Tree &x = trees_[a], &y = trees_[b];
    if (x.edge != y.edge) return x.edge < y.edge;
    std::size_t k = 0;  // both have the same edge, so as many parts, and some part differs
    while (parts_[x.begin + k] == parts_[y.begin + k]) ++k;
    a = parts_[x.begin + k];
    b = parts_[y.begin + k];
  }
  return false;
}

// A derivation has a larger number than its parts. So the path with the larger number steps back, until both are at the
// same place: there the part that they share ends.
bool Derivations::less_along(Number a, Number b, const std::int64_t* rank) const {
  const auto before = [&](Number path) { return trees_[path].count > 0 ? parts_[trees_[path].begin] : -1; };
  Number after_a = -1, after_b = -1;
  while (a != b) {
    Number &later = a > b ? a : b, &after = a > b ? after_a : after_b;
    after = later;
    later = before(later);
  }
  if (after_a < 0 || after_b < 0) return after_a < 0 && after_b >= 0;  // a path comes before its continuations
  return rank[trees_[after_a].edge] < rank[trees_[after_b].edge];
}

std::size_t Derivations::bytes() const {
  constexpr std::size_t entry = 6 * sizeof(void*);  // the estimated bytes of an entry of the hash table
  return trees_.size() * (sizeof(Tree) + entry) + parts_.size() * sizeof(Number);
}

std::vector<std::int64_t> Derivations::preorder(Number root) const {
  std::vector<std::int64_t> edges;
  std::vector<Number> pending{root};
  while (!pending.empty()) {
    const Tree& tree = trees_[pending.back()];
    pending.pop_back();
    if (tree.edge != no_edge) edges.push_back(tree.edge);
    require_writable(edges.size());
    for (std::size_t k = tree.count; k > 0; --k) pending.push_back(parts_[tree.begin + k - 1]);
  }
  return edges;
}

}  // namespace latticemetric
