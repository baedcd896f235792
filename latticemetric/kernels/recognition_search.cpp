#include "recognition_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <unordered_map>

#include "best_path_of_product.hpp"
#include "budget.hpp"

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
      end_.push_back(std::isfinite(graph.final_cost[s]) ? rounded(cost_weight * costs.final[s]) : 0);
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

// B(s, i, m) is the best gain of completing from lattice state s with i reference words behind, the last m of them
// matched in a row (m < order). With arcs a : s -> t,
//
//   B(s, i, m) = max of   0                                             s final, i = |r|
//                         -beta + B(s, i+1, 0)                          deletion
//                         B(t, i, m)                                    a is ε
//                         B(t, i+1, 0)                                  substitution
//                         -alpha + B(t, i, 0)                           insertion
//                         (m+1) unit + B(t, i+1, min(m+1, order-1))     match, a's word is r[i]
//
// Row 0 (m = 0) is dense: two shifted maxima over the row of t for each arc. Rows m >= 1 differ from it only where
// a match can follow, so a state has them only if one can; elsewhere B(s, i, m) = B(s, i, 0).
//
// Rows are padded to whole blocks, so that loops over them have no remainder. The padding holds a value so low that
// nothing is taken from it; it is set anew for each state, so that it cannot creep up or overflow.
//
// A rule says what arcs and ends cost in the unit of gains, which is taken from B, and which paths are answers.
template <typename Value, typename Rule>
class Search {
 public:
  using Completion = typename Rule::Completion;

  // Gains as the rule scales them.
  Search(const Graph& graph, const std::int32_t* reference, std::int32_t size, Gains gains, Rule rule)
      : graph_(graph),
        rule_(std::move(rule)),
        reference_(reference),
        size_(size),
        order_(gains.order),
        unit_(static_cast<Value>(gains.unit)),
        alpha_(static_cast<Value>(gains.alpha)),
        beta_(static_cast<Value>(gains.beta)),
        padded_((static_cast<std::size_t>(size) + 1 + block - 1) / block * block),
        stride_(padded_ + block),
        begin_(static_cast<std::size_t>(graph.states) + 1, 0),
        dense_(filled(static_cast<std::size_t>(graph.states) * stride_, nothing)),
        run_rows_(graph.states, -1) {
    for (std::int64_t a = 0; a < graph.arcs; ++a) ++begin_[graph.source[a] + 1];
    for (std::int32_t s = 0; s < graph.states; ++s) begin_[s + 1] += begin_[s];
    find_places();
  }

  void fill() {
    for (std::int32_t s = graph_.states - 1; s >= 0; --s) complete(s);
  }
  Value best() { return value(0, 0, 0); }
  BestPathOfProduct<Search> best_path() {
    return {*this, graph_.states, graph_.arcs, graph_.target, (size_ + 1) * order_};
  }

 private:
  // ---- Which reference positions a word has -------------------------------------------------------------------

  // Positions of the word at an arc: places_[arc_places_[a] ..], ended by -1; arc_places_ is -1 for other words.
  void find_places() {
    std::unordered_map<std::int32_t, std::int32_t> first;
    for (std::int32_t i = 0; i < size_; ++i) {
      if (reference_[i] <= 0 || first.count(reference_[i])) continue;  // no arc has the number of an unknown word
      poll(size_ - i);
      first[reference_[i]] = static_cast<std::int32_t>(places_.size());
      for (std::int32_t k = i; k < size_; ++k)
        if (reference_[k] == reference_[i]) places_.push_back(k);
      places_.push_back(-1);
    }
    // A filter of 4096 bits turns most foreign words away before the map is asked.
    std::vector<std::uint8_t> filter(4096, 0);
    for (const auto& entry : first) filter[entry.first & 4095] = 1;
    arc_places_.assign(static_cast<std::size_t>(graph_.arcs), -1);
    for (std::int64_t a = 0; a < graph_.arcs; ++a) {
      if (!filter[graph_.label[a] & 4095]) continue;
      const auto found = first.find(graph_.label[a]);
      if (found != first.end()) arc_places_[a] = found->second;
    }
  }

  static constexpr std::size_t block = 16;
  // Half the range away from zero: it stays below every value when a penalty is taken from it (see `fits`).
  static constexpr Value nothing = std::numeric_limits<Value>::min() / 2;

  // ---- Values -------------------------------------------------------------------------------------------------

  Value* dense(std::int32_t s) { return dense_.data() + static_cast<std::size_t>(s) * stride_; }

  Value* run_row(std::int32_t s, std::int32_t m) {
    return runs_.data() + (static_cast<std::size_t>(run_rows_[s]) + static_cast<std::size_t>(m) - 1) * stride_;
  }

  Value value(std::int32_t s, std::int32_t i, std::int32_t m) {
    return m > 0 && run_rows_[s] >= 0 ? run_row(s, m)[i] : dense(s)[i];
  }

  void complete(std::int32_t s) {
    Value* const row = dense(s);
    const bool is_final = std::isfinite(graph_.final_cost[s]);
    bool matches_follow = false;
    for (auto a = begin_[s]; a < begin_[s + 1]; ++a) {
      poll(static_cast<std::int64_t>(padded_ / 4));
      const std::int32_t t = graph_.target[a];
      if (graph_.label[a] == 0) {
        keep_larger(row, dense(t), rule_.cost(a));
        matches_follow = matches_follow || run_rows_[t] >= 0;
      } else {
        substitute_or_insert(row, dense(t), rule_.cost(a));
        matches_follow = matches_follow || arc_places_[a] >= 0;
      }
    }
    std::fill(row + size_ + 1, row + stride_, nothing);
    if (is_final) row[size_] = std::max(row[size_], static_cast<Value>(-rule_.end_cost(s)));
    if (matches_follow) add_matches(s);
    for (std::int32_t i = size_ - 1; i >= 0; --i) row[i] = std::max(row[i], static_cast<Value>(row[i + 1] - beta_));
    if (run_rows_[s] >= 0)
      for (std::int32_t m = 1; m < order_; ++m) keep_larger(run_row(s, m), row, Value{0});
  }

  void keep_larger(Value* __restrict into, const Value* __restrict from, Value cost) {
    for (std::size_t b = 0; b < padded_; b += block)
      for (std::size_t k = b; k < b + block; ++k) into[k] = std::max(into[k], static_cast<Value>(from[k] - cost));
  }

  void substitute_or_insert(Value* __restrict row, const Value* __restrict next, Value cost) {
    const auto insertion = static_cast<Value>(alpha_ + cost);
    for (std::size_t b = 0; b < padded_; b += block)
      for (std::size_t k = b; k < b + block; ++k)
        row[k] = std::max(row[k], std::max(static_cast<Value>(next[k + 1] - cost), static_cast<Value>(next[k] - insertion)));
  }

  void add_matches(std::int32_t s) {
    if (order_ > 1) {
      // The rows come before any pointer into them is taken: the table may move.
      run_rows_[s] = static_cast<std::int64_t>(runs_.size() / stride_);
      runs_.resize(runs_.size() + static_cast<std::size_t>(order_ - 1) * stride_, nothing);
    }
    Value* const row = dense(s);
    for (auto a = begin_[s]; a < begin_[s + 1]; ++a) {
      const std::int32_t t = graph_.target[a];
      if (graph_.label[a] == 0) {
        for (std::int32_t m = 1; m < order_; ++m)
          keep_larger(run_row(s, m), run_rows_[t] >= 0 ? run_row(t, m) : dense(t), rule_.cost(a));
        continue;
      }
      if (arc_places_[a] < 0) continue;
      const Value cost = rule_.cost(a);
      for (auto place = places_.data() + arc_places_[a]; *place >= 0; ++place) {
        const std::int32_t i = *place;
        row[i] = std::max(row[i], static_cast<Value>(unit_ - cost + value(t, i + 1, std::min(1, order_ - 1))));
        for (std::int32_t m = 1; m < order_; ++m) {
          Value& here = run_row(s, m)[i];
          here = std::max(here, static_cast<Value>((m + 1) * unit_ - cost + value(t, i + 1, std::min(m + 1, order_ - 1))));
        }
      }
    }
  }

  // ---- What `BestPathOfProduct` asks: product state (i, m) is number i * order + m ------------------------------

  bool ends(std::int32_t s, std::int32_t state) {
    if (state / order_ != size_ || !std::isfinite(graph_.final_cost[s])) return false;
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
    if (more) propose(silent, s, onward, static_cast<Value>(dense(s)[i + 1] - beta_), Edit::deletion);
    for (auto a = begin_[s]; a < begin_[s + 1]; ++a) {
      const std::int32_t t = graph_.target[a];
      const Value cost = rule_.cost(a);
      if (graph_.label[a] == 0) {
        propose(a, t, state, static_cast<Value>(value(t, i, m) - cost), Edit::substitution);
        continue;
      }
      const Value* const next = dense(t);
      propose(a, t, i * order_, static_cast<Value>(next[i] - alpha_ - cost), Edit::insertion);
      if (!more) continue;
      propose(a, t, onward, static_cast<Value>(next[i + 1] - cost), Edit::substitution);
      if (arc_places_[a] >= 0 && graph_.label[a] == reference_[i]) {
        const std::int32_t longer = std::min(m + 1, order_ - 1);
        propose(a, t, onward + longer, static_cast<Value>((m + 1) * unit_ - cost + value(t, i + 1, longer)), match(m + 1));
      }
    }
  }

  friend class BestPathOfProduct<Search>;

  const Graph& graph_;
  Rule rule_;
  const std::int32_t* reference_;
  const std::int32_t size_, order_;
  const Value unit_, alpha_, beta_;
  const std::size_t padded_, stride_;
  std::vector<std::int64_t> begin_;
  std::vector<Value> dense_;            // row 0 of every state
  std::vector<Value> runs_;             // rows 1 .. order-1 of the states that have them
  std::vector<std::int64_t> run_rows_;  // where a state's rows begin in runs_, or -1
  std::vector<std::int32_t> places_, arc_places_;
};

std::int64_t longest_path(const Graph& graph, bool words_alone) {
  std::vector<std::int64_t> longest(static_cast<std::size_t>(graph.states), 0);
  for (std::int64_t a = graph.arcs - 1; a >= 0; --a) {
    auto& here = longest[graph.source[a]];
    here = std::max(here, longest[graph.target[a]] + (!words_alone || graph.label[a] != 0));
  }
  return graph.states > 0 ? longest[0] : 0;
}

// No gain is larger in size than this: every reference word matched or deleted, every word inserted.
Wide largest_gain(const Graph& graph, std::int32_t size, Gains gains) {
  const Wide words = longest_path(graph, true) + 1;
  return static_cast<Wide>(gains.order) * gains.unit * (size + 1) + static_cast<Wide>(std::llabs(gains.alpha)) * words +
         static_cast<Wide>(std::llabs(gains.beta)) * (size + 1);
}

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
  std::int64_t largest_cost = 0;
  for (std::int64_t a = 0; a < graph.arcs; ++a) largest_cost = std::max<std::int64_t>(largest_cost, std::llabs(costs.arc[a]));
  for (std::int32_t s = 0; s < graph.states; ++s)
    if (std::isfinite(graph.final_cost[s])) largest_cost = std::max<std::int64_t>(largest_cost, std::llabs(costs.final[s]));
  const std::int64_t arcs = longest_path(graph, false) + 1;
  const Wide largest = gain_weight * largest_gain(graph, reference_words, gains) + cost_weight * largest_cost * arcs;
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
