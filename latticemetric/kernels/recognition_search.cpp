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
template <typename Value>
class Search {
 public:
  Search(const Graph& graph, const std::int32_t* reference, std::int32_t size, Gains gains)
      : graph_(graph),
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

  Best run() {
    for (std::int32_t s = graph_.states - 1; s >= 0; --s) complete(s);
    return {BestPathOfProduct<Search>(*this, graph_, (size_ + 1) * order_).arcs(), value(0, 0, 0)};
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
        keep_larger(row, dense(t));
        matches_follow = matches_follow || run_rows_[t] >= 0;
      } else {
        substitute_or_insert(row, dense(t));
        matches_follow = matches_follow || arc_places_[a] >= 0;
      }
    }
    std::fill(row + size_ + 1, row + stride_, nothing);
    if (is_final) row[size_] = std::max(row[size_], Value{0});
    if (matches_follow) add_matches(s);
    for (std::int32_t i = size_ - 1; i >= 0; --i) row[i] = std::max(row[i], static_cast<Value>(row[i + 1] - beta_));
    if (run_rows_[s] >= 0)
      for (std::int32_t m = 1; m < order_; ++m) keep_larger(run_row(s, m), row);
  }

  void keep_larger(Value* __restrict into, const Value* __restrict from) {
    for (std::size_t b = 0; b < padded_; b += block)
      for (std::size_t k = b; k < b + block; ++k) into[k] = std::max(into[k], from[k]);
  }

  void substitute_or_insert(Value* __restrict row, const Value* __restrict next) {
    const Value alpha = alpha_;
    for (std::size_t b = 0; b < padded_; b += block)
      for (std::size_t k = b; k < b + block; ++k)
        row[k] = std::max(row[k], std::max(next[k + 1], static_cast<Value>(next[k] - alpha)));
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
        for (std::int32_t m = 1; m < order_; ++m) keep_larger(run_row(s, m), run_rows_[t] >= 0 ? run_row(t, m) : dense(t));
        continue;
      }
      if (arc_places_[a] < 0) continue;
      for (auto place = places_.data() + arc_places_[a]; *place >= 0; ++place) {
        const std::int32_t i = *place;
        row[i] = std::max(row[i], static_cast<Value>(unit_ + value(t, i + 1, std::min(1, order_ - 1))));
        for (std::int32_t m = 1; m < order_; ++m) {
          Value& here = run_row(s, m)[i];
          here = std::max(here, static_cast<Value>((m + 1) * unit_ + value(t, i + 1, std::min(m + 1, order_ - 1))));
        }
      }
    }
  }

  // ---- What `BestPathOfProduct` asks: product state (i, m) is number i * order + m ------------------------------

  bool ends(std::int32_t s, std::int32_t state) {
    return state / order_ == size_ && std::isfinite(graph_.final_cost[s]) && value(s, size_, state % order_) == 0;
  }

  template <typename Visit>
  void optimal_transitions(std::int32_t s, std::int32_t state, Visit visit) {
    const std::int32_t i = state / order_, m = state % order_, onward = (i + 1) * order_;
    const Value best = value(s, i, m);
    const bool more = i < size_;
    if (more && static_cast<Value>(dense(s)[i + 1] - beta_) == best) visit(silent, s, onward);
    for (auto a = begin_[s]; a < begin_[s + 1]; ++a) {
      const std::int32_t t = graph_.target[a];
      if (graph_.label[a] == 0) {
        if (value(t, i, m) == best) visit(a, t, state);
        continue;
      }
      const Value* const next = dense(t);
      if (static_cast<Value>(next[i] - alpha_) == best) visit(a, t, i * order_);
      if (!more) continue;
      if (next[i + 1] == best) visit(a, t, onward);
      if (arc_places_[a] >= 0 && graph_.label[a] == reference_[i]) {
        const std::int32_t longer = std::min(m + 1, order_ - 1);
        if (static_cast<Value>((m + 1) * unit_ + value(t, i + 1, longer)) == best) visit(a, t, onward + longer);
      }
    }
  }

  friend class BestPathOfProduct<Search>;

  const Graph& graph_;
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

// No value is larger in size than this: every reference word matched or deleted, every word inserted.
Wide largest_value(const Graph& graph, std::int32_t size, Gains gains) {
  std::vector<std::int64_t> longest(graph.states, 0);
  for (std::int64_t a = graph.arcs - 1; a >= 0; --a) {
    auto& here = longest[graph.source[a]];
    here = std::max(here, longest[graph.target[a]] + (graph.label[a] != 0));
  }
  const Wide words = graph.states > 0 ? longest[0] + 1 : 1;
  return static_cast<Wide>(gains.order) * gains.unit * (size + 1) + static_cast<Wide>(std::llabs(gains.alpha)) * words +
         static_cast<Wide>(std::llabs(gains.beta)) * (size + 1);
}

template <typename Value>
bool fits(Wide largest) {
  return largest < static_cast<Wide>(std::numeric_limits<Value>::max()) / 4;
}

}  // namespace

Best search_lattice(const Graph& graph, const std::int32_t* reference, std::int32_t reference_words, Gains gains) {
  const Wide largest = largest_value(graph, reference_words, gains);
  if (fits<std::int16_t>(largest)) return Search<std::int16_t>(graph, reference, reference_words, gains).run();
  if (fits<std::int32_t>(largest)) return Search<std::int32_t>(graph, reference, reference_words, gains).run();
  if (fits<std::int64_t>(largest)) return Search<std::int64_t>(graph, reference, reference_words, gains).run();
  return Search<Wide>(graph, reference, reference_words, gains).run();
}

}  // namespace latticemetric
