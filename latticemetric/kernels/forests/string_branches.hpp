// How the strings of a part of a forest are composed of those of other parts.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "forests/rule_steps.hpp"
#include "forests/tables.hpp"
#include "memory/budget.hpp"
#include "recognition/canonical_rows.hpp"

namespace latticemetric {

// A part of a forest: a node, or a rule up to a step, between two states q and s of the metric's automaton; all
// derivations of a goal; or all derivations.
struct ForestPart {
  enum class Kind : std::int32_t { all, goal, node, step };
  Kind kind;
  std::int32_t number, q, s;

  bool operator==(const ForestPart& other) const {
    return kind == other.kind && number == other.number && q == other.q && s == other.s;
  }
  struct Hash {
    std::size_t operator()(const ForestPart& part) const {
      std::uint64_t hash = static_cast<std::uint64_t>(part.kind);
      for (const std::int32_t value : {part.number, part.q, part.s})
        hash = hash * 0x9E3779B97F4A7C15u ^ static_cast<std::uint64_t>(value);
      return hash * 0x9E3779B97F4A7C15u;
    }
  };
};

// The alternatives of a part are its branches. The branches of all derivations are the goals; of a goal, the states
// where it may end; of a node, its rules; of a step, the states where it may begin. A branch joins the strings of at
// most two other parts.
template <typename Value>
class StringBranches {
 public:
  using Part = ForestPart;
  using Kind = Part::Kind;
  using Rows = CanonicalRows<Value>;
  using Tables = ForestTables<Value, Rows>;

  // The parts that a branch joins, if any. Words of a rule after them are not among these.
  struct Joined {
    bool has_left, has_right;
    Part left, right;
  };

  StringBranches(Tables& tables, const RuleSteps& steps, std::size_t most_bytes)
      : tables_(tables), rules_(tables.rules()), graph_(rules_.graph()), rows_(tables.rows()), steps_(steps),
        most_bytes_(most_bytes), column_(tables.states()), next_column_(tables.states()) {}

  // Calls visit(branch, gain, extra) for each branch: `gain` is the best gain of its strings, and `extra` is what the
  // gains of the joined parts lack of it.
  template <typename Visit>
  void each(const Part& part, Visit visit) {
    switch (part.kind) {
      case Kind::all: return each_goal(visit);
      case Kind::goal: return each_end(part, visit);
      case Kind::node: return each_rule(part, visit);
      case Kind::step: return each_middle(part, visit);
    }
  }

  Joined joined(const Part& part, std::int32_t branch) const {
    switch (part.kind) {
      case Kind::all: return {false, true, {}, {Kind::goal, branch, 0, 0}};
      case Kind::goal: return {false, true, {}, {Kind::node, part.number, 0, branch}};
      case Kind::node: {
        const std::int32_t last = steps_.last(rule(part, branch));
        return {false, last != RuleStep::none, {}, last == RuleStep::none ? Part{} : of_step(last, part.q, part.s)};
      }
      case Kind::step: break;
    }
    const RuleStep& step = steps_[part.number];
    const bool has_before = step.before != RuleStep::none;
    const Part before = has_before ? of_step(step.before, part.q, branch) : Part{};
    if (step.tail == RuleStep::none) return {false, true, {}, before};
    return {has_before, true, before, {Kind::node, step.tail, branch, part.s}};
  }

  const Rule& rule(const Part& part, std::int32_t branch) const { return rules_.begin(part.number)[branch]; }

  double least_cost(const Part& part, std::int32_t branch) const {
    switch (part.kind) {
      case Kind::all: return steps_.least_cost(branch) + graph_.goal_cost[branch];
      case Kind::node: return steps_.least_cost(rule(part, branch));
      default: return least_cost(part);
    }
  }
  double least_cost(const Part& part) const {
    switch (part.kind) {
      case Kind::all: return -std::numeric_limits<double>::infinity();
      case Kind::step: return steps_[part.number].least_cost;
      default: return steps_.least_cost(part.number);
    }
  }

 private:
  // Returns the part of a rule up to a step. If the rule begins with the tail of this step, that is the tail itself.
  Part of_step(std::int32_t number, std::int32_t q, std::int32_t s) const {
    const RuleStep& step = steps_[number];
    if (step.before == RuleStep::none && step.begin == 0) return {Kind::node, step.tail, q, s};
    return {Kind::step, number, q, s};
  }

  template <typename Visit>
  void each_goal(Visit visit) {
    for (std::int32_t v = 0; v < graph_.nodes; ++v) {
      if (!std::isfinite(graph_.goal_cost[v])) continue;
      Value best = Rows::unreachable;
      each_end({Kind::goal, v, 0, 0}, [&](std::int32_t, Value gain, Value) { best = std::max(best, gain); });
      visit(v, best, Value{0});
    }
  }

  template <typename Visit>
  void each_end(const Part& part, Visit visit) {
    const Value* const row = tables_.row(part.number, 0);
    for (std::int32_t s = 0; s < rows_.states(); ++s) visit_sum(s, row[s], rows_.ending(s), rows_.ending(s), visit);
  }

  template <typename Visit>
  void each_rule(const Part& part, Visit visit) {
    poll(4 * (rules_.end(part.number) - rules_.begin(part.number)));
    const std::vector<Value>& gains = gains_of_rules(part.number, part.q);
    const auto width = static_cast<std::size_t>(rows_.states() - rows_.first(part.q));
    const Value* gain = gains.data() + (part.s - rows_.first(part.q));
    const Rule *const begin = rules_.begin(part.number), *const end = rules_.end(part.number);
    for (const Rule* rule = begin; rule != end; ++rule, gain += width)
      if (!Rows::is_unreachable(*gain))
        visit(static_cast<std::int32_t>(rule - begin), *gain, steps_.last(*rule) == RuleStep::none ? *gain : Value{0});
  }

  template <typename Visit>
  void each_middle(const Part& part, Visit visit) {
    poll(2 * rows_.states());
    const RuleStep& step = steps_[part.number];
    const Value* const before = tables_.reach(part.q, *step.rule, step.begin);
    const std::int32_t first = rows_.first(part.q), last = rows_.first(part.s) + rows_.order();
    if (step.tail == RuleStep::none) {
      backwards(part, step);
      for (std::int32_t b = first; b < last; ++b) visit_sum(b, before[b], column_[b], column_[b], visit);
    } else {
      const bool is_first = step.before == RuleStep::none;
      for (std::int32_t a = first; a < last; ++a)
        visit_sum(a, before[a], tables_.row(step.tail, a)[part.s], is_first ? before[a] : Value{0}, visit);
    }
  }

  // Sets `column_` to the gain of a step's words from each state to the part's end.
  void backwards(const Part& part, const RuleStep& step) {
    std::fill(column_.begin() + rows_.first(part.q), column_.end(), Rows::unreachable);
    column_[part.s] = 0;
    for (std::int32_t t = step.end; t > step.begin; --t) {
      rows_.step_back(part.q, column_.data(), rules_.symbols(*step.rule)[t - 1], next_column_.data());
      column_.swap(next_column_);
    }
  }

  template <typename Visit>
  static void visit_sum(std::int32_t branch, Value one, Value other, Value extra, Visit visit) {
    if (!Rows::is_unreachable(one) && !Rows::is_unreachable(other))
      visit(branch, static_cast<Value>(one + other), extra);
  }

  // Returns the rows of all rules of a node. They are computed together, but read for one end state at a time, so they
  // are cached. They can be computed again, so the cache is cleared when it is full.
  const std::vector<Value>& gains_of_rules(std::int32_t v, std::int32_t q) {
    const std::int64_t key = static_cast<std::int64_t>(v) * rows_.states() + q;
    const auto known = gains_.find(key);
    if (known != gains_.end()) return known->second;
    if (gain_bytes_ > most_bytes_) {
      gains_.clear();
      gain_bytes_ = 0;
    }
    std::vector<Value>& gains = gains_[key];
    tables_.walk(v, q, [&](const Rule& rule, const typename Tables::Progress& progress) {
      const Value* const row = progress.after(rule.length);
      gains.insert(gains.end(), row + rows_.first(q), row + rows_.states());
    });
    gain_bytes_ += gains.size() * sizeof(Value);
    return gains;
  }

  Tables& tables_;
  const ForestRules& rules_;
  const Forest& graph_;
  const Rows& rows_;
  const RuleSteps& steps_;
  const std::size_t most_bytes_;
  std::size_t gain_bytes_ = 0;
  std::unordered_map<std::int64_t, std::vector<Value>> gains_;
  std::vector<Value> column_, next_column_;
};

}  // namespace latticemetric
