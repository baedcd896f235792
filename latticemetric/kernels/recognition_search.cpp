#include "recognition_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <unordered_map>

#include "best_path_of_product.hpp"
#include "recognition_table.hpp"

namespace latticemetric {
namespace {

// What a transition of the automaton does: a match is the length of the longest n-gram that it completes.
enum class Edit : std::int32_t { insertion = -2, deletion = -1, substitution = 0 };
constexpr Edit match(std::int32_t length) { return static_cast<Edit>(length); }

// Gains alone decide: all that lose nothing are answers, of which the cheapest is taken.
template <typename Value>
class BestGain {
 public:
  using Completion = CompletionCost;
  static constexpr bool opposed = false;

  explicit BestGain(const Graph& graph) : graph_(graph) {}

  Value cost(std::int64_t) const { return 0; }
  Value end_cost(std::int32_t) const { return 0; }

  // How much a path through this state of the product may still lose against the best.
  Value slack(std::int32_t, std::int32_t) const { return 0; }
  void reach(std::int32_t, std::int32_t, Value) {}

  Completion ending(std::int32_t s) const { return latticemetric::ending(graph_, s); }
  Completion before(std::int64_t arc, Edit, const Completion& rest) const {
    return latticemetric::before(graph_, arc, rest);
  }

 private:
  const Graph& graph_;
};

// Gains and costs decide together. Both are rounded for the table, to units of 2^shift; all paths that rounding may have
// made worse than they are are looked at again, as they are.
class WeighedGain {
 public:
  using Value = std::int32_t;
  static constexpr bool opposed = false;
  struct Completion {
    Wide loss = std::numeric_limits<Wide>::max();
    std::int64_t cost = 0, words = 0;
    bool operator<(const Completion& other) const {
      if (loss != other.loss) return loss < other.loss;
      return cost != other.cost ? cost < other.cost : words < other.words;
    }
    bool operator==(const Completion& other) const {
      return loss == other.loss && cost == other.cost && words == other.words;
    }
  };

  // `largest` bounds the size of every loss, `terms` the numbers that are added up for one.
  WeighedGain(const Graph& graph, WholeCosts costs, Gains gains, Wide gain_weight, Wide cost_weight, Wide largest,
              std::int64_t terms)
      : graph_(graph), costs_(costs), gains_(gains), gain_weight_(gain_weight), cost_weight_(cost_weight) {
    while ((largest >> shift_) >= Wide{1} << 27) ++shift_;
    const std::int64_t lost = shift_ == 0 ? 0 : terms + 1;  // half a unit a term, by the path and by the best
    slack_.emplace(0, static_cast<Value>(lost));
    arc_.reserve(static_cast<std::size_t>(graph.arcs));
    for (std::int64_t a = 0; a < graph.arcs; ++a) arc_.push_back(rounded(cost_weight * costs.arc[a]));
    for (std::int32_t s = 0; s < graph.states; ++s)
      end_.push_back(graph.is_final(s) ? rounded(cost_weight * costs.final[s]) : 0);
  }

  Gains rounded_gains() const {
    return {gains_.order, rounded(gain_weight_ * gains_.unit), rounded(gain_weight_ * gains_.alpha),
            rounded(gain_weight_ * gains_.beta)};
  }

  Value cost(std::int64_t arc) const { return arc_[static_cast<std::size_t>(arc)]; }
  Value end_cost(std::int32_t s) const { return end_[static_cast<std::size_t>(s)]; }

  Value slack(std::int32_t s, std::int32_t state) const { return slack_.at(key(s, state)); }
  void reach(std::int32_t s, std::int32_t state, Value slack) {
    auto& kept = slack_.try_emplace(key(s, state), slack).first->second;
    kept = std::max(kept, slack);
  }

  Completion ending(std::int32_t s) const { return {cost_weight_ * costs_.final[s], costs_.final[s], 0}; }
  Completion before(std::int64_t arc, Edit edit, const Completion& rest) const {
    const Wide loss = rest.loss - gain_weight_ * gain(edit);
    if (arc == silent) return {loss, rest.cost, rest.words};
    return {loss + cost_weight_ * costs_.arc[arc], rest.cost + costs_.arc[arc], rest.words + graph_.is_word[arc]};
  }

 private:
  static std::uint64_t key(std::int32_t s, std::int32_t state) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(s)) << 32 | static_cast<std::uint32_t>(state);
  }

  Value rounded(Wide value) const {
    return static_cast<Value>(shift_ == 0 ? value : (value + (Wide{1} << (shift_ - 1))) >> shift_);
  }

  std::int64_t gain(Edit edit) const {
    if (edit == Edit::insertion) return -gains_.alpha;
    if (edit == Edit::deletion) return -gains_.beta;
    return static_cast<std::int64_t>(edit) * gains_.unit;
  }

  const Graph& graph_;
  const WholeCosts costs_;
  const Gains gains_;
  const Wide gain_weight_, cost_weight_;
  int shift_ = 0;
  std::vector<Value> arc_, end_;
  std::unordered_map<std::uint64_t, Value> slack_;
};

// The best paths of the product. A rule says which of its paths are answers.
template <typename Value, typename Rule>
class Search : public RecognitionTable<Value, Rule> {
  using Table = RecognitionTable<Value, Rule>;
  using Table::begin_, Table::graph_, Table::order_, Table::rule_, Table::size_;

 public:
  using Completion = typename Rule::Completion;
  using Table::deletions, Table::followed, Table::inserted, Table::longer, Table::matched;
  using Table::matches, Table::Table, Table::value;

  Value best() const { return value(0, 0, 0); }
  BestPathOfProduct<Search> best_path() {
    return {*this, graph_.states, graph_.arcs, graph_.source, graph_.target, (size_ + 1) * order_};
  }

 private:
  // ---- What `BestPathOfProduct` asks: product state (i, m) is number i * order + m ------------------------------

  bool ends(std::int32_t s, std::int32_t state) {
    if (state / order_ != size_ || !graph_.is_final(s)) return false;
    return static_cast<Value>(value(s, size_, state % order_) + rule_.end_cost(s)) <= rule_.slack(s, state);
  }

  Completion ending(std::int32_t s) const { return rule_.ending(s); }
  Completion before(std::int64_t arc, Edit edit, const Completion& rest) const { return rule_.before(arc, edit, rest); }

  template <typename Visit>
  void each_transition(std::int32_t s, std::int32_t state, Visit visit) {
    const std::int32_t i = state / order_, m = state % order_, onward = (i + 1) * order_;
    const Value best = value(s, i, m), slack = rule_.slack(s, state);
    const auto propose = [&](std::int64_t a, std::int32_t t, std::int32_t r, Value completed, Edit edit) {
      const auto lost = static_cast<Value>(best - completed);
      if (lost > slack) return;
      rule_.reach(t, r, static_cast<Value>(slack - lost));
      visit(a, t, r, edit);
    };
    const bool more = i < size_;
    if (more) propose(silent, s, onward, static_cast<Value>(value(s, i + 1, 0) - deletions(1)), Edit::deletion);
    for (auto a = begin_[s]; a < begin_[s + 1]; ++a) {
      const std::int32_t t = graph_.target[a];
      if (graph_.label[a] == 0) {
        propose(a, t, state, followed(a, i, m), Edit::substitution);
        continue;
      }
      propose(a, t, i * order_, inserted(a, i), Edit::insertion);
      if (!more) continue;
      propose(a, t, onward, followed(a, i + 1, 0), Edit::substitution);
      if (matches(a, i)) propose(a, t, onward + longer(m), matched(a, i, m), match(m + 1));
    }
  }

  friend class BestPathOfProduct<Search>;
};

template <typename Value>
bool fits(Wide largest) {
  return largest < static_cast<Wide>(std::numeric_limits<Value>::max()) / 4;
}

template <typename Value>
Best best_gain(const Graph& graph, const std::int32_t* reference, std::int32_t reference_words, Gains gains) {
  Search<Value, BestGain<Value>> search(graph, reference, reference_words, gains, BestGain<Value>(graph));
  search.fill();
  return {search.best_path().arcs(), search.best()};
}

}  // namespace

Best search_lattice(const Graph& graph, const std::int32_t* reference, std::int32_t reference_words, Gains gains) {
  const Wide largest = largest_gain(graph, reference_words, gains);
  const auto search = fits<std::int16_t>(largest)   ? best_gain<std::int16_t>
                      : fits<std::int32_t>(largest) ? best_gain<std::int32_t>
                      : fits<std::int64_t>(largest) ? best_gain<std::int64_t>
                                                    : best_gain<Wide>;
  return search(graph, reference, reference_words, gains);
}

LeastLoss search_least_loss(const Graph& graph, WholeCosts costs, const std::int32_t* reference,
                            std::int32_t reference_words, Gains gains, Wide gain_weight, Wide cost_weight) {
  const std::int64_t arcs = longest_path(graph, false) + 1;
  const Wide largest = gain_weight * largest_gain(graph, reference_words, gains) + cost_weight * largest_cost(graph, costs) * arcs;
  // A path's arcs and its end, each with an edit that rounds up to `order` units at once, and the deletions.
  const std::int64_t terms = arcs + gains.order * (arcs + reference_words);
  WeighedGain rule(graph, costs, gains, gain_weight, cost_weight, largest, terms);
  const Gains rounded = rule.rounded_gains();
  Search<std::int32_t, WeighedGain> search(graph, reference, reference_words, rounded, std::move(rule));
  search.fill();
  auto best = search.best_path();
  auto path = best.arcs();
  const auto& [loss, cost, words] = best.completion();
  return {std::move(path), loss, cost, words};
}

}  // namespace latticemetric
