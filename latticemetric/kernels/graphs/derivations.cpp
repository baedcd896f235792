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
