// The best gain of each node of a forest between any two states of the recognition-rate automaton.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "graphs/forest_rules.hpp"
#include "memory/budget.hpp"
#include "recognition/rows.hpp"

namespace latticemetric {

// Costs of derivations in the unit of gains; empty if costs are not part of the value.
template <typename Value>
struct ScaledCosts {
  std::vector<Value> edge, goal;  // by edge; by node
};

// The table of node v holds V(v, q, q'): the best gain of reaching state q' from state q with a string of v (minus its
// cost, if costs are part of the value). The automaton moves forward only, so q' >= first(q). Each symbol of a rule
// v -> x_1 ... x_k is a matrix. V(v) is the maximum over the rules of the max-plus products of their matrices, computed
// row by row.
//
// A node that only begins derivations is computed from the start state only. A node that only ends derivations is
// computed for the final states only. So a forest that is a lattice takes the time and memory of a lattice.
template <typename Value, typename RowsOfValue = RecognitionRows<Value>>
class ForestTables {
 public:
  using Rows = RowsOfValue;

  // Subtracts `costs` from the gains. Throws TooLarge if the tables take more than `most_bytes`.
  ForestTables(const ForestRules& rules, Rows rows, ScaledCosts<Value> costs, std::size_t most_bytes)
      : rules_(rules), rows_(std::move(rows)), costs_(std::move(costs)), states_(rows_.states()) {
    find_uses();
    allot(most_bytes);
    levels_.resize(static_cast<std::size_t>(rules.longest()) + 1);
    for (auto& level : levels_) level.row.resize(static_cast<std::size_t>(states_) + block);
  }

  void fill() {
    for (std::int32_t v = 0; v < rules_.graph().nodes; ++v)
      for (std::int32_t q = 0; q < starts(v); ++q) fill_row(v, q);
  }

  const ForestRules& rules() const { return rules_; }
  const Rows& rows() const { return rows_; }
  std::int32_t states() const { return states_; }
  std::int32_t starts(std::int32_t v) const { return uses_[v].all_starts ? states_ : 1; }

  // Returns the row V(v, q, .). It may be read from state `first(v, q)` on.
  const Value* row(std::int32_t v, std::int32_t q) const { return values_.data() + place(v, q); }
  std::int32_t first(std::int32_t v, std::int32_t q) const {
    return uses_[v].all_ends ? rows_.first(q) : rows_.final_states();
  }

  Value weight(const Rule& rule) const { return costs_.edge.empty() ? Value{0} : costs_.edge[rule.edge]; }
  Value goal_weight(std::int32_t v) const { return costs_.goal.empty() ? Value{0} : costs_.goal[v]; }

  // The rows of a rule from one state: after(t) is the row of its first t symbols.
  class Progress {
   public:
    explicit Progress(const ForestTables& tables) : tables_(tables) {}
    const Value* after(std::int32_t symbols) const { return tables_.levels_[symbols].row.data(); }

   private:
    const ForestTables& tables_;
  };

  // Calls visit(rule, progress) for every rule of a node, with the rule's rows from state q.
  template <typename Visit>
  void walk(std::int32_t v, std::int32_t q, Visit visit) {
    walk(v, q, visit, [](const Rule&) { return false; });
  }

  // Returns the row of a rule's first symbols from state q. It is valid until the next call.
  const Value* reach(std::int32_t q, const Rule& rule, std::int32_t symbols) {
    rows_.start(q, levels_[0].row.data());
    levels_[0].has_frontier = false;
    for (std::int32_t t = 0; t < symbols; ++t) advance(q, t, rules_.symbols(rule)[t]);
    return levels_[symbols].row.data();
  }

 private:
  // The same, but skips rules for which `is_left_out`. That may depend on a rule's first symbol only, so that all rules
  // with a common beginning are skipped together.
  template <typename Visit, typename IsLeftOut>
  void walk(std::int32_t v, std::int32_t q, Visit visit, IsLeftOut is_left_out) {
    poll(states_ / 4);
    rows_.start(q, levels_[0].row.data());
    levels_[0].has_frontier = false;
    bool left_out = false;
    for (const Rule* rule = rules_.begin(v); rule != rules_.end(v); ++rule) {
      if (rule->shared == 0) left_out = is_left_out(*rule);
      if (left_out) continue;
      for (std::int32_t t = rule->shared; t < rule->length; ++t)
        advance(q, t, rules_.symbols(*rule)[t]);
      visit(*rule, Progress(*this));
    }
  }

  static constexpr std::size_t block = std::max<std::size_t>(2, 16 / sizeof(Value));

  struct Uses {
    bool all_starts = false, all_ends = !Rows::ends_are_final;
    std::size_t offset = 0;
  };
  struct Level {
    std::vector<Value> row;
    std::vector<typename Rows::Reached> frontier;
    bool has_frontier = false;
  };

  void find_uses() {
    const auto nodes = rules_.graph().nodes;
    uses_.resize(nodes);
    for (std::int32_t v = nodes - 1; v >= 0; --v)
      for (const Rule* rule = rules_.begin(v); rule != rules_.end(v); ++rule)
        for (std::int32_t k = 0; k < rule->length; ++k) {
          const Symbol symbol = rules_.symbols(*rule)[k];
          if (!is_node(symbol)) continue;
          Uses& tail = uses_[node_of(symbol)];
          tail.all_starts = tail.all_starts || k > 0 || uses_[v].all_starts;
          tail.all_ends = tail.all_ends || k + 1 < rule->length || uses_[v].all_ends;
        }
  }

  void allot(std::size_t most_bytes) {
    std::size_t size = 0;
    for (std::int32_t q = 0; q < states_; ++q) {
      triangle_.push_back(size);
      size += static_cast<std::size_t>(states_ - rows_.first(q));
    }
    const std::size_t triangle = size, states = static_cast<std::size_t>(states_);
    size = 0;
    // One row for each symbol of the longest rule, and what is kept for each state of a row.
    std::size_t marks = (static_cast<std::size_t>(rules_.longest()) + 1) * states * (sizeof(Value) + 64);
    for (auto& use : uses_) {
      use.offset = size;
      if (use.all_starts)
        size += use.all_ends ? triangle : states * static_cast<std::size_t>(rows_.order());
      else
        size += use.all_ends ? states : static_cast<std::size_t>(rows_.order());
      // And two words of 64 bits for each 64 entries of a row: which entries are live, and the number of the first one.
      marks += (use.all_starts ? states : 1) * ((states + 63) / 64) * 16;
      if (marks > most_bytes || size > (most_bytes - marks) / sizeof(Value))
        throw TooLarge("the forest's tables do not fit into memory; prune the forest, shorten the reference, or allow "
                       "more memory (--max-memory)");
    }
    values_ = filled(size + block, Rows::unreachable);
  }

  // Returns where state 0 of a row would be. The row itself begins at `first`.
  std::ptrdiff_t place(std::int32_t v, std::int32_t q) const {
    const Uses& use = uses_[v];
    const auto offset = static_cast<std::ptrdiff_t>(use.offset);
    if (use.all_ends)
      return use.all_starts ? offset + static_cast<std::ptrdiff_t>(triangle_[q]) - rows_.first(q) : offset;
    const std::ptrdiff_t own = use.all_starts ? static_cast<std::ptrdiff_t>(q) * rows_.order() : 0;
    return offset + own - rows_.final_states();
  }

  void fill_row(std::int32_t v, std::int32_t q) {
    Value* const into = values_.data() + place(v, q);
    const std::int32_t begin = first(v, q), bare = Rows::may_forget_matches ? rows_.first(q) : q;
    // Most rules gain the same from q as from `bare`, without the run of matches. Their result is copied, and they are
    // left out below.
    if (bare != q) std::copy(row(v, bare) + begin, row(v, bare) + states_, into + begin);
    const auto visit = [&](const Rule& rule, const Progress& progress) {
      poll(states_ / 4);
      Rows::keep_larger_sums(into + begin, progress.after(rule.length) + begin, -weight(rule), states_ - begin);
    };
    walk(v, q, visit, [&](const Rule& rule) { return bare != q && gains_alike(q, bare, rule); });
    rows_.reset_unreachable(begin, into);
  }

  // Returns whether the first symbol of a rule gains the same from q as from `bare`, the state without a run of
  // matches.
  bool gains_alike(std::int32_t q, std::int32_t bare, const Rule& rule) const {
    if (rule.length == 0) return false;
    const Symbol symbol = rules_.symbols(rule)[0];
    if constexpr (Rows::may_forget_matches)
      if (!is_node(symbol)) return rows_.ignores_run(q, symbol);
    const std::int32_t tail = node_of(symbol), begin = first(tail, q);
    return std::equal(row(tail, q) + begin, row(tail, q) + states_, row(tail, bare) + begin);
  }

  // Sets into[k] = max(into[k], value + from[k]), in whole blocks. Levels and tables have room for one block after
  // their end, which is never read. A loop that ends within a block would take twice the time on rows of sixty states.
  static void keep_larger_sums(Value* __restrict into, const Value* __restrict from, Value value, std::int32_t count) {
    for (; count > 0; count -= static_cast<std::int32_t>(block), into += block, from += block)
      for (std::size_t k = 0; k < block; ++k) into[k] = std::max(into[k], static_cast<Value>(value + from[k]));
  }

  // Computes level t + 1 from level t.
  void advance(std::int32_t q, std::int32_t t, Symbol symbol) {
    poll(states_);
    Level &from = levels_[t], &into = levels_[t + 1];
    into.has_frontier = false;
    if (!is_node(symbol)) return rows_.advance(q, from.row.data(), symbol, into.row.data());
    const std::int32_t tail = node_of(symbol), begin = rows_.first(q);
    std::fill(into.row.begin() + begin, into.row.end(), Rows::unreachable);
    if (t == 0) {
      std::copy(row(tail, q) + first(tail, q), row(tail, q) + states_, into.row.begin() + first(tail, q));
      return;
    }
    if (!from.has_frontier) rows_.frontier(q, from.row.data(), from.frontier);
    from.has_frontier = true;
    for (const auto& reached : from.frontier) {
      poll(states_ / 4);
      const std::int32_t next = first(tail, reached.state);
      keep_larger_sums(into.row.data() + next, row(tail, reached.state) + next, reached.value, states_ - next);
    }
    rows_.reset_unreachable(q, into.row.data());
  }

  const ForestRules& rules_;
  const Rows rows_;
  const ScaledCosts<Value> costs_;
  const std::int32_t states_;
  std::vector<Uses> uses_;
  std::vector<std::size_t> triangle_;
  std::vector<Value> values_;
  std::vector<Level> levels_;
};

}  // namespace latticemetric
