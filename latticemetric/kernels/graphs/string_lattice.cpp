#include "graphs/string_lattice.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <string>
#include <unordered_map>

#include "memory/budget.hpp"

namespace latticemetric {
namespace {

// All that follows a node of the trie, as bytes. Nodes with the same bytes become one state (Revuz 1992).
class Future {
 public:
  explicit Future(double end) { put(end); }

  void follow(std::int32_t word, double cost, std::int32_t state) {
    put(word);
    put(cost);
    put(state);
  }

  const std::string& bytes() const { return bytes_; }

 private:
  template <typename T>
  void put(T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes_.append(raw, sizeof(T));
  }

  std::string bytes_;
};

}  // namespace

StringTrie string_trie(std::int64_t strings, const std::int64_t* begin, const std::int32_t* words) {
  StringTrie made;
  made.end.reserve(static_cast<std::size_t>(strings));
  for (std::int64_t s = 0; s < strings; ++s) {
    poll(20 * (begin[s + 1] - begin[s]));
    auto node = NgramTrie::root;
    for (auto k = begin[s]; k < begin[s + 1]; ++k) node = made.trie.add(node, words[k]);
    made.end.push_back(node);
  }
  return made;
}

StringLattice minimize_trie(std::int32_t nodes, const std::int32_t* parent, const std::int32_t* word,
                            const double* end_cost) {
  const auto size = static_cast<std::size_t>(nodes);
  std::vector<std::int32_t> begin(size + 1, 0), child(size), state(size);
  for (std::int32_t n = 1; n < nodes; ++n) ++begin[parent[n] + 1];
  for (std::size_t n = 0; n < size; ++n) begin[n + 1] += begin[n];
  auto next = begin;
  for (std::int32_t n = 1; n < nodes; ++n) child[next[parent[n]]++] = n;
  for (std::size_t n = 0; n < size; ++n)
    std::sort(child.begin() + begin[n], child.begin() + begin[n + 1],
              [&](std::int32_t a, std::int32_t b) { return word[a] < word[b]; });

  std::vector<double> cheapest(end_cost, end_cost + size);   // by node: the cost of its cheapest string
  for (auto n = nodes; n-- > 1;) cheapest[parent[n]] = std::min(cheapest[parent[n]], cheapest[n]);

  StringLattice made;
  std::unordered_map<std::string, std::int32_t> known;
  std::int32_t states = 0;
  for (auto n = nodes; n-- > 0;) {
    poll(100);
    // Costs are pushed towards the start: an arc costs how much more the cheapest string through it costs than the
    // cheapest string through its source. Arcs of the start cost all of it.
    const double paid = n == 0 ? 0.0 : cheapest[n];
    const auto left = [&](double cost) { return std::isfinite(cost) ? cost - paid + 0.0 : cost; };
    Future future(left(end_cost[n]));
    for (auto k = begin[n]; k < begin[n + 1]; ++k)
      future.follow(word[child[k]], left(cheapest[child[k]]), state[child[k]]);
    const auto [at, is_new] = known.try_emplace(future.bytes(), states);
    state[n] = at->second;
    if (!is_new) continue;
    ++states;
    for (auto k = begin[n]; k < begin[n + 1]; ++k) {
      made.source.push_back(state[n]);
      made.target.push_back(state[child[k]]);
      made.word.push_back(word[child[k]]);
      made.cost.push_back(left(cheapest[child[k]]));
    }
    if (!std::isfinite(end_cost[n])) continue;
    made.final.push_back(state[n]);
    made.final_cost.push_back(left(end_cost[n]));
  }
  made.start = state[0];
  return made;
}

}  // namespace latticemetric
