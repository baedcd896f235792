// Ranks strings of a forest by computing the gain of each.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "forests/all_strings.hpp"
#include "forests/derivation_yields.hpp"
#include "graphs/tie_order.hpp"
#include "memory/budget.hpp"
#include "recognition/canonical_rows.hpp"

namespace latticemetric {

// The order of results; if keys are equal, the edges decide.
template <typename Value>
struct RankKey {
  Value gain;
  double cost;
  std::int64_t words;

  bool beats(const RankKey& other) const {
    return gain != other.gain ? gain > other.gain : comes_first(*this, other);
  }
};

template <typename Value>
struct RankedString {
  Value gain;
  DerivationYields::Number number;
};

template <typename Value>
class StringRanking {
  using Rows = CanonicalRows<Value>;

 public:
  StringRanking(const ForestRules& rules, const Rows& rows, const DerivationYields& yields)
      : rules_(rules), rows_(rows), yields_(yields), row_(rows.states()), next_row_(rows.states()) {}

  std::vector<RankedString<Value>> ranked(const std::vector<StringDerivation>& strings) {
    std::vector<std::pair<RankKey<Value>, DerivationYields::Number>> order;
    for (const auto& [number, cost] : strings)
      order.push_back({{gain(yields_.preorder(number)), cost, yields_[number].words}, number});
    std::sort(order.begin(), order.end(), [this](const auto& a, const auto& b) {
      if (a.first.beats(b.first) || b.first.beats(a.first)) return a.first.beats(b.first);
      return yields_.less(a.second, b.second);
    });
    std::vector<RankedString<Value>> best;
    for (const auto& [key, number] : order) best.push_back({key.gain, number});
    return best;
  }

 private:
  Value gain(const std::vector<std::int64_t>& edges) {
    rows_.start(0, row_.data());
    auto next_edge = edges.begin();
    pending_.assign(1, node_symbol(rules_.graph().head[*next_edge]));
    while (!pending_.empty()) {
      const Symbol symbol = pending_.back();
      pending_.pop_back();
      if (is_node(symbol)) {
        const Symbol* const symbols = rules_.symbols(*next_edge);
        const auto length = rules_.length(*next_edge++);
        pending_.insert(pending_.end(), std::reverse_iterator(symbols + length), std::reverse_iterator(symbols));
      } else {
        poll(4 * rows_.states());
        rows_.advance(0, row_.data(), symbol, next_row_.data());
        row_.swap(next_row_);
      }
    }
    Value best = Rows::unreachable;
    for (std::int32_t s = 0; s < rows_.states(); ++s)
      if (!Rows::is_unreachable(row_[s]) && !Rows::is_unreachable(rows_.ending(s)))
        best = std::max<Value>(best, row_[s] + rows_.ending(s));
    return best;
  }

  const ForestRules& rules_;
  const Rows& rows_;
  const DerivationYields& yields_;
  std::vector<Value> row_, next_row_;
  std::vector<Symbol> pending_;
};

}  // namespace latticemetric
