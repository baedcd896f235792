#include "forests/forest_search.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "forests/exact_values.hpp"
#include "forests/optimum.hpp"
#include "graphs/best_derivation.hpp"
#include "graphs/derivations.hpp"
#include "graphs/tie_order.hpp"
#include "memory/budget.hpp"

namespace latticemetric {
namespace {

// Finds, among the derivations with the best value, the one with the least cost, then the fewest words, then the
// smallest edges. Works bottom-up, over live entries only.
template <typename Value>
class TieBreaker {
  using Optimum = ForestOptimum<Value>;
  using Progress = typename Optimum::Progress;

 public:
  explicit TieBreaker(Optimum& optimum)
      : optimum_(optimum), rules_(optimum.tables().rules()), graph_(rules_.graph()), rows_(optimum.tables().rows()),
        states_(optimum.tables().states()), partial_(static_cast<std::size_t>(rules_.longest()) + 1),
        costs_(optimum.entries()) {
    for (auto& level : partial_) level.resize(static_cast<std::size_t>(states_));
  }

  std::vector<std::int64_t> run() {
    for (std::int32_t v = 0; v < graph_.nodes; ++v)
      optimum_.walk(v, [&](std::int32_t q, const Rule& rule,
                           const Progress& progress) { visit_rule(v, q, rule, progress); });
    TieCost best;
    for (const auto v : optimum_.roots()) {
      TieCost cost = costs_[optimum_.live().number_of(v, 0, rows_.final_states())];
      cost.cost += graph_.goal_cost[v];
      keep_better(best, cost);
    }
    if (best.derivation < 0) throw std::logic_error("no derivation reaches the best value");
    return derivations_.preorder(best.derivation);
  }

 private:
  struct TieCost {
    double cost = std::numeric_limits<double>::infinity();
    std::int64_t words = 0;
    Derivations::Number derivation = -1;
  };
  // The first symbols of a rule, with the cost of the rule and of the tails so far.
  struct Partial {
    bool is_set = false;
    double cost = 0;
    std::int64_t words = 0;
    std::vector<Derivations::Number> parts;
  };

  void visit_rule(std::int32_t v, std::int32_t q, const Rule& rule, const Progress& progress) {
    poll(states_);
    bool any = false;
    for (std::int32_t s = optimum_.tables().first(v, q); s < states_ && !any; ++s)
      any = optimum_.attains(v, q, s, rule, progress);
    if (!any) return;
    for (std::int32_t t = 0; t <= rule.length; ++t)
      for (auto& partial : partial_[t]) partial.is_set = false;
    partial_[0][q] = {true, graph_.cost[rule.edge], graph_.words[rule.edge], {}};
    add_epsilons(q, 0, progress);
    for (std::int32_t t = 1; t <= rule.length; ++t) {
      const Symbol symbol = rules_.symbols(rule)[t - 1];
      if (is_node(symbol))
        append_tail(q, t, node_of(symbol), progress);
      else
        append_word(q, t, symbol, progress);
    }
    for (std::int32_t s = optimum_.tables().first(v, q); s < states_; ++s) {
      const Partial& partial = partial_[rule.length][s];
      if (!partial.is_set || !optimum_.attains(v, q, s, rule, progress)) continue;
      keep_better(costs_[optimum_.live().number_of(v, q, s)],
                  {partial.cost, partial.words, derivations_.add(rule.edge, partial.parts)});
    }
  }

  void add_epsilons(std::int32_t q, std::int32_t t, const Progress& progress) {
    optimum_.each_epsilon(q, progress.after(t), true, [&](std::int32_t from, std::int32_t to) {
      if (partial_[t][from].is_set) keep_better(partial_[t][to], partial_[t][from]);
    });
  }

  void append_word(std::int32_t q, std::int32_t t, Symbol word, const Progress& progress) {
    optimum_.each_edit(q, progress.after(t - 1), progress.after(t), word, [&](std::int32_t from, std::int32_t to) {
      if (partial_[t - 1][from].is_set) keep_better(partial_[t][to], partial_[t - 1][from]);
    });
    add_epsilons(q, t, progress);
  }

  void append_tail(std::int32_t q, std::int32_t t, std::int32_t tail, const Progress& progress) {
    for (std::int32_t s = rows_.first(q); s < states_; ++s) {
      if (!partial_[t - 1][s].is_set) continue;
      poll(4 * states_);
      optimum_.each_join(q, t, s, tail, progress, [&](std::int32_t end) {
        if (!optimum_.live().has(tail, s, end)) return;
        const TieCost& cost = costs_[optimum_.live().number_of(tail, s, end)];
        joined_ = partial_[t - 1][s];
        joined_.cost += cost.cost;
        joined_.words = sum(joined_.words, cost.words);
        joined_.parts.push_back(cost.derivation);
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
    if (!costs_as_much(a, b)) return comes_first(a, b);
    for (std::size_t k = 0; k < a.parts.size(); ++k)
      if (a.parts[k] != b.parts[k]) return derivations_.less(a.parts[k], b.parts[k]);
    return false;
  }

  void keep_better(TieCost& kept, const TieCost& other) const {
    const bool better = kept.derivation < 0 || comes_first(other, kept) ||
                        (costs_as_much(other, kept) && derivations_.less(other.derivation, kept.derivation));
    if (better) kept = other;
  }

  Optimum& optimum_;
  const ForestRules& rules_;
  const Forest& graph_;
  const RecognitionRows<Value>& rows_;
  const std::int32_t states_;
  std::vector<std::vector<Partial>> partial_;
  Partial joined_;
  std::vector<TieCost> costs_;
  Derivations derivations_;
};

template <typename Value>
BestDerivation run(const ForestRules& rules, const WordClasses& classes, EditGains<Value> gains,
                   ScaledCosts<Value> costs, std::size_t most_bytes) {
  ForestTables<Value> tables(rules, RecognitionRows<Value>(classes.reference, gains), std::move(costs), most_bytes);
  ForestOptimum<Value> optimum(tables);
  optimum.find();
  return {TieBreaker<Value>(optimum).run(), static_cast<Int128>(optimum.best())};
}

// Returns a bound of the absolute value of any sum of the integer costs.
double largest_sum(const Forest& graph, const HopeWeights& weights) {
  const std::vector<double> edge(weights.edge_cost, weights.edge_cost + graph.edges);
  std::vector<double> goal(weights.goal_cost, weights.goal_cost + graph.nodes);
  Forest integer = graph;
  integer.cost = edge.data();
  integer.goal_cost = goal.data();
  return largest_cost(integer);
}

template <typename Value>
std::vector<Value> scaled_costs(const std::int64_t* costs, std::int64_t count, Int128 weight) {
  std::vector<Value> products(static_cast<std::size_t>(count));
  for (std::int64_t k = 0; k < count; ++k)
    products[static_cast<std::size_t>(k)] = static_cast<Value>(costs[k] * weight);
  return products;
}

}  // namespace

BestDerivation search_forest(const Forest& graph, const std::int32_t* reference, std::int32_t reference_words,
                             Gains gains, std::size_t most_bytes) {
  const WordClasses classes(reference, reference_words);
  const ForestRules rules(graph, classes);
  return with_exact_value(largest_value(rules, reference_words, gains), [&](auto zero) {
    using Value = decltype(zero);
    return run<Value>(rules, classes, EditGains<Value>(gains), {}, most_bytes);
  });
}

BestDerivation search_forest_for_hope(const Forest& graph, const std::int32_t* reference,
                                      std::int32_t reference_words, Gains gains, const HopeWeights& weights,
                                      std::size_t most_bytes) {
  const WordClasses classes(reference, reference_words);
  const ForestRules rules(graph, classes);
  const double largest = static_cast<double>(weights.gain) * largest_value(rules, reference_words, gains) +
                         static_cast<double>(weights.cost) * largest_sum(graph, weights);
  return with_exact_value(largest, [&](auto zero) {
    using Value = decltype(zero);
    const auto scaled = [&](std::int64_t gain) { return static_cast<Value>(gain * weights.gain); };
    const EditGains<Value> weighted(gains.order, scaled(gains.unit), scaled(gains.alpha), scaled(gains.beta));
    ScaledCosts<Value> costs{scaled_costs<Value>(weights.edge_cost, graph.edges, weights.cost),
                              scaled_costs<Value>(weights.goal_cost, graph.nodes, weights.cost)};
    return run<Value>(rules, classes, weighted, std::move(costs), most_bytes);
  });
}

}  // namespace latticemetric
