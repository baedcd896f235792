// What completing a path loses at least, by the state of the lattice and of the metric's automaton.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "memory/budget.hpp"
#include "search/loss_augmented_search.hpp"
#include "search/product_table.hpp"

namespace latticemetric {

// What answers are ordered by, before their arcs: smaller is better. They add up.
struct Loss {
  Int128 value;
  std::int64_t cost;
  std::int64_t words;

  friend bool operator<(const Loss& a, const Loss& b) {
    if (a.value != b.value) return a.value < b.value;
    return a.cost != b.cost ? a.cost < b.cost : a.words < b.words;
  }
  friend Loss operator+(const Loss& a, const Loss& b) {
    return {a.value + b.value, a.cost + b.cost, a.words + b.words};
  }
};

// Losses in 8 bytes, in the same order: value, cost and words one after the other, rounded where they need more bits.
class LossKeys {
 public:
  using Key = std::int64_t;

  LossKeys(const WeighedLattice& lattice, const Weighing& weighing) : lattice_(lattice), weighing_(weighing) {
    const auto& [graph, costs, shown] = lattice;
    const std::int64_t arcs = longest_path(graph, false) + 1;
    const Int128 cost = static_cast<Int128>(largest_cost(graph, costs)) * arcs;
    Int128 value = 0;
    std::size_t longest = 0;
    for (const auto& [words, weight] : weighing.references) {
      value = std::max(value, 2 * weight * largest_gain<Int128>(weighing.gains, longest_path(graph, true), static_cast<Int128>(words.size())));
      longest = std::max(longest, words.size());
    }
    value += weighing.cost_weight * cost;
    word_bits_ = bits(arcs);
    cost_bits_ = bits(2 * cost) + 1;
    int used = bits(value) + cost_bits_ + word_bits_;
    if (used > largest_bits) {  // values need most bits of a key: what is left tells little
      used = bits(value);
      cost_bits_ = word_bits_ = 0;
    }
    has_all_ = cost_bits_ > 0 && used <= key_bits;
    shift_ = std::max(0, used - key_bits);
    // Half a unit by each arc, the end, each edit, which rounds up to `order` units at once, the prefix and its gain.
    const std::int64_t order = weighing.gains.order;
    slack_ = shift_ == 0 ? 0 : arcs + order * (arcs + static_cast<std::int64_t>(longest)) + 4;
    for (std::int64_t a = 0; a < graph.arcs; ++a) arc_.push_back(price(costs.arc[a], shown[a] != 0));
    for (std::int32_t v = 0; v < graph.states; ++v) end_.push_back(graph.is_final(v) ? price(costs.final[v], 0) : 0);
  }

  // Losses are larger by less if their keys are.
  Key slack() const { return slack_; }
  // Whether a key says all that there is to say.
  bool has_all() const { return has_all_; }
  Loss loss(Key key) const {
    const Key words = key & ((Key{1} << word_bits_) - 1);
    const Key rest = key >> word_bits_, value = (rest + (Key{1} << (cost_bits_ - 1))) >> cost_bits_;
    return {value, rest - value * (Key{1} << cost_bits_), words};
  }

  Key price(std::int64_t cost, std::int64_t words) const {
    Int128 key = weighing_.cost_weight * cost;
    if (cost_bits_ > 0) key = (key * (Int128{1} << cost_bits_) + cost) * (Int128{1} << word_bits_) + words;
    return rounded(key);
  }
  Key gain(Int128 weighed) const { return rounded(weighed * (Int128{1} << (cost_bits_ + word_bits_))); }
  Key arc(std::int64_t a) const { return arc_[static_cast<std::size_t>(a)]; }
  Key end(std::int32_t v) const { return end_[static_cast<std::size_t>(v)]; }

  Loss exact_price(std::int64_t cost, std::int64_t words) const { return {weighing_.cost_weight * cost, cost, words}; }

  const WeighedLattice& lattice() const { return lattice_; }
  const Weighing& weighing() const { return weighing_; }

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

  const WeighedLattice& lattice_;
  const Weighing& weighing_;
  int word_bits_, cost_bits_, shift_;
  bool has_all_;
  Key slack_;
  std::vector<Key> arc_, end_;
};

// A game between one who chooses arcs, and wants the least loss, and one who chooses an edit for each arc, and wants
// the largest gain. If strings are to score well, both want the same, and its value is what the best completion loses.
// If they are to score ill, it is a lower bound: whoever chooses arcs sees the edits chosen so far, which a string has
// to be chosen without, and whoever chooses edits does not see the words to come, which an alignment may be chosen with.
//
// Its values are tabulated as keys. Where keys do not say all, a value is found when it is asked for, from the values
// of whatever arcs and edits rounding does not tell from the best.
template <bool ill>
class CompletionBounds {
  using Key = LossKeys::Key;
  struct Rule {
    static constexpr bool opposed = ill;
    const LossKeys* keys;

    // Who chooses edits counts a gain against the loss: what costs, or what is lost by it.
    Key cost(std::int64_t arc) const { return ill ? -keys->arc(arc) : keys->arc(arc); }
    Key end_cost(std::int32_t v) const { return ill ? -keys->end(v) : keys->end(v); }
  };

 public:
  using Table = RecognitionTable<Key, Rule>;

  CompletionBounds(const LossKeys& keys, const WeighedReference& reference)
      : keys_(keys), lattice_(keys.lattice()), gains_(keys.weighing().gains),
        size_(static_cast<std::int32_t>(reference.words.size())), weight_(ill ? reference.weight : -reference.weight),
        table_(lattice_.graph, reference.words.data(), size_, rounded(reference.weight), Rule{&keys}),
        exact_(static_cast<std::size_t>(lattice_.graph.states)) {
    table_.fill();
  }

  const Table& table() const { return table_; }
  std::size_t bytes() const { return bytes_; }

  // Of two values or keys, what edits are chosen for.
  static bool is_chosen(const Loss& a, const Loss& b) { return ill ? b < a : a < b; }

  const Loss& exact(std::int32_t v, std::int32_t i, std::int32_t m) {
    pending_.assign(1, {v, i, m});
    while (!pending_.empty()) {
      poll(50);
      const Place place = pending_.back();
      if (is_known(place) || find(place)) pending_.pop_back();
    }
    return at({v, i, m});
  }

 private:
  struct Place {
    std::int32_t v, i, m;
  };
  struct Edit {
    Key key;  // of what is gained, to the end
    Place to;
    std::int64_t gain;
  };
  static constexpr std::int64_t unknown = -1;  // number of words

  Gains rounded(Int128 weight) const {
    const Gains& gains = keys_.weighing().gains;
    const auto key = [&](std::int64_t gain) { return keys_.gain(weight * gain); };
    return {gains.order, key(gains.unit), key(gains.alpha), key(gains.beta)};
  }

  Loss& at(Place place) {
    auto& row = exact_[static_cast<std::size_t>(place.v)];
    const std::int32_t runs = table_.has_runs(place.v) ? gains_.order : 1;
    if (row.empty()) {
      row.assign(static_cast<std::size_t>((size_ + 1) * runs), {0, 0, unknown});
      bytes_ += row.size() * sizeof(Loss);
    }
    return row[static_cast<std::size_t>(place.i * runs + (runs > 1 ? place.m : 0))];
  }
  bool is_known(Place place) { return at(place).words != unknown; }

  // Whether all values that it depends on are known. Those that are not are found next.
  bool find(Place place) {
    const auto [v, i, m] = place;
    const auto pending = pending_.size();
    const Key best = table_.value(v, i, m);
    std::optional<Loss> least;
    const auto take = [&](const Loss& loss) {
      if (!least || loss < *least) least = loss;
    };
    if (lattice_.graph.is_final(v) && is_near(table_.ending(v, i), best))
      take(after({0, 0, 0}, static_cast<Int128>(size_ - i) * gains_.deletion, lattice_.costs.final[v], 0));
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
        const Loss loss = after(at(to), gain, lattice_.costs.arc[a], lattice_.shown[a] != 0);
        if (!chosen || is_chosen(loss, *chosen)) chosen = loss;
      }
      if (chosen) take(*chosen);
    }
    if (pending_.size() > pending) return false;
    at(place) = *least;
    return true;
  }

  Loss after(const Loss& rest, Int128 gain, std::int64_t cost, std::int64_t words) const {
    return rest + keys_.exact_price(cost, words) + Loss{weight_ * gain, 0, 0};
  }

  bool is_near(Key key, Key best) const { return (ill ? key - best : best - key) <= keys_.slack(); }

  void list_edits(std::int64_t a, std::int32_t i, std::int32_t m) {
    edits_.clear();
    const std::int32_t t = lattice_.graph.target[a];
    const auto rest = [&](std::int32_t to, std::int32_t run) {
      return table_.value(t, to, run) - table_.rule().cost(a);
    };
    const auto add = [&](std::int32_t to, std::int32_t run, std::int64_t gain, Key key) {
      edits_.push_back({key, {t, to, run}, gain});
    };
    if (lattice_.graph.label[a] == 0) return add(i, m, 0, rest(i, m));
    gains_.each_reading(i, m, i == size_, false, [&](std::int32_t to, std::int32_t run, std::int64_t gain, auto edit) {
      add(to, run, gain, table_.gains().of(edit) + rest(to, run));
    });
    for (auto place = table_.places().of(a); *place >= 0; ++place)
      if (*place >= i)
        gains_.match_at(i, m, *place, [&](std::int32_t to, std::int32_t run, std::int64_t gain) {
          table_.gains().match_at(i, m, *place, [&](std::int32_t, std::int32_t, Key key) {
            add(to, run, gain, key + rest(to, run));
          });
        });
  }

  const LossKeys& keys_;
  const WeighedLattice& lattice_;
  const EditGains<std::int64_t> gains_;
  const std::int32_t size_;
  const Int128 weight_;
  Table table_;
  std::vector<std::vector<Loss>> exact_;  // of each state, where asked for: place i, m is number i * runs + m
  std::size_t bytes_ = 0;
  std::vector<Place> pending_;
  std::vector<Edit> edits_;
};

}  // namespace latticemetric
