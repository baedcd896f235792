#include "forest_search.hpp"

#include <cmath>
#include <limits>
#include <unordered_map>

#include "derivations.hpp"
#include "forest_tables.hpp"

namespace latticemetric {
namespace {

// Which entries of the tables belong to best derivations: a bit each, and each with a number of its own.
class Live {
 public:
  Live(std::int32_t states, std::vector<std::int32_t> starts) : words_(static_cast<std::size_t>(states + 63) / 64) {
    std::size_t size = 0;
    for (const auto rows : starts) {
      offset_.push_back(size);
      size += static_cast<std::size_t>(rows) * words_;
    }
    bits_.assign(size, 0);
  }

  void set(std::int32_t v, std::int32_t q, std::int32_t s) { bits_[word(v, q, s)] |= bit(s); }
  bool has(std::int32_t v, std::int32_t q, std::int32_t s) const { return bits_[word(v, q, s)] & bit(s); }
  bool any(std::int32_t v, std::int32_t q) const {
    for (std::size_t w = 0; w < words_; ++w)
      if (bits_[word(v, q, 0) + w]) return true;
    return false;
  }

  // Numbers all that are set; returns how many they are.
  std::size_t number() {
    std::size_t count = 0;
    for (const auto bits : bits_) {
      before_.push_back(count);
      count += static_cast<std::size_t>(__builtin_popcountll(bits));
    }
    return count;
  }
  std::size_t number_of(std::int32_t v, std::int32_t q, std::int32_t s) const {
    const auto w = word(v, q, s);
    return before_[w] + static_cast<std::size_t>(__builtin_popcountll(bits_[w] & (bit(s) - 1)));
  }

 private:
  std::size_t word(std::int32_t v, std::int32_t q, std::int32_t s) const {
    return offset_[v] + static_cast<std::size_t>(q) * words_ + static_cast<std::size_t>(s) / 64;
  }
  static std::uint64_t bit(std::int32_t s) { return std::uint64_t{1} << (s % 64); }

  const std::size_t words_;
  std::vector<std::size_t> offset_, before_;
  std::vector<std::uint64_t> bits_;
};

// Three passes. Upwards, the tables. Downwards, what of them best derivations use. Upwards again over that alone, the
// least cost, fewest words and smallest edges.
template <typename Value>
class Search {
  using Tables = ForestTables<Value>;
  using Rows = RecognitionRows<Value>;
  using Progress = typename Tables::Progress;

 public:
  explicit Search(Tables& tables)
      : tables_(tables), rules_(tables.rules()), graph_(rules_.graph()), rows_(tables.rows()), states_(tables.states()),
        live_(states_, all_starts(tables)), marks_(static_cast<std::size_t>(rules_.longest()) + 1),
        partial_(static_cast<std::size_t>(rules_.longest()) + 1) {
    for (auto& level : marks_) level.resize(static_cast<std::size_t>(states_));
    for (auto& level : partial_) level.resize(static_cast<std::size_t>(states_));
  }

  BestDerivation run() {
    tables_.fill();
    find_roots();
    for (std::int32_t v = graph_.nodes - 1; v >= 0; --v) mark_below(v);
    prices_.resize(live_.number());
    for (std::int32_t v = 0; v < graph_.nodes; ++v) price(v);
    Price best;
    for (const auto v : roots_) {
      Price price = prices_[live_.number_of(v, 0, rows_.final_states())];
      price.cost += graph_.goal_cost[v];
      keep_better(best, price);
    }
    return {derivations_.preorder(best.derivation), static_cast<Wide>(best_), static_cast<double>(best_)};
  }

 private:
  struct Price {
    double cost = std::numeric_limits<double>::infinity();
    std::int64_t words = 0;
    Derivations::Number derivation = -1;
  };
  // A rule up to some symbol: what its tails cost so far.
  struct Partial {
    bool is_set = false;
    double cost = 0;
    std::int64_t words = 0;
    std::vector<Derivations::Number> parts;
  };

  static std::vector<std::int32_t> all_starts(const Tables& tables) {
    std::vector<std::int32_t> starts;
    for (std::int32_t v = 0; v < tables.rules().graph().nodes; ++v) starts.push_back(tables.starts(v));
    return starts;
  }

  Value goal_weight(std::int32_t v) const {
    return std::is_floating_point_v<Value> ? static_cast<Value>(graph_.goal_cost[v]) : Value{0};
  }

  // All matches may be forgotten in the end, so there is one final state to look at.
  void find_roots() {
    best_ = Rows::nothing;
    for (std::int32_t v = 0; v < graph_.nodes; ++v) {
      if (!std::isfinite(graph_.goal_cost[v])) continue;
      const Value value = tables_.row(v, 0)[rows_.final_states()] - goal_weight(v);
      if (value < best_) continue;
      if (value > best_) roots_.clear();
      best_ = value;
      roots_.push_back(v);
    }
    for (const auto v : roots_) live_.set(v, 0, rows_.final_states());
  }

  // ---- Downwards ------------------------------------------------------------------------------------------------

  void mark_below(std::int32_t v) {
    for (std::int32_t q = 0; q < tables_.starts(v); ++q)
      if (live_.any(v, q))
        tables_.walk(v, q, [&](const Rule& rule, const Progress& progress) { mark_rule(v, q, rule, progress); });
  }

  // Whether a rule reaches the best value of an entry.
  bool attains(std::int32_t v, std::int32_t q, std::int32_t s, const Rule& rule, const Progress& progress) const {
    return live_.has(v, q, s) &&
           static_cast<Value>(progress.after(rule.length)[s] - tables_.weight(rule)) == tables_.row(v, q)[s];
  }

  void mark_rule(std::int32_t v, std::int32_t q, const Rule& rule, const Progress& progress) {
    bool any = false;
    const std::int32_t begin = rows_.first(q);
    for (auto& level : marks_) std::fill(level.begin() + begin, level.end(), 0);
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

  // Calls visit(s, end) where V(tail, s, end) joins best values before and behind it.
  template <typename Visit>
  void each_join(std::int32_t q, std::int32_t t, std::int32_t s, std::int32_t tail, const Progress& progress,
                 Visit visit) {
    const Value before = progress.after(t - 1)[s];
    if ((t == 1 && s != q) || Rows::is_nothing(before)) return;
    const Value *const row = tables_.row(tail, s), *const after = progress.after(t);
    for (std::int32_t end = tables_.first(tail, s); end < states_; ++end)
      if (!Rows::is_nothing(row[end]) && static_cast<Value>(before + row[end]) == after[end]) visit(end);
  }

  void mark_tails(std::int32_t q, std::int32_t t, std::int32_t tail, const Progress& progress) {
    for (std::int32_t s = t == 1 ? q : rows_.first(q); s < (t == 1 ? q + 1 : states_); ++s)
      each_join(q, t, s, tail, progress, [&](std::int32_t end) {
        if (!marks_[t][end]) return;
        marks_[t - 1][s] = 1;
        live_.set(tail, s, end);
      });
  }

  // Calls visit(from, to) for the steps without a word that keep best values: forgetting a match, and deletions.
  template <typename Visit>
  void each_pause(std::int32_t q, const Value* row, bool upwards, Visit visit) const {
    const std::int32_t order = rows_.order(), begin = rows_.first(q), count = states_ - begin;
    for (std::int32_t k = 0; k < count; ++k) {
      // Within a block from the most matches to none, and from there to the next block.
      const std::int32_t at = upwards ? k : count - 1 - k;
      const std::int32_t block = begin + at / order * order, from = block + order - 1 - at % order;
      const bool deletes = from == block;
      const std::int32_t to = deletes ? block + order : from - 1;
      if (to >= states_ || Rows::is_nothing(row[from])) continue;
      if (static_cast<Value>(row[from] - (deletes ? rows_.beta() : Value{0})) == row[to]) visit(from, to);
    }
  }

  // Calls visit(from, to) for what a word may do that keeps best values.
  template <typename Visit>
  void each_edit(std::int32_t q, const Value* from, const Value* into, Symbol word, Visit visit) const {
    const std::int32_t order = rows_.order();
    for (std::int32_t s = rows_.first(q), i = s / order; s < states_; s += order, ++i) {
      const std::int32_t next = s + order;
      if (!Rows::is_nothing(from[s])) {
        if (static_cast<Value>(from[s] - rows_.alpha()) == into[s]) visit(s, s);
        if (next < states_ && from[s] == into[next]) visit(s, next);
      }
      if (next == states_ || !rows_.matches(i, word)) continue;
      for (std::int32_t m = 0; m < order; ++m) {
        const std::int32_t matched = next + std::min(m + 1, order - 1);
        if (!Rows::is_nothing(from[s + m]) &&
            static_cast<Value>(from[s + m] + (m + 1) * rows_.unit()) == into[matched])
          visit(s + m, matched);
      }
    }
  }

  void mark_words(std::int32_t q, std::int32_t t, Symbol word, const Progress& progress) {
    auto &before = marks_[t - 1], &after = marks_[t];
    each_pause(q, progress.after(t), false, [&](std::int32_t from, std::int32_t to) { after[from] |= after[to]; });
    each_edit(q, progress.after(t - 1), progress.after(t), word,
              [&](std::int32_t from, std::int32_t to) { before[from] |= after[to]; });
  }

  // ---- Upwards again --------------------------------------------------------------------------------------------

  void price(std::int32_t v) {
    for (std::int32_t q = 0; q < tables_.starts(v); ++q)
      if (live_.any(v, q))
        tables_.walk(v, q, [&](const Rule& rule, const Progress& progress) { price_rule(v, q, rule, progress); });
  }

  void price_rule(std::int32_t v, std::int32_t q, const Rule& rule, const Progress& progress) {
    bool any = false;
    for (std::int32_t s = tables_.first(v, q); s < states_ && !any; ++s) any = attains(v, q, s, rule, progress);
    if (!any) return;
    for (std::int32_t t = 0; t <= rule.length; ++t)
      for (auto& partial : partial_[t]) partial.is_set = false;
    partial_[0][q] = {true, graph_.cost[rule.edge], graph_.words[rule.edge], {}};
    pause(q, 0, progress);
    for (std::int32_t t = 1; t <= rule.length; ++t) {
      const Symbol symbol = rules_.symbols(rule)[t - 1];
      if (is_node(symbol))
        join(q, t, node_of(symbol), progress);
      else
        say(q, t, symbol, progress);
    }
    for (std::int32_t s = tables_.first(v, q); s < states_; ++s) {
      const Partial& partial = partial_[rule.length][s];
      if (!partial.is_set || !attains(v, q, s, rule, progress)) continue;
      keep_better(prices_[live_.number_of(v, q, s)],
                  {partial.cost, partial.words, derivations_.add(rule.edge, partial.parts)});
    }
  }

  void pause(std::int32_t q, std::int32_t t, const Progress& progress) {
    each_pause(q, progress.after(t), true, [&](std::int32_t from, std::int32_t to) {
      if (partial_[t][from].is_set) keep_better(partial_[t][to], partial_[t][from]);
    });
  }

  void say(std::int32_t q, std::int32_t t, Symbol word, const Progress& progress) {
    each_edit(q, progress.after(t - 1), progress.after(t), word, [&](std::int32_t from, std::int32_t to) {
      if (partial_[t - 1][from].is_set) keep_better(partial_[t][to], partial_[t - 1][from]);
    });
    pause(q, t, progress);
  }

  void join(std::int32_t q, std::int32_t t, std::int32_t tail, const Progress& progress) {
    for (std::int32_t s = rows_.first(q); s < states_; ++s) {
      if (!partial_[t - 1][s].is_set) continue;
      each_join(q, t, s, tail, progress, [&](std::int32_t end) {
        if (!live_.has(tail, s, end)) return;
        const Price& price = prices_[live_.number_of(tail, s, end)];
        joined_ = partial_[t - 1][s];
        joined_.cost += price.cost;
        joined_.words = sum(joined_.words, price.words);
        joined_.parts.push_back(price.derivation);
        keep_better(partial_[t][end], joined_);
      });
    }
  }

  static std::int64_t sum(std::int64_t a, std::int64_t b) {
    return a > std::numeric_limits<std::int64_t>::max() - b ? std::numeric_limits<std::int64_t>::max() : a + b;
  }

  // ---- The tie rule ---------------------------------------------------------------------------------------------

  void keep_better(Partial& kept, const Partial& other) {
    if (!kept.is_set || less(other, kept)) kept = other;
  }

  bool less(const Partial& a, const Partial& b) const {
    if (a.cost != b.cost) return a.cost < b.cost;
    if (a.words != b.words) return a.words < b.words;
    for (std::size_t k = 0; k < a.parts.size(); ++k)
      if (a.parts[k] != b.parts[k]) return derivations_.less(a.parts[k], b.parts[k]);
    return false;
  }

  void keep_better(Price& kept, const Price& other) const {
    const bool better = kept.derivation < 0 || other.cost < kept.cost ||
                        (other.cost == kept.cost &&
                         (other.words < kept.words ||
                          (other.words == kept.words && derivations_.less(other.derivation, kept.derivation))));
    if (better) kept = other;
  }

  Tables& tables_;
  const ForestRules& rules_;
  const ForestGraph& graph_;
  const Rows& rows_;
  const std::int32_t states_;
  Live live_;
  Value best_{};
  std::vector<std::int32_t> roots_;
  std::vector<std::vector<std::uint8_t>> marks_;
  std::vector<std::vector<Partial>> partial_;
  Partial joined_;
  std::vector<Price> prices_;
  Derivations derivations_;
};

// The reference's words as classes 1, 2, ..., and what each word number counts as.
struct Classes {
  std::vector<Symbol> reference, of_word;

  Classes(const std::int32_t* words, std::int32_t size) {
    Symbol next = 1;
    for (std::int32_t i = 0; i < size; ++i) {
      if (words[i] <= 0) {  // a word that no edge says
        reference.push_back(next++);
        continue;
      }
      if (static_cast<std::size_t>(words[i]) >= of_word.size()) of_word.resize(static_cast<std::size_t>(words[i]) + 1, foreign);
      if (of_word[words[i]] == foreign) of_word[words[i]] = next++;
      reference.push_back(of_word[words[i]]);
    }
  }
};

template <typename Value>
BestDerivation run(const ForestRules& rules, const Classes& classes, Pay<Value> pay, std::vector<Value> weight,
                   std::size_t most_bytes) {
  ForestTables<Value> tables(rules, RecognitionRows<Value>(classes.reference, pay), std::move(weight), most_bytes);
  return Search<Value>(tables).run();
}

template <typename Value>
BestDerivation run_exactly(const ForestRules& rules, const Classes& classes, Gains gains, std::size_t most_bytes) {
  const Pay<Value> pay{gains.order, static_cast<Value>(gains.unit), static_cast<Value>(gains.alpha),
                       static_cast<Value>(gains.beta)};
  return run<Value>(rules, classes, pay, {}, most_bytes);
}

// No value is larger in size than this: every reference word matched or deleted, every word inserted.
double largest_value(const ForestRules& rules, std::int32_t size, Gains gains) {
  const double words = size + 1.0;
  return gains.order * static_cast<double>(gains.unit) * words +
         std::fabs(static_cast<double>(gains.alpha)) * (rules.most_words() + 1) +
         std::fabs(static_cast<double>(gains.beta)) * words;
}

template <typename Value>
bool fits(double largest) {
  return largest < static_cast<double>(std::numeric_limits<Value>::max()) / 8;
}

}  // namespace

BestDerivation search_forest(const ForestGraph& graph, const std::int32_t* reference, std::int32_t reference_words,
                             Gains gains, std::size_t most_bytes) {
  const Classes classes(reference, reference_words);
  const ForestRules rules(graph, classes.of_word);
  const double largest = largest_value(rules, reference_words, gains);
  if (fits<std::int16_t>(largest)) return run_exactly<std::int16_t>(rules, classes, gains, most_bytes);
  if (fits<std::int32_t>(largest)) return run_exactly<std::int32_t>(rules, classes, gains, most_bytes);
  if (fits<std::int64_t>(largest)) return run_exactly<std::int64_t>(rules, classes, gains, most_bytes);
  if (fits<Wide>(largest)) return run_exactly<Wide>(rules, classes, gains, most_bytes);
  throw TooLarge("derivations are too long for their gains to be counted");
}

BestDerivation search_forest_for_hope(const ForestGraph& graph, const std::int32_t* reference,
                                      std::int32_t reference_words, Gains gains, double scale,
                                      std::size_t most_bytes) {
  const Classes classes(reference, reference_words);
  const ForestRules rules(graph, classes.of_word);
  const auto scaled = [&](std::int64_t gain) { return scale * static_cast<double>(gain); };
  const Pay<double> pay{gains.order, scaled(gains.unit), scaled(gains.alpha), scaled(gains.beta)};
  std::vector<double> weight(graph.cost, graph.cost + graph.edges);
  return run<double>(rules, classes, pay, std::move(weight), most_bytes);
}

}  // namespace latticemetric
