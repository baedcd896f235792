#include "graphs/canonical_order.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <tuple>

#include "graphs/lattice.hpp"
#include "memory/budget.hpp"

namespace latticemetric {
namespace {

using Hash = std::uint64_t;

// Returns the hash of a sequence that is longer by one value (with the finalizer of SplitMix64: Steele, Lea & Flood
// 2014).
Hash joined(Hash hash, std::uint64_t value) {
  hash = hash * 0x9e3779b97f4a7c15U + value;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebU;
  return hash ^ (hash >> 31);
}

std::uint64_t bits(double value) {
  value += 0.0;  // -0 is 0
  std::uint64_t found;
  std::memcpy(&found, &value, sizeof found);
  return found;
}

class Canonical {
 public:
  explicit Canonical(const LatticeContent& lattice)
      : lattice_(lattice), arc_(static_cast<std::size_t>(lattice.arcs)), level_(states(), 0) {
    poll(lattice.arcs * static_cast<std::int64_t>(lattice.columns.size() + 6));
    for (std::int64_t a = 0; a < lattice_.arcs; ++a) {
      arc_[a] = static_cast<Hash>(lattice_.rank[a]);
      for (const auto& column : lattice_.columns) arc_[a] = joined(arc_[a], bits(column.arc[a]));
      const auto s = lattice_.source[a], t = lattice_.target[a];
      level_[t] = std::max(level_[t], level_[s] + 1);
    }
  }

  CanonicalOrder order() const {
    // The past of a state, its future with the pasts of all states in it, and its past with the futures of all states
    // in that.
    const auto hash = past(future(past(own())));
    std::vector<std::int32_t> by_hash(states());
    std::iota(by_hash.begin(), by_hash.end(), 0);
    std::sort(by_hash.begin(), by_hash.end(), [&](std::int32_t one, std::int32_t other) {
      return std::tie(level_[one], hash[one], one) < std::tie(level_[other], hash[other], other);
    });
    CanonicalOrder found{std::vector<std::int32_t>(states()), {}};
    for (std::size_t k = 0; k < by_hash.size(); ++k) found.number[by_hash[k]] = static_cast<std::int32_t>(k);
    found.arcs = arcs(by_hash, found.number);
    return found;
  }

 private:
  std::size_t states() const { return static_cast<std::size_t>(lattice_.states); }

  std::vector<Hash> own() const {
    std::vector<Hash> hash(states(), 0);
    for (std::int64_t k = 0; k < lattice_.finals; ++k) {
      auto& end = hash[lattice_.final[k]];
      end = 1;
      for (const auto& column : lattice_.columns) end = joined(end, bits(column.final[k]));
    }
    if (lattice_.times)
      for (std::size_t s = 0; s < hash.size(); ++s) hash[s] = joined(hash[s], bits(lattice_.times[s]));
    return hash;
  }

  // Hashes each state's own hash and those of the arcs into it, with their sources. A sum does not depend on the order
  // of arcs.
  std::vector<Hash> past(const std::vector<Hash>& own) const {
    std::vector<Hash> hash(own), sum(states(), 0);
    std::int64_t a = 0;
    for (std::int32_t s = 0; s < lattice_.states; ++s) {
      hash[s] = joined(own[s], sum[s]);
      for (; a < lattice_.arcs && lattice_.source[a] == s; ++a) sum[lattice_.target[a]] += joined(hash[s], arc_[a]);
    }
    return hash;
  }

  // The same for the arcs out of it, with their targets.
  std::vector<Hash> future(const std::vector<Hash>& own) const {
    std::vector<Hash> hash(own);
    std::int64_t a = lattice_.arcs - 1;
    for (std::int32_t s = lattice_.states - 1; s >= 0; --s) {
      Hash sum = 0;
      for (; a >= 0 && lattice_.source[a] == s; --a) sum += joined(hash[lattice_.target[a]], arc_[a]);
      hash[s] = joined(own[s], sum);
    }
    return hash;
  }

  std::vector<std::int64_t> arcs(const std::vector<std::int32_t>& states_in_order,
                                 const std::vector<std::int32_t>& number) const {
    const auto begin = group_begins(lattice_.states, lattice_.arcs, lattice_.source);
    std::vector<std::int64_t> found;
    found.reserve(arc_.size());
    for (const auto s : states_in_order) {
      const auto first = static_cast<std::ptrdiff_t>(found.size());
      for (auto a = begin[s]; a < begin[s + 1]; ++a) found.push_back(a);
      std::sort(found.begin() + first, found.end(), [&](std::int64_t one, std::int64_t other) {
        return std::tie(lattice_.rank[one], number[lattice_.target[one]], arc_[one], one) <
               std::tie(lattice_.rank[other], number[lattice_.target[other]], arc_[other], other);
      });
    }
    return found;
  }

  const LatticeContent& lattice_;
  std::vector<Hash> arc_;            // by arc: the hash of its word and scores
  std::vector<std::int32_t> level_;  // by state: the number of arcs of the longest path to it
};

}  // namespace

CanonicalOrder canonical_order(const LatticeContent& lattice) { return Canonical(lattice).order(); }

}  // namespace latticemetric
