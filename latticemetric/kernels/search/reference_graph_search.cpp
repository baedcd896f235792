#include "search/reference_graph_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "memory/budget.hpp"
#include "search/best_product_path.hpp"

namespace latticemetric {
namespace {

// V(s, q, m) is the largest value of completing from state s of the lattice and state q of the reference, after a run
// of m matches (m < order). All gains are multiplied by rate.total, and w(b) = -rate.gain * size(b) is the price of
// what an arc of the reference adds to the denominator. With arcs a : s -> t and b : q -> r,
//
//   V(s, q, m) = max of   0                                                   s final, q final
//                         V(s, r, m)                                          b is ε
//                         w(b) - beta + V(s, r, 0)                            deletion
//                         V(t, q, m)                                          a is ε
//                         -alpha + V(t, q, 0)                                 insertion
//                         w(b) + V(t, r, 0)                                   substitution
//                         w(b) + (m+1) unit + V(t, r, min(m+1, order-1))      match
//
// V does not fall as m grows.
template <typename Value>
class GraphSearch {
 public:
  GraphSearch(const Lattice& lattice, const ReferenceGraph& reference, Gains gains, Ratio rate)
      : lattice_(lattice),
        reference_(reference),
        exact_(gains),
        gains_(gains.order, static_cast<Value>(rate.total * gains.unit), static_cast<Value>(rate.total * gains.alpha),
               static_cast<Value>(rate.total * gains.beta)),
        order_(gains.order),
        price_(static_cast<Value>(rate.gain)),
        width_(static_cast<std::size_t>(reference.states) * gains.order),
        begin_(arc_begins(lattice)),
        reference_begin_(group_begins(reference.states, reference.arcs, reference.source)),
        values_(filled(width_ * lattice.states, std::numeric_limits<Value>::min())) {
    for (std::int64_t b = 0; b < reference.arcs; ++b)
      if (reference.label[b] != 0) words_.push_back(b);
  }

  PathAtRate run() {
    for (std::int32_t s = lattice_.states - 1; s >= 0; --s) complete(s);
    BestProductPath<GraphSearch> best(*this, lattice_.states, lattice_.arcs, lattice_.source, lattice_.target);
    return {best.arcs(), measured()};
  }

 private:
  std::int32_t first_state(std::int32_t) const { return 0; }
  std::int32_t states(std::int32_t) const { return static_cast<std::int32_t>(width_); }

  Value* row(std::int32_t s) { return values_.data() + width_ * s; }
  Value weight(std::int32_t size) const { return static_cast<Value>(-price_ * size); }
  static void keep(Value& here, Value value) { here = std::max(here, value); }

  void complete(std::int32_t s) {
    poll(static_cast<std::int64_t>(width_));
    Value* const here = row(s);
    for (auto a = begin_[s]; a < begin_[s + 1]; ++a) {
      poll(static_cast<std::int64_t>(width_ + words_.size()));
      const Value* const next = row(lattice_.target[a]);
      if (lattice_.label[a] == 0)
        for (std::size_t k = 0; k < width_; ++k) keep(here[k], next[k]);
      else
        take_word(here, next, lattice_.label[a]);
    }
    const bool may_end = std::isfinite(lattice_.final_cost[s]);
    for (std::int32_t q = reference_.states - 1; q >= 0; --q) {
      Value* const cell = here + static_cast<std::size_t>(q) * order_;
      if (may_end && reference_.is_final[q])
        for (std::int32_t m = 0; m < order_; ++m) keep(cell[m], Value{0});
      for (auto b = reference_begin_[q]; b < reference_begin_[q + 1]; ++b) {
        const Value* const next = here + static_cast<std::size_t>(reference_.target[b]) * order_;
        if (reference_.label[b] == 0)
          for (std::int32_t m = 0; m < order_; ++m) keep(cell[m], next[m]);
        else
          keep(cell[0], static_cast<Value>(weight(reference_.size[b]) + gains_.deletion + next[0]));
      }
      for (std::int32_t m = 1; m < order_; ++m) keep(cell[m], cell[0]);
    }
  }

  void take_word(Value* here, const Value* next, std::int32_t label) {
    const EditGains<Value> gains = gains_;  // a copy, which no store can change
    for (std::size_t k = 0; k < width_; k += order_) keep(here[k], static_cast<Value>(gains.insertion + next[k]));
    for (const auto b : words_) {
      Value* const from = here + gains_.state(reference_.source[b], 0);
      const Value* const to = next + gains_.state(reference_.target[b], 0);
      const Value own = weight(reference_.size[b]);
      const bool matches = reference_.label[b] == label;
      for (std::int32_t m = 0, runs = gains.distinct_runs(matches); m < runs; ++m)
        gains.each_pairing(0, m, matches, [&](std::int32_t, std::int32_t run, Value gain, Edit) {
          keep(from[m], static_cast<Value>(own + gain + to[run]));
        });
    }
  }

  // ---- Transitions that keep the best value ---------------------------------------------------------------------

  bool ends(std::int32_t s, std::int32_t state) {
    return std::isfinite(lattice_.final_cost[s]) && reference_.is_final[gains_.position(state)] && row(s)[state] == 0;
  }

  using Completion = CompletionCost;
  Completion ending(std::int32_t s) const { return latticemetric::ending(lattice_, s); }
  Completion before(std::int64_t arc, const Ratio&, const Completion& rest) const {
    return latticemetric::before(lattice_, arc, rest);
  }

  // Calls visit(arc, t, r, Ratio{its gain, its part of the denominator}) for each transition that keeps the best value.
  template <typename Visit>
  void each_transition(std::int32_t s, std::int32_t state, Visit visit) {
    const Value best = row(s)[state];
    const std::int32_t q = gains_.position(state), m = gains_.run(state);
    const auto propose = [&](std::int64_t a, std::int32_t t, std::int32_t r, Value gain, Int128 exact,
                             std::int64_t size) {
      if (static_cast<Value>(gain + weight(static_cast<std::int32_t>(size)) + row(t)[r]) == best)
        visit(a, t, r, Ratio{exact, size});
    };
    const auto edit = [&](std::int64_t a, std::int32_t t, std::int32_t r, Edit one, std::int64_t size) {
      propose(a, t, gains_.state(r, 0), gains_.of(one), exact_.of(one), size);
    };
    for (auto b = reference_begin_[q]; b < reference_begin_[q + 1]; ++b) {
      const std::int32_t r = reference_.target[b];
      if (reference_.label[b] == 0)
        propose(silent, s, gains_.state(r, m), Value{0}, 0, 0);
      else
        edit(silent, s, r, Edit::deletion, reference_.size[b]);
    }
    for (auto a = begin_[s]; a < begin_[s + 1]; ++a) {
      const std::int32_t t = lattice_.target[a], label = lattice_.label[a];
      if (label == 0) {
        propose(a, t, state, Value{0}, 0, 0);
        continue;
      }
      edit(a, t, q, Edit::insertion, 0);
      for (auto b = reference_begin_[q]; b < reference_begin_[q + 1]; ++b)
        if (reference_.label[b] != 0)
          gains_.each_pairing(reference_.target[b], m, reference_.label[b] == label,
                              [&](std::int32_t r, std::int32_t run, Value gain, Edit one) {
                                propose(a, t, gains_.state(r, run), gain, exact_.of(one), reference_.size[b]);
                              });
    }
  }

  // Returns the gain and the denominator of one of the best paths.
  Ratio measured() {
    Ratio sum{0, 0};
    std::int32_t s = 0, state = 0;
    for (bool on = true; on;) {
      on = false;
      std::int32_t next_s = 0, next_state = 0;
      Ratio step{0, 0};
      if (!ends(s, state))
        each_transition(s, state, [&](std::int64_t, std::int32_t t, std::int32_t r, Ratio adds) {
          if (on) return;
          on = true, next_s = t, next_state = r, step = adds;
        });
      if (on) s = next_s, state = next_state, sum.gain += step.gain, sum.total += step.total;
    }
    return sum;
  }

  friend class BestProductPath<GraphSearch>;

  const Lattice& lattice_;
  const ReferenceGraph& reference_;
  const EditGains<Int128> exact_;
  const EditGains<Value> gains_;  // multiplied by rate.total
  const std::int32_t order_;
  const Value price_;
  const std::size_t width_;
  const std::vector<std::int64_t> begin_, reference_begin_;
  std::vector<std::int64_t> words_;  // the arcs of the reference that have words
  std::vector<Value> values_;
};

double longest(std::int32_t states, std::int64_t arcs, const std::int32_t* source, const std::int32_t* target,
               const std::int32_t* label) {
  std::vector<double> words(static_cast<std::size_t>(states), 0.0);
  for (std::int64_t a = arcs - 1; a >= 0; --a)
    words[source[a]] = std::max(words[source[a]], words[target[a]] + (label[a] != 0));
  return words[0];
}

// Returns a bound of the absolute value of all values: as if every word were matched and inserted and deleted.
double largest_value(const Lattice& lattice, const ReferenceGraph& reference, Gains gains, Ratio rate) {
  const double words = 1 + longest(lattice.states, lattice.arcs, lattice.source, lattice.target, lattice.label) +
                       longest(reference.states, reference.arcs, reference.source, reference.target, reference.label);
  const double each = gains.order * static_cast<double>(gains.unit) + std::fabs(static_cast<double>(gains.alpha)) +
                      std::fabs(static_cast<double>(gains.beta));
  return words * (static_cast<double>(rate.total) * each + std::fabs(static_cast<double>(rate.gain)) * gains.order);
}

}  // namespace

PathAtRate search_reference_graph(const Lattice& lattice, const ReferenceGraph& reference, Gains gains, Ratio rate,
                                  double most_bytes) {
  const double largest = largest_value(lattice, reference, gains, rate);
  const double cells = static_cast<double>(lattice.states) * reference.states * gains.order;
  const auto run = [&](auto zero) {
    if (cells * sizeof(zero) > most_bytes) throw TooLarge("the lattice and its reference graph are too large together");
    return GraphSearch<decltype(zero)>(lattice, reference, gains, rate).run();
  };
  if (largest < std::ldexp(1.0, 29)) return run(std::int32_t{0});
  if (largest < std::ldexp(1.0, 61)) return run(std::int64_t{0});
  if (largest < std::ldexp(1.0, 124)) return run(Int128{0});
  throw std::overflow_error("the rates have too many digits to be compared exactly");
}

}  // namespace latticemetric
