// Columns: the best gain of a string in each state of the metric's automata. A column determines all that can follow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "memory/budget.hpp"
#include "recognition/rows.hpp"
#include "search/completion_bounds.hpp"

namespace latticemetric {

// A column holds one part for each reference, one after the other.
template <typename Gain, bool penalize>
class PrefixColumns {
  using Rows = RecognitionRows<Gain>;
  using Key = LossKeys::Key;

 public:
  using Column = std::vector<Gain>;

  PrefixColumns(const LossKeys& keys, std::vector<CompletionBounds<penalize>>& bounds)
      : keys_(keys), input_(keys.input()), order_(keys.loss_function().gains.order) {
    const EditGains<Gain> gains(keys.loss_function().gains);
    for (std::size_t r = 0; r < bounds.size(); ++r) {
      const Int128 weight = keys.loss_function().references[r].weight;
      parts_.push_back({states_, weight, penalize ? weight : -weight,
                        static_cast<Gain>(keys.loss_function().references[r].start), &bounds[r],
                        Rows(bounds[r].table().positions().symbols(), gains)});
      states_ += parts_.back().rows.states();
    }
    find_followed();
  }

  std::int32_t states() const { return states_; }

  void start(Column& column) const {
    column.resize(static_cast<std::size_t>(states_));
    for (const auto& part : parts_) {
      Gain* const row = column.data() + part.first;
      part.rows.start(0, row);
      if (part.start == 0) continue;
      for (std::int32_t s = 0; s < part.rows.states(); ++s)
        if (!Rows::is_unreachable(row[s])) row[s] += part.start;
    }
    forget(0, column);
  }

  // Computes the column after one more arc.
  void advance(const Gain* from, std::int64_t arc, Column& into) const {
    poll(4 * states_);
    into.resize(static_cast<std::size_t>(states_));
    for (const auto& part : parts_) {
      if (input_.lattice.label[arc] != 0)
        part.rows.advance(0, from + part.first, part.bounds->table().positions().symbol(arc), into.data() + part.first);
      else
        std::copy_n(from + part.first, part.rows.states(), into.data() + part.first);
    }
    forget(input_.lattice.target[arc], into);
  }

  // Returns a lower bound of the loss of all completions of a column in state v, as a key. `exact_bound` returns the
  // exact bound.
  Key bound(const Gain* column, std::int32_t v) const {
    Key best = std::numeric_limits<Key>::min();
    each_state(column, v, [&](const Part&, std::int32_t, std::int32_t, Gain, Key key) { best = std::max(best, key); });
    return penalize ? best : -best;
  }
  Loss exact_bound(const Gain* column, std::int32_t v) const {
    const Key best = penalize ? bound(column, v) : -bound(column, v);
    std::optional<Loss> chosen;
    each_state(column, v, [&](const Part& part, std::int32_t i, std::int32_t m, Gain gain, Key key) {
      if (best - key > keys_.slack()) return;
      const Loss loss = part.bounds->exact(v, i, m) + Loss{part.sign * gain, 0, 0};
      if (!chosen || CompletionBounds<penalize>::is_chosen(loss, *chosen)) chosen = loss;
    });
    return *chosen;
  }

  // Returns the part of a complete string's loss that comes from its gain.
  Int128 ending(const Gain* column) const {
    std::optional<Int128> most;  // the largest weighted gain
    for (const auto& part : parts_) {
      const Int128 gain = part.weight * column[part.first + part.rows.final_states()];
      most = std::max(gain, most.value_or(gain));
    }
    return penalize ? *most : -*most;
  }

  // If gains are penalized: returns how much more than the second column the first one can lose at most, whatever
  // follows. Returns nothing if that is more than `limit`.
  std::optional<Int128> excess(const Gain* first, const Gain* second, Int128 limit) const {
    for (const auto& part : parts_)
      if (exceeds(part, first, second, limit)) return {};
    std::optional<Int128> most;
    for (const auto& part : parts_)
      for (std::int32_t s = part.first; s < part.first + part.rows.states(); ++s) {
        if (Rows::is_unreachable(first[s])) continue;
        const Int128 more = part.weight == 0 ? 0 : part.weight * (static_cast<Int128>(first[s]) - second[s]);
        most = std::max(more, most.value_or(more));
      }
    return most;
  }

 private:
  struct Part {
    std::int32_t first;  // its first state in a column
    Int128 weight;
    Int128 sign;           // the weight of a gain in a loss
    Gain start;            // of all gains
    CompletionBounds<penalize>* bounds;
    Rows rows;
  };

  // Calls visit for each reachable state, with its gain so far and its value to the end.
  template <typename Visit>
  void each_state(const Gain* column, std::int32_t v, Visit visit) const {
    for (const auto& part : parts_) {
      const std::int32_t runs = part.bounds->table().has_runs(v) ? order_ : 1;
      for (std::int32_t m = 0; m < runs; ++m) {
        const Key* const after = part.bounds->table().row(v, m);
        const Gain* state = column + part.first + m;
        for (std::int32_t i = 0; i * order_ < part.rows.states(); ++i, state += order_)
          if (!Rows::is_unreachable(*state)) visit(part, i, m, *state, keys_.gain(part.weight * *state) + after[i]);
      }
    }
  }

  static bool exceeds(const Part& part, const Gain* first, const Gain* second, Int128 limit) {
    if (part.weight == 0) return limit < 0;
    // Unreachable values are twice as far away as any difference of two values, see `fits`.
    const Int128 floor = limit / part.weight - (limit % part.weight < 0);
    const auto most = static_cast<Gain>(std::clamp<Int128>(floor, Rows::unreachable / 2, -(Rows::unreachable / 2)));
    first += part.first;
    second += part.first;
    std::int32_t exceeding = 0;  // no early exit, so that the loop is vectorised
    for (std::int32_t s = 0; s < part.rows.states(); ++s)
      exceeding |= static_cast<std::int32_t>(first[s] > Rows::unreachable / 2) &
                   static_cast<std::int32_t>(first[s] - second[s] > most);
    return exceeding != 0;
  }

  // Drops runs that cannot matter. A run of matches only matters if the next word can match; elsewhere (i, m) is left
  // out, since (i, 0) gains no less.
  void forget(std::int32_t v, Column& column) const {
    if (order_ == 1) return;
    const std::uint8_t* followed = followed_.data() + static_cast<std::size_t>(v) * words_;
    for (const auto& part : parts_) {
      Gain* state = column.data() + part.first;
      for (std::int32_t s = 0; s < part.rows.states(); s += order_, state += order_, ++followed)
        if (!*followed) std::fill(state + 1, state + order_, Rows::unreachable);
    }
  }

  // Finds which words of the references can follow each state.
  void find_followed() {
    if (order_ == 1) return;
    words_ = static_cast<std::size_t>(states_ / order_);
    followed_ = filled(static_cast<std::size_t>(input_.lattice.states) * words_, std::uint8_t{0});
    for (std::int64_t a = input_.lattice.arcs - 1; a >= 0; --a) {
      std::uint8_t* into = followed_.data() + static_cast<std::size_t>(input_.lattice.source[a]) * words_;
      const std::uint8_t* from = followed_.data() + static_cast<std::size_t>(input_.lattice.target[a]) * words_;
      poll();
      if (input_.lattice.label[a] == 0) {
        poll(static_cast<std::int64_t>(words_ / 8));
        for (std::size_t k = 0; k < words_; ++k) into[k] |= from[k];
        continue;
      }
      for (const auto& part : parts_)
        for (auto position = part.bounds->table().positions().of(a); *position >= 0; ++position) {
          poll();
          into[part.first / order_ + *position] = 1;
        }
    }
  }

  const LossKeys& keys_;
  const LossLattice& input_;
  const std::int32_t order_;
  std::int32_t states_ = 0;
  std::vector<Part> parts_;
  std::size_t words_ = 0;
  std::vector<std::uint8_t> followed_;  // by state of the lattice, reference and word: 1 if it can follow
};

// Numbers columns, and stores equal ones once.
template <typename Gain>
class ColumnStore {
 public:
  using Number = std::int32_t;

  explicit ColumnStore(std::size_t size) : size_(size) {}

  Number add(const std::vector<Gain>& column) {
    const std::string_view bytes(reinterpret_cast<const char*>(column.data()), column.size() * sizeof(Gain));
    auto& bucket = buckets_[std::hash<std::string_view>{}(bytes)];
    for (const Number number : bucket)
      if (std::equal(column.begin(), column.end(), (*this)[number])) return number;
    values_.insert(values_.end(), column.begin(), column.end());
    bucket.push_back(next_);
    return next_++;
  }
  const Gain* operator[](Number number) const { return values_.data() + static_cast<std::size_t>(number) * size_; }
  std::size_t bytes() const { return values_.capacity() * sizeof(Gain) + static_cast<std::size_t>(next_) * 96; }

 private:
  const std::size_t size_;
  Number next_ = 0;
  std::vector<Gain> values_;
  std::unordered_map<std::size_t, std::vector<Number>> buckets_;
};

}  // namespace latticemetric
