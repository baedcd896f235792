// Which entries of a column matter for what can still be read (docs/theory/expected.md, "Dominance").
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "expectation/columns.hpp"
#include "expectation/step_graph.hpp"
#include "memory/budget.hpp"

namespace latticemetric {

// How columns are made equal: not at all; by bounds of what each entry can still cost; or by bounds of the difference
// between what two entries can still cost.
enum class Merging { none, by_bounds, by_differences };

// Moves, grouped into passes so that vector instructions can process several entries at a time. The moves of a pass all
// lead equally far, or all lead to the same entry. Moves that few others resemble stay single.
template <typename T>
class MovePasses {
 public:
  void set(const Moves<T>& moves, std::size_t entries) {
    size_ = static_cast<std::int32_t>(entries);
    by_shift_.assign(2 * entries, 0);
    by_target_.assign(entries, 0);
    each(moves, [&](std::int32_t i, Move<T> move) { ++by_shift_[move.entry - i + size_]; });
    each(moves, [&](std::int32_t i, Move<T> move) {
      if (!is_common(by_shift_[move.entry - i + size_])) ++by_target_[move.entry];
    });
    passes_.clear();
    for (std::int32_t k = 0; k < 2 * size_; ++k) by_shift_[k] = add_pass(by_shift_[k], k - size_, false);
    for (std::int32_t k = 0; k < size_; ++k) by_target_[k] = add_pass(by_target_[k], k, true);
    costs_.assign(passes_.size() * entries, never);
    singles_.clear();
    each(moves, [&](std::int32_t i, Move<T> move) {
      const auto shift = by_shift_[move.entry - i + size_], number = shift >= 0 ? shift : by_target_[move.entry];
      if (number < 0) {
        singles_.push_back({i, move.entry, move.cost});
        return;
      }
      passes_[number].begin = std::min(passes_[number].begin, i);
      passes_[number].end = i + 1;
      costs_[static_cast<std::size_t>(number * size_ + i)] = move.cost;
    });
  }

  // Raises `found[i]` to at least `value[k]` minus the cost, for every move from i to k.
  void raise(const T* value, T* found) const {
    const T* cost = costs_.data();
    for (const auto& pass : passes_) {
      if (pass.has_target) {
        const T reached = value[pass.at];
        for (auto i = pass.begin; i < pass.end; ++i) found[i] = std::max(found[i], static_cast<T>(reached - cost[i]));
      } else {
        const T* shifted = value + pass.at;
        for (auto i = pass.begin; i < pass.end; ++i)
          found[i] = std::max(found[i], static_cast<T>(shifted[i] - cost[i]));
      }
      cost += size_;
    }
    for (const auto& [from, to, cost] : singles_) found[from] = std::max(found[from], static_cast<T>(value[to] - cost));
  }

 private:
  // The cost of a move that an entry does not have. It is so large that any real move gives more.
  static constexpr T never = std::numeric_limits<T>::max() / 2;

  struct Pass {
    std::int32_t at;  // the entry that its moves lead to, or how far they lead
    bool has_target;
    std::int32_t begin, end;  // the range of entries that have its moves
  };
  struct Single {
    std::int32_t from, to;
    T cost;
  };

  bool is_common(std::int32_t number) const { return number * 8 >= size_; }

  std::int32_t add_pass(std::int32_t number, std::int32_t at, bool has_target) {
    if (!is_common(number)) return -1;
    passes_.push_back({at, has_target, size_, 0});
    return static_cast<std::int32_t>(passes_.size()) - 1;
  }

  template <typename Do>
  void each(const Moves<T>& moves, Do take) const {
    for (std::int32_t i = 0; i < size_; ++i)
      for (auto m = moves.begin[i]; m < moves.begin[i + 1]; ++m) take(i, moves.all[m]);
  }

  std::int32_t size_ = 0;
  std::vector<std::int32_t> by_shift_, by_target_;  // first the number of moves, then their pass, or -1
  std::vector<Pass> passes_;
  std::vector<T> costs_;  // by pass, then by entry
  std::vector<Single> singles_;
};

template <typename Columns>
class Dominance {
 public:
  using T = typename Columns::Value;

  // Returns the bytes that bounds of differences take.
  static double bytes(const Columns& columns, const StepGraph& graph) {
    const auto entries = static_cast<double>(columns.entries());
    return entries * entries * static_cast<double>(graph.states) * sizeof(T);
  }

  Dominance(const Columns& columns, const StepGraph& graph, Merging merging)
      : columns_(columns), entries_(static_cast<std::size_t>(columns.entries())), merging_(merging) {
    if (merging == Merging::none) return;
    bound(graph);
    if (merging == Merging::by_differences) compare(graph);
  }

  Merging merging() const { return merging_; }

  // Return bounds of the cost from each entry to the end, over all strings that can follow a state: the least cost, and
  // an upper bound of the largest.
  const T* least(std::int32_t state) const { return &least_[static_cast<std::size_t>(state) * entries_]; }
  const T* largest(std::int32_t state) const { return &largest_[static_cast<std::size_t>(state) * entries_]; }

  // Lowers entries as far as possible without changing the final cost of any string that can follow the state.
  void lower(std::int32_t state, T* entry) const {
    if (merging_ == Merging::by_bounds) {
      T most = std::numeric_limits<T>::max() / 2;
      for (std::size_t j = 0; j < entries_; ++j) most = std::min<T>(most, entry[j] + largest(state)[j]);
      for (std::size_t i = 0; i < entries_; ++i) entry[i] = std::min<T>(entry[i], most - least(state)[i]);
    } else if (merging_ == Merging::by_differences) {
      lowered_.assign(entry, entry + entries_);
      T* lowered = lowered_.data();
      for (std::size_t j = 0; j < entries_; ++j) {
        const T from = entry[j];
        const T* more = difference(state, j);
        for (std::size_t i = 0; i < entries_; ++i) lowered[i] = std::min<T>(lowered[i], from + more[i]);
      }
      std::copy_n(lowered, entries_, entry);
    }
    columns_.relax(entry);
  }

 private:
  // Returns bounds of differences: C(j) - C(i) is at most difference(state, j)[i] for every string that can follow the
  // state, where C(i) is the cost from entry i to the end.
  const T* difference(std::int32_t state, std::size_t j) const {
    return &difference_[(static_cast<std::size_t>(state) * entries_ + j) * entries_];
  }

  void bound(const StepGraph& graph) {
    constexpr T never = std::numeric_limits<T>::max() / 2;
    const auto size = static_cast<std::size_t>(graph.states) * entries_;
    least_ = filled<T>(size, never);
    largest_ = filled<T>(size, -never);
    Moves<T> moves;
    for (auto v = graph.states; v-- > 0;) {
      T* low = &least_[static_cast<std::size_t>(v) * entries_];
      T* high = &largest_[static_cast<std::size_t>(v) * entries_];
      if (graph.ending[v] > 0)
        for (std::size_t i = 0; i < entries_; ++i) low[i] = high[i] = columns_.ending(static_cast<std::int64_t>(i));
      for (auto out = graph.from[v]; out < graph.from[v + 1]; ++out) {
        const auto& step = graph.steps[graph.out_of[out]];
        const T *after_low = least(step.target), *after_high = largest(step.target);
        poll(static_cast<std::int64_t>(entries_ * 4));
        if (step.word == no_word) {
          for (std::size_t i = 0; i < entries_; ++i) {
            low[i] = std::min(low[i], after_low[i]);
            high[i] = std::max(high[i], after_high[i]);
          }
          continue;
        }
        columns_.moves(step.word, moves);
        for (std::size_t i = 0; i < entries_; ++i) {
          T most = never;
          for (auto m = moves.begin[i]; m < moves.begin[i + 1]; ++m) {
            const auto [entry, cost] = moves.all[m];
            low[i] = std::min<T>(low[i], cost + after_low[entry]);
            most = std::min<T>(most, cost + after_high[entry]);
          }
          high[i] = std::max(high[i], most);
        }
      }
    }
  }

  void compare(const StepGraph& graph) {
    constexpr T never = std::numeric_limits<T>::max() / 2;
    const auto size = entries_ * entries_;
    difference_ = filled<T>(static_cast<std::size_t>(graph.states) * size, -never);
    std::vector<T> reached(size);
    Moves<T> moves, kept;
    MovePasses<T> passes;
    for (auto v = graph.states; v-- > 0;) {
      T* here = &difference_[static_cast<std::size_t>(v) * size];
      if (graph.ending[v] > 0)
        for (std::size_t j = 0; j < entries_; ++j)
          for (std::size_t i = 0; i < entries_; ++i)
            here[j * entries_ + i] = columns_.ending(static_cast<std::int64_t>(j)) - columns_.ending(static_cast<std::int64_t>(i));
      for (auto out = graph.from[v]; out < graph.from[v + 1]; ++out) {
        const auto& step = graph.steps[graph.out_of[out]];
        const T* after = difference(step.target, 0);
        poll(static_cast<std::int64_t>(size * 4));
        if (step.word == no_word) {
          for (std::size_t k = 0; k < size; ++k) here[k] = std::max(here[k], after[k]);
          continue;
        }
        columns_.moves(step.word, moves);
        // reached[j][k] is an upper bound of what j costs to the end, minus what k costs to the end after the word.
        for (std::size_t j = 0; j < entries_; ++j) {
          T* row = &reached[j * entries_];
          for (auto m = moves.begin[j]; m < moves.begin[j + 1]; ++m) {
            const auto [entry, cost] = moves.all[m];
            const T* more = &after[static_cast<std::size_t>(entry) * entries_];
            const bool is_first = m == moves.begin[j];
            for (std::size_t k = 0; k < entries_; ++k) {
              const auto found = static_cast<T>(cost + more[k]);
              row[k] = is_first ? found : std::min(row[k], found);
            }
          }
        }
        keep_undominated(moves, after, kept);
        passes.set(kept, entries_);
        for (std::size_t j = 0; j < entries_; ++j) passes.raise(&reached[j * entries_], &here[j * entries_]);
      }
      const T *low = least(v), *high = largest(v);
      for (std::size_t j = 0; j < entries_; ++j) {
        T* row = &here[j * entries_];
        for (std::size_t i = 0; i < entries_; ++i) row[i] = std::min<T>(row[i], high[j] - low[i]);
        row[j] = 0;
        columns_.relax(row);
      }
    }
  }

  // Keeps the moves of each entry, without those that are never better than another move of the same entry.
  void keep_undominated(const Moves<T>& moves, const T* after, Moves<T>& kept) const {
    kept.begin.assign(1, 0);
    kept.all.clear();
    for (std::size_t i = 0; i < entries_; ++i) {
      const auto first = kept.all.size();
      for (auto m = moves.begin[i]; m < moves.begin[i + 1]; ++m) {
        const auto move = moves.all[m];
        const auto is_worse = [&](const Move<T>& one, const Move<T>& other) {
          return other.cost + after[static_cast<std::size_t>(other.entry) * entries_ + static_cast<std::size_t>(one.entry)] <=
                 one.cost;
        };
        const auto begin = kept.all.begin() + static_cast<std::ptrdiff_t>(first);
        if (std::any_of(begin, kept.all.end(), [&](const auto& other) { return is_worse(move, other); })) continue;
        kept.all.erase(std::remove_if(begin, kept.all.end(), [&](const auto& other) { return is_worse(other, move); }),
                       kept.all.end());
        kept.all.push_back(move);
      }
      kept.begin.push_back(static_cast<std::int32_t>(kept.all.size()));
    }
  }

  const Columns& columns_;
  std::size_t entries_;
  Merging merging_;
  std::vector<T> least_, largest_, difference_;
  mutable std::vector<T> lowered_;
};

}  // namespace latticemetric
