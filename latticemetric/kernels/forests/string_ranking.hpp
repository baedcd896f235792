// Strings of a forest, ranked one by one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "forests/all_strings.hpp"
#include "forests/derivation_yields.hpp"
#include "memory/budget.hpp"
#include "recognition/canonical_rows.hpp"

namespace latticemetric {

// What answers are ordered by, before their edges.
template <typename Value>
struct Merit {
  Value gain;
  double cost;
  std::int64_t words;

  bool beats(const Merit& other) const {
    if (gain != other.gain) return gain > other.gain;
    return cost != other.cost ? cost < other.cost : words < other.words;
  }
};

template <typename Value>
struct RankedString {
  Value gain;
  SaidDerivations::Number number;
};

template <typename Value>
class StringRanking {
  using Rows = CanonicalRows<Value>;

 public:
  StringRanking(const ForestRules& rules, const Rows& rows, const SaidDerivations& said)
      : rules_(rules), rows_(rows), said_(said), row_(rows.states()), next_row_(rows.states()) {}

  std::vector<RankedString<Value>> ranked(const std::vector<WholeDerivation>& strings) {
    std::vector<std::pair<Merit<Value>, SaidDerivations::Number>> order;
    for (const auto& [number, cost] : strings)
      order.push_back({{gain(said_.preorder(number)), cost, said_[number].words}, number});
    std::sort(order.begin(), order.end(), [this](const auto& a, const auto& b) {
      if (a.first.beats(b.first) || b.first.beats(a.first)) return a.first.beats(b.first);
      return said_.less(a.second, b.second);
    });
    std::vector<RankedString<Value>> best;
    for (const auto& [merit, number] : order) best.push_back({merit.gain, number});
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
    Value best = Rows::nothing;
    for (std::int32_t s = 0; s < rows_.states(); ++s)
      if (!Rows::is_nothing(row_[s]) && !Rows::is_nothing(rows_.ending(s)))
        best = std::max<Value>(best, row_[s] + rows_.ending(s));
    return best;
  }

  const ForestRules& rules_;
  const Rows& rows_;
  const SaidDerivations& said_;
  std::vector<Value> row_, next_row_;
  std::vector<Symbol> pending_;
};

}  // namespace latticemetric
