#include "forests/best_forest.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>

#include "forests/exact_values.hpp"
#include "forests/optimum.hpp"
#include "memory/budget.hpp"

namespace latticemetric {
namespace {

constexpr std::size_t most_steps = std::size_t{1} << 32;  // about ten seconds

// A derivation of node v reaches the best value of some entries V(v, q, s). Above v, only the set of these entries
// matters. So these sets become the nodes of the result: the subset construction for a bottom-up tree automaton. Each
// derivation is found once, however many alignments it has.
template <typename Value>
class Determinization {
  using Optimum = ForestOptimum<Value>;
  using Progress = typename Optimum::Progress;
  using Entries = std::vector<std::size_t>;  // ascending

 public:
  explicit Determinization(const Forest& graph) : graph_(graph), states_of_(graph.nodes) {}

  void add(std::unique_ptr<Optimum> optimum) {
    offset_.push_back(entries_);
    entries_ += optimum->entries();
    optima_.push_back(std::move(optimum));
  }

  BestForest run() {
    std::int64_t first = 0;
    for (std::int32_t v = 0; v < graph_.nodes; ++v) {
      auto last = first;
      while (last < graph_.edges && graph_.head[last] == v) ++last;
      uses_.assign(static_cast<std::size_t>(last - first), {});
      tracks_.clear();
      for (std::size_t k = 0; k < optima_.size(); ++k) record(v, k, first);
      number_.clear();
      for (auto e = first; e < last; ++e)
        if (!uses_[e - first].empty()) add_edge(v, e, uses_[e - first]);
      first = last;
    }
    for (std::size_t k = 0; k < optima_.size(); ++k)
      for (const auto v : optima_[k]->roots()) add_goals(v, entry(k, v, 0, optima_[k]->tables().rows().final_states()));
    return std::move(result_);
  }

 private:
  // A step of a rule between two states of the metric's automaton. An ε-step stays within a level (a number of
  // symbols). Any other step comes from the level before, by a word or by an entry of a tail.
  struct Step {
    std::int32_t level, from, to;
    bool is_epsilon;
    std::ptrdiff_t entry;  // of a tail, or -1
  };
  // The steps of a rule from a start state, and the entries that they reach, each with the state where it ends.
  struct Track {
    std::int32_t start, length, states;
    std::vector<Step> steps;
    std::vector<std::pair<std::int32_t, std::size_t>> ends;
  };

  std::size_t entry(std::size_t k, std::int32_t v, std::int32_t q, std::int32_t s) const {
    return offset_[k] + optima_[k]->live().number_of(v, q, s);
  }

  void record(std::int32_t v, std::size_t k, std::int64_t first) {
    Optimum& optimum = *optima_[k];
    optimum.walk(v, [&](std::int32_t q, const Rule& rule, const Progress& progress) {
      Track track{q, rule.length, optimum.tables().states(), {}, {}};
      for (std::int32_t s = optimum.tables().first(v, q); s < track.states; ++s)
        if (optimum.attains(v, q, s, rule, progress)) track.ends.emplace_back(s, entry(k, v, q, s));
      if (track.ends.empty()) return;
      record_steps(k, q, rule, progress, track.steps);
      const auto& rules = optimum.tables().rules();
      for (auto e = rules.alike_begin(rule); e != rules.alike_end(rule); ++e)
        uses_[*e - first].push_back(tracks_.size());
      tracks_.push_back(std::move(track));
    });
  }

  void record_steps(std::size_t k, std::int32_t q, const Rule& rule, const Progress& progress,
                    std::vector<Step>& steps) {
    const Optimum& optimum = *optima_[k];
    const auto add_epsilons = [&](std::int32_t level) {
      optimum.each_epsilon(q, progress.after(level), true, [&](std::int32_t from, std::int32_t to) {
        steps.push_back({level, from, to, true, -1});
      });
    };
    add_epsilons(0);
    for (std::int32_t t = 1; t <= rule.length; ++t) {
      const Symbol symbol = optimum.tables().rules().symbols(rule)[t - 1];
      if (is_node(symbol)) {
        const std::int32_t tail = node_of(symbol);
        for (std::int32_t s = optimum.tables().rows().first(q); s < optimum.tables().states(); ++s)
          optimum.each_join(q, t, s, tail, progress, [&](std::int32_t end) {
            if (optimum.live().has(tail, s, end))
              steps.push_back({t, s, end, false, static_cast<std::ptrdiff_t>(entry(k, tail, s, end))});
          });
      } else {
        optimum.each_edit(q, progress.after(t - 1), progress.after(t), symbol,
                          [&](std::int32_t from, std::int32_t to) { steps.push_back({t, from, to, false, -1}); });
        add_epsilons(t);
      }
    }
  }

  // Tries every choice of states (nodes of the result) for the tails, in the order of the target side.
  void add_edge(std::int32_t v, std::int64_t e, const std::vector<std::size_t>& uses) {
    tail_order_.clear();
    for (auto k = graph_.target_begin[e]; k < graph_.target_begin[e + 1]; ++k)
      if (graph_.target[k] < 0) tail_order_.push_back(-graph_.target[k] - 1);
    std::vector<std::size_t> choice(tail_order_.size(), 0);
    chosen_.resize(tail_order_.size());
    for (;;) {
      for (std::size_t k = 0; k < tail_order_.size(); ++k) {
        const auto& states = states_of_[graph_.tail[graph_.tail_begin[e] + tail_order_[k]]];
        if (states.empty()) return;
        chosen_[k] = states[choice[k]];
      }
      add_choice(v, e, uses);
      std::size_t k = 0;
      while (k < tail_order_.size() &&
             ++choice[k] == states_of_[graph_.tail[graph_.tail_begin[e] + tail_order_[k]]].size()) choice[k++] = 0;
      if (k == tail_order_.size()) return;
    }
  }

  void add_choice(std::int32_t v, std::int64_t e, const std::vector<std::size_t>& uses) {
    Entries reached;
    for (const auto use : uses) follow(tracks_[use], e, reached);
    if (reached.empty()) return;
    std::sort(reached.begin(), reached.end());
    const auto found = number_.emplace(std::move(reached), static_cast<std::int32_t>(entries_of_.size()));
    if (found.second) {
      entries_of_.push_back(found.first->first);
      states_of_[v].push_back(found.first->second);
    }
    result_.head.push_back(found.first->second);
    result_.edge.push_back(e);
    const auto begin = result_.tail.size();
    result_.tail.resize(begin + tail_order_.size());
    for (std::size_t k = 0; k < tail_order_.size(); ++k)
      result_.tail[begin + static_cast<std::size_t>(tail_order_[k])] = chosen_[k];
    result_.tail_begin.push_back(static_cast<std::int64_t>(result_.tail.size()));
  }

  // Adds the entries that a track reaches with the tails' chosen states.
  void follow(const Track& track, std::int64_t e, Entries& reached) {
    taken_ += track.steps.size() + static_cast<std::size_t>(track.states);
    if (taken_ > most_steps)
      throw TooLarge("there are too many best derivations to return as a forest; prune the forest");
    const auto states = static_cast<std::size_t>(track.states);
    poll(static_cast<std::int64_t>(track.steps.size() + static_cast<std::size_t>(track.length) * states));
    here_.assign(static_cast<std::size_t>(track.length + 1) * states, 0);
    here_[static_cast<std::size_t>(track.start)] = 1;
    std::int32_t level = 0;
    std::size_t tail = 0;  // how many tails the target side has up to this level
    for (const auto& step : track.steps) {
      const auto into = static_cast<std::size_t>(step.level) * states;
      if (!here_[(step.is_epsilon ? into : into - states) + static_cast<std::size_t>(step.from)]) continue;
      if (step.entry >= 0) {
        while (level < step.level) tail += is_tail(e, level++);
        const Entries& entries = entries_of_[chosen_[tail - 1]];
        if (!std::binary_search(entries.begin(), entries.end(), static_cast<std::size_t>(step.entry))) continue;
      }
      here_[into + static_cast<std::size_t>(step.to)] = 1;
    }
    for (const auto& end : track.ends)
      if (here_[static_cast<std::size_t>(track.length) * states + static_cast<std::size_t>(end.first)])
        reached.push_back(end.second);
  }

  bool is_tail(std::int64_t e, std::int32_t symbol) const { return graph_.target[graph_.target_begin[e] + symbol] < 0; }

  void add_goals(std::int32_t v, std::size_t root) {
    for (const auto state : states_of_[v]) {
      const Entries& entries = entries_of_[state];
      const bool known = std::find(result_.goals.begin(), result_.goals.end(), state) != result_.goals.end();
      if (known || !std::binary_search(entries.begin(), entries.end(), root)) continue;
      result_.goals.push_back(state);
      result_.goal_of.push_back(v);
    }
  }

  const Forest graph_;
  std::vector<std::unique_ptr<Optimum>> optima_;
  std::vector<std::size_t> offset_;
  std::size_t entries_ = 0, taken_ = 0;
  std::vector<std::vector<std::int32_t>> states_of_;  // by node of the forest
  std::vector<Entries> entries_of_;                   // by state
  std::map<Entries, std::int32_t> number_;            // the states of the current node
  std::vector<Track> tracks_;                         // of the rules of the current node
  std::vector<std::vector<std::size_t>> uses_;        // by edge of that node: the tracks that it may take
  std::vector<std::int32_t> tail_order_, chosen_;
  std::vector<std::uint8_t> here_;
  BestForest result_;
};

}  // namespace

BestForest best_forest(const Forest& graph, const std::vector<std::vector<std::int32_t>>& references, Gains gains,
                       std::size_t most_bytes) {
  std::vector<WordClasses> classes;
  std::vector<std::unique_ptr<ForestRules>> rules;
  double largest = 0;
  for (const auto& reference : references) {
    classes.emplace_back(reference.data(), static_cast<std::int32_t>(reference.size()));
    rules.push_back(std::make_unique<ForestRules>(graph, classes.back()));
    largest = std::max(largest, largest_value(*rules.back(), static_cast<std::int32_t>(reference.size()), gains));
  }
  return with_exact_value(largest, [&](auto zero) {
    using Value = decltype(zero);
    std::vector<std::unique_ptr<ForestTables<Value>>> tables;
    Determinization<Value> determinization(graph);
    for (std::size_t k = 0; k < references.size(); ++k) {
      tables.push_back(std::make_unique<ForestTables<Value>>(
          *rules[k], RecognitionRows<Value>(classes[k].reference, EditGains<Value>(gains)), ScaledCosts<Value>{},
          most_bytes / references.size()));
      auto optimum = std::make_unique<ForestOptimum<Value>>(*tables.back());
      optimum->find();
      determinization.add(std::move(optimum));
    }
    return determinization.run();
  });
}

}  // namespace latticemetric
