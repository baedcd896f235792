// Lower bounds of the loss of completing a path, by state of the lattice and state of the metric's automaton.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "graphs/tie_order.hpp"
#include "memory/budget.hpp"
#include "search/loss_augmented_search.hpp"
#include "search/product_table.hpp"

namespace latticemetric {

// What orders results before their arcs do: smaller is better. Losses can be added.
struct Loss {
  Int128 value;
  std::int64_t cost;
  std::int64_t words;

  friend bool operator<(const Loss& a, const Loss& b) {
    return a.value != b.value ? a.value < b.value : comes_first(a, b);
  }
  friend Loss operator+(const Loss& a, const Loss& b) {
    return {a.value + b.value, a.cost + b.cost, a.words + b.words};
  }
};

// Packs losses into keys of 8 bytes that sort in the same order: value, cost and words one after the other, rounded if
// they need more bits.
class LossKeys {
 public:
  using Key = std::int64_t;

  LossKeys(const LossLattice& input, const LossFunction& loss_function) : input_(input), loss_function_(loss_function) {
    const auto& [lattice, costs, shown] = input;
    const std::int64_t arcs = longest_path(lattice, false) + 1;
    const Int128 cost = static_cast<Int128>(largest_cost(lattice, costs)) * arcs;
    Int128 value = 0;
    std::size_t longest = 0;
    for (const auto& [words, weight, start] : loss_function.references) {
      const Int128 gain = std::abs(start) +
                          largest_gain<Int128>(loss_function.gains, longest_path(lattice, true), words.size());
      value = std::max(value, 2 * weight * gain);
      longest = std::max(longest, words.size());
    }
    value += loss_function.cost_weight * cost;
    word_bits_ = bits(arcs);
    cost_bits_ = bits(2 * cost) + 1;
    int used = bits(value) + cost_bits_ + word_bits_;
    if (used > largest_bits) {  // values need most bits of a key: too few are left for the rest
      used = bits(value);
      cost_bits_ = word_bits_ = 0;
    }
    has_all_ = cost_bits_ > 0 && used <= key_bits;
    shift_ = std::max(0, used - key_bits);
    // Rounding errs by half a unit at each arc, at the end, at each edit (which rounds up to `order` units at once), at
    // the prefix and at its gain. Two keys are compared, so this counts twice.
    const std::int64_t order = loss_function.gains.order;
    slack_ = shift_ == 0 ? 0 : arcs + order * (arcs + static_cast<std::int64_t>(longest)) + 4;
    for (std::int64_t a = 0; a < lattice.arcs; ++a) arc_.push_back(cost_key(costs.arc[a], shown[a] != 0));
    for (std::int32_t v = 0; v < lattice.states; ++v)
      end_.push_back(lattice.is_final(v) ? cost_key(costs.final[v], 0) : 0);
  }

  // Returns a distance: keys that differ by more are in the order of their losses.
  Key slack() const { return slack_; }
  // Returns whether keys are exact, so that `loss` can unpack them.
  bool has_all() const { return has_all_; }
  Loss loss(Key key) const {
    const Key words = key & ((Key{1} << word_bits_) - 1);
    const Key rest = key >> word_bits_, value = (rest + (Key{1} << (cost_bits_ - 1))) >> cost_bits_;
    return {value, rest - value * (Key{1} << cost_bits_), words};
  }

  Key cost_key(std::int64_t cost, std::int64_t words) const {
    Int128 key = loss_function_.cost_weight * cost;
    if (cost_bits_ > 0) key = (key * (Int128{1} << cost_bits_) + cost) * (Int128{1} << word_bits_) + words;
    return rounded(key);
  }
  Key gain(Int128 weighted) const { return rounded(weighted * (Int128{1} << (cost_bits_ + word_bits_))); }
  Key arc(std::int64_t a) const { return arc_[static_cast<std::size_t>(a)]; }
  Key end(std::int32_t v) const { return end_[static_cast<std::size_t>(v)]; }

  Loss exact_cost(std::int64_t cost,
                  std::int64_t words) const { return {loss_function_.cost_weight * cost, cost, words}; }

  const LossLattice& input() const { return input_; }
  const LossFunction& loss_function() const { return loss_function_; }

 private:
  static constexpr int largest_bits = 120, key_bits = 58;

  static int bits(Int128 value) {
    int count = 0;
    for (; value > 0; value >>= 1) ++count;
    return count;
  }
  Key rounded(Int128 value) const {
    return static_cast<Key>(shift_ == 0 ? value : (value + (Int128{1} << (shift_ - 1))) >> shift_);
  }

  const LossLattice& input_;
  const LossFunction& loss_function_;
  int word_bits_, cost_bits_, shift_;
  bool has_all_;
  Key slack_;
  std::vector<Key> arc_, end_;
};

// The bound is the value of a game of two players: one chooses arcs and wants the least loss, the other chooses an edit
// for each arc and wants the largest gain. If gains reduce the loss (hope), both want the same, and the value is the
// loss of the best completion. If gains are penalized (fear), the value is only a lower bound, for two reasons. The
// first player sees the edits so far, although a string must be chosen without them. And the second player does not see
// the words to come, although an alignment may depend on them.
//
// Values are tabulated as keys. Where keys are rounded, an exact value is computed on demand, from all arcs and edits
// whose keys are too near the best to tell which is best.
template <bool penalize>
class CompletionBounds {
  using Key = LossKeys::Key;
  struct Objective {
    static constexpr bool adversarial = penalize;
    const LossKeys* keys;

    // Costs in the unit of gains: they reduce the value, or raise it if gains are penalized.
    Key cost(std::int64_t arc) const { return penalize ? -keys->arc(arc) : keys->arc(arc); }
    Key end_cost(std::int32_t v) const { return penalize ? -keys->end(v) : keys->end(v); }
  };

 public:
  using Table = ProductTable<Key, Objective>;

  CompletionBounds(const LossKeys& keys, const WeightedReference& reference)
      : keys_(keys), input_(keys.input()), gains_(keys.loss_function().gains),
        size_(static_cast<std::int32_t>(reference.words.size())),
        weight_(penalize ? reference.weight : -reference.weight),
        table_(input_.lattice, reference.words.data(), size_, rounded(reference.weight), Objective{&keys}),
        exact_(static_cast<std::size_t>(input_.lattice.states)) {
    table_.fill();
  }

  const Table& table() const { return table_; }
  std::size_t bytes() const { return bytes_; }

  // Returns whether the player who chooses edits prefers `a` to `b`.
  static bool is_chosen(const Loss& a, const Loss& b) { return penalize ? b < a : a < b; }

  const Loss& exact(std::int32_t v, std::int32_t i, std::int32_t m) {
    pending_.assign(1, {v, i, m});
    while (!pending_.empty()) {
      poll(50);
      const ProductState state = pending_.back();
      if (is_known(state) || find(state)) pending_.pop_back();
    }
    return at({v, i, m});
  }

 private:
  struct ProductState {
    std::int32_t v, i, m;
  };
  struct Edit {
    Key key;  // of the gain by this edit and by all that follows it
    ProductState to;
    std::int64_t gain;
  };
  static constexpr std::int64_t unknown = -1;  // the number of words of a loss that is not computed yet

  EditGains<Key> rounded(Int128 weight) const {
    const Gains& gains = keys_.loss_function().gains;
    const auto key = [&](std::int64_t gain) { return keys_.gain(weight * gain); };
    return {gains.order, key(gains.unit), key(gains.alpha), key(gains.beta)};
  }

  Loss& at(ProductState state) {
    auto& row = exact_[static_cast<std::size_t>(state.v)];
    const std::int32_t runs = table_.has_runs(state.v) ? gains_.order : 1;
    if (row.empty()) {
      row.assign(static_cast<std::size_t>((size_ + 1) * runs), {0, 0, unknown});
      bytes_ += row.size() * sizeof(Loss);
    }
    return row[static_cast<std::size_t>(state.i * runs + (runs > 1 ? state.m : 0))];
  }
  bool is_known(ProductState state) { return at(state).words != unknown; }

  // Computes an exact value if all values that it depends on are known, and returns true. Otherwise adds these to
  // `pending_` and returns false.
  bool find(ProductState state) {
    const auto [v, i, m] = state;
    const auto pending = pending_.size();
    const Key best = table_.value(v, i, m);
    std::optional<Loss> least;
    const auto take = [&](const Loss& loss) {
      if (!least || loss < *least) least = loss;
    };
    if (input_.lattice.is_final(v) && is_near(table_.ending(v, i), best))
      take(after({0, 0, 0}, static_cast<Int128>(size_ - i) * gains_.deletion, input_.costs.final[v], 0));
    for (auto a = table_.begin(v); a < table_.begin(v + 1); ++a) {
      poll(20);
      list_edits(a, i, m);
      Key largest = edits_.front().key;
      for (const auto& edit : edits_) largest = std::max(largest, edit.key);
      if (!is_near(largest, best)) continue;
      std::optional<Loss> chosen;
      for (const auto& [key, to, gain] : edits_) {
        if (largest - key > keys_.slack()) continue;
        if (!is_known(to)) {
          pending_.push_back(to);
          continue;
        }
        const Loss loss = after(at(to), gain, input_.costs.arc[a], input_.shown[a] != 0);
        if (!chosen || is_chosen(loss, *chosen)) chosen = loss;
      }
      if (chosen) take(*chosen);
    }
    if (pending_.size() > pending) return false;
    at(state) = *least;
    return true;
  }

  Loss after(const Loss& rest, Int128 gain, std::int64_t cost, std::int64_t words) const {
    return rest + keys_.exact_cost(cost, words) + Loss{weight_ * gain, 0, 0};
  }

  bool is_near(Key key, Key best) const { return (penalize ? key - best : best - key) <= keys_.slack(); }

  void list_edits(std::int64_t a, std::int32_t i, std::int32_t m) {
    edits_.clear();
    const std::int32_t t = input_.lattice.target[a];
    const auto rest = [&](std::int32_t to, std::int32_t run) {
      return table_.value(t, to, run) - table_.objective().cost(a);
    };
    const auto add = [&](std::int32_t to, std::int32_t run, std::int64_t gain, Key key) {
      edits_.push_back({key, {t, to, run}, gain});
    };
    if (input_.lattice.label[a] == 0) return add(i, m, 0, rest(i, m));
    gains_.each_reading(i, m, i == size_, false, [&](std::int32_t to, std::int32_t run, std::int64_t gain, auto edit) {
      add(to, run, gain, table_.gains().of(edit) + rest(to, run));
    });
    for (auto position = table_.positions().of(a); *position >= 0; ++position)
      if (*position >= i)
        gains_.match_at(i, m, *position, [&](std::int32_t to, std::int32_t run, std::int64_t gain) {
          table_.gains().match_at(i, m, *position, [&](std::int32_t, std::int32_t, Key key) {
            add(to, run, gain, key + rest(to, run));
          });
        });
  }

  const LossKeys& keys_;
  const LossLattice& input_;
  const EditGains<std::int64_t> gains_;
  const std::int32_t size_;
  const Int128 weight_;
  Table table_;
  std::vector<std::vector<Loss>> exact_;  // by state, if asked for: (i, m) is at i * runs + m
  std::size_t bytes_ = 0;
  std::vector<ProductState> pending_;
  std::vector<Edit> edits_;
};

}  // namespace latticemetric
