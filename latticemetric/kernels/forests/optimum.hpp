// The best derivations of a forest: fills the tables bottom-up, then marks top-down the entries that best derivations
// use.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "forests/tables.hpp"
#include "memory/budget.hpp"
#include "memory/numbered_bits.hpp"

namespace latticemetric {

// The entries of the tables that belong to best derivations, with a bit and a number for each.
class LiveEntries {
 public:
  LiveEntries(std::int32_t states, std::vector<std::int32_t> starts)
      : words_(static_cast<std::size_t>(states + 63) / 64) {
    std::size_t size = 0;
    for (const auto rows : starts) {
      offset_.push_back(size);
      size += static_cast<std::size_t>(rows) * words_;
    }
    bits_.allot(size);
  }

  void set(std::int32_t v, std::int32_t q, std::int32_t s) { bits_.set(word(v, q, s), s); }
  bool has(std::int32_t v, std::int32_t q, std::int32_t s) const { return bits_.has(word(v, q, s), s); }
  bool any(std::int32_t v, std::int32_t q) const {
    for (std::size_t w = 0; w < words_; ++w)
      if (bits_.has_any(word(v, q, 0) + w)) return true;
    return false;
  }

  // Numbers all entries that are set. Returns how many there are.
  std::size_t number() {
    bits_.number();
    return bits_.size();
  }
  std::size_t number_of(std::int32_t v, std::int32_t q, std::int32_t s) const {
    return bits_.number_of(word(v, q, s), s);
  }

 private:
  std::size_t word(std::int32_t v, std::int32_t q, std::int32_t s) const {
    return offset_[v] + static_cast<std::size_t>(q) * words_ + static_cast<std::size_t>(s) / 64;
  }

  const std::size_t words_;
  std::vector<std::size_t> offset_;
  NumberedBits bits_;
};

// An entry V(v, q, s) is live if a best derivation uses it. Only the steps of rules that keep best values are visited,
// so the steps through live entries yield all best derivations and no others.
template <typename Value>
class ForestOptimum {
 public:
  using Tables = ForestTables<Value>;
  using Rows = RecognitionRows<Value>;
  using Progress = typename Tables::Progress;

  explicit ForestOptimum(Tables& tables)
      : tables_(tables), rules_(tables.rules()), graph_(rules_.graph()), rows_(tables.rows()), states_(tables.states()),
        live_(states_, all_starts(tables)), marks_(static_cast<std::size_t>(rules_.longest()) + 1) {
    for (auto& level : marks_) level.resize(static_cast<std::size_t>(states_));
  }

  void find() {
    tables_.fill();
    find_roots();
    for (std::int32_t v = graph_.nodes - 1; v >= 0; --v)
      walk(v, [&](std::int32_t q, const Rule& rule, const Progress& progress) { mark_rule(v, q, rule, progress); });
    entries_ = live_.number();
  }

  Value best() const { return best_; }
  const std::vector<std::int32_t>& roots() const { return roots_; }  // goals of best derivations
  std::size_t entries() const { return entries_; }
  const LiveEntries& live() const { return live_; }
  const Tables& tables() const { return tables_; }

  // Calls visit(q, rule, progress) for every rule of a node from every state that has live entries.
  template <typename Visit>
  void walk(std::int32_t v, Visit visit) {
    for (std::int32_t q = 0; q < tables_.starts(v); ++q)
      if (live_.any(v, q))
        tables_.walk(v, q, [&](const Rule& rule, const Progress& progress) { visit(q, rule, progress); });
  }

  // Returns whether the entry is live and the rule reaches its best value.
  bool attains(std::int32_t v, std::int32_t q, std::int32_t s, const Rule& rule, const Progress& progress) const {
    return live_.has(v, q, s) &&
           static_cast<Value>(progress.after(rule.length)[s] - tables_.weight(rule)) == tables_.row(v, q)[s];
  }

  // Calls visit(end) for each state where V(tail, s, end) joins the best value before it to the best value after it.
  template <typename Visit>
  void each_join(std::int32_t q, std::int32_t t, std::int32_t s, std::int32_t tail, const Progress& progress,
                 Visit visit) const {
    const Value before = progress.after(t - 1)[s];
    if ((t == 1 && s != q) || Rows::is_unreachable(before)) return;
    const Value *const row = tables_.row(tail, s), *const after = progress.after(t);
    for (std::int32_t end = tables_.first(tail, s); end < states_; ++end)
      if (!Rows::is_unreachable(row[end]) && static_cast<Value>(before + row[end]) == after[end]) visit(end);
  }

  // Calls visit(from, to) for the ε-steps that keep best values: a match is forgotten, or a word is deleted.
  template <typename Visit>
  void each_epsilon(std::int32_t q, const Value* row, bool upwards, Visit visit) const {
    const std::int32_t order = rows_.order(), begin = rows_.first(q), count = states_ - begin;
    for (std::int32_t k = 0; k < count; ++k) {
      // Upwards: within a block from the longest run of matches to none, and from there to the next block.
      const std::int32_t at = upwards ? k : count - 1 - k;
      const std::int32_t block = begin + at / order * order, from = block + order - 1 - at % order;
      const bool deletes = from == block;
      const std::int32_t to = deletes ? block + order : from - 1;
      if (to >= states_ || Rows::is_unreachable(row[from])) continue;
      if (static_cast<Value>(row[from] + (deletes ? rows_.gains().deletion : Value{0})) == row[to]) visit(from, to);
    }
  }

  // Calls visit(from, to) for the steps of a word that keep best values.
  template <typename Visit>
  void each_edit(std::int32_t q, const Value* from, const Value* into, Symbol word, Visit visit) const {
    const EditGains<Value> gains = rows_.gains();
    const std::int32_t order = gains.order;
    for (std::int32_t block = rows_.first(q), i = block / order; block < states_; block += order, ++i) {
      const bool is_last = block + order == states_, matches = !is_last && rows_.matches(i, word);
      for (std::int32_t m = 0, runs = gains.distinct_runs(matches); m < runs; ++m) {
        const Value value = from[block + m];
        if (Rows::is_unreachable(value)) continue;
        gains.each_reading(i, m, is_last, matches, [&](std::int32_t j, std::int32_t run, Value gain, Edit edit) {
          if (m > 0 && !is_match(edit)) return;  // the run is forgotten first
          const std::int32_t reached = block + (j - i) * order + run;
          if (static_cast<Value>(value + gain) == into[reached]) visit(block + m, reached);
        });
      }
    }
  }

 private:
  static std::vector<std::int32_t> all_starts(const Tables& tables) {
    std::vector<std::int32_t> starts;
    for (std::int32_t v = 0; v < tables.rules().graph().nodes; ++v) starts.push_back(tables.starts(v));
    return starts;
  }

  // At the end all matches may be forgotten, so only one of the final states has to be looked at.
  void find_roots() {
    best_ = Rows::unreachable;
    for (std::int32_t v = 0; v < graph_.nodes; ++v) {
      if (!std::isfinite(graph_.goal_cost[v])) continue;
      const Value value = static_cast<Value>(tables_.row(v, 0)[rows_.final_states()] - tables_.goal_weight(v));
      if (value < best_) continue;
      if (value > best_) roots_.clear();
      best_ = value;
      roots_.push_back(v);
    }
    for (const auto v : roots_) live_.set(v, 0, rows_.final_states());
  }

  void mark_rule(std::int32_t v, std::int32_t q, const Rule& rule, const Progress& progress) {
    bool any = false;
    const std::int32_t begin = rows_.first(q);
    poll(rule.length * (states_ - begin));
    for (std::int32_t t = 0; t <= rule.length; ++t) std::fill(marks_[t].begin() + begin, marks_[t].end(), 0);
    for (std::int32_t s = tables_.first(v, q); s < states_; ++s)
      if (attains(v, q, s, rule, progress)) marks_[rule.length][s] = any = true;
    for (std::int32_t t = rule.length; any && t > 0; --t) {
      const Symbol symbol = rules_.symbols(rule)[t - 1];
      if (is_node(symbol))
        mark_tails(q, t, node_of(symbol), progress);
      else
        mark_words(q, t, symbol, progress);
    }
  }

  void mark_tails(std::int32_t q, std::int32_t t, std::int32_t tail, const Progress& progress) {
    for (std::int32_t s = t == 1 ? q : rows_.first(q); s < (t == 1 ? q + 1 : states_); ++s) {
      poll(states_);
      each_join(q, t, s, tail, progress, [&](std::int32_t end) {
        if (!marks_[t][end]) return;
        marks_[t - 1][s] = 1;
        live_.set(tail, s, end);
      });
    }
  }

  void mark_words(std::int32_t q, std::int32_t t, Symbol word, const Progress& progress) {
    auto &before = marks_[t - 1], &after = marks_[t];
    each_epsilon(q, progress.after(t), false, [&](std::int32_t from, std::int32_t to) { after[from] |= after[to]; });
    each_edit(q, progress.after(t - 1), progress.after(t), word,
              [&](std::int32_t from, std::int32_t to) { before[from] |= after[to]; });
  }

  Tables& tables_;
  const ForestRules& rules_;
  const Forest& graph_;
  const Rows& rows_;
  const std::int32_t states_;
  LiveEntries live_;
  Value best_{};
  std::vector<std::int32_t> roots_;
  std::vector<std::vector<std::uint8_t>> marks_;
  std::size_t entries_ = 0;
};

}  // namespace latticemetric
