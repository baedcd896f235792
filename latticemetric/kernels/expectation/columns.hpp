// Columns of a metric's automaton: the least cost of reaching each of its states with the words of a path so far.
//
// A column is stored as the differences between its entries, packed into words of 64 bits. What all entries have in
// common, the base, is kept apart. Costs are integers, and smaller is better: they are errors, or negated gains.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "recognition/automaton.hpp"
#include "recognition/myers_step.hpp"

namespace latticemetric {

using PackedColumn = std::uint64_t;

// Words are given as classes: 0, 1, ... for the words of the references, then one class for all other words.
constexpr std::int32_t no_word = -1;

// A move of a word from an entry of the column: it leads to an entry, at a cost. Deletions are made only before a
// match: any other deletion can be made after the word as well, at the same cost.
template <typename T>
struct Move {
  std::int32_t entry;
  T cost;
};

// The moves of one class of words: those from entry i are `begin[i] .. begin[i + 1]`.
template <typename T>
struct Moves {
  std::vector<std::int32_t> begin;
  std::vector<Move<T>> all;
};

// Columns of edit distances (WER and WRR): entry i is the distance to the first i words of the reference. Neighbours
// differ by at most 1, so the differences take two bits per entry, and one step takes a few operations for 64 entries.
template <typename T>
class EditColumns {
 public:
  using Value = T;

  explicit EditColumns(std::vector<std::int32_t> reference, std::int32_t classes)
      : reference_(std::move(reference)), blocks_((reference_.size() + 63) / 64) {
    equal_.resize(static_cast<std::size_t>(classes));
    for (std::size_t i = 0; i < reference_.size(); ++i) {
      if (reference_[i] >= classes) continue;  // a word that no arc has
      auto& bits = equal_[reference_[i]];
      if (bits.empty()) bits.resize(blocks_);
      bits[i / 64] |= std::uint64_t{1} << (i % 64);
    }
    nowhere_.resize(blocks_);
    last_ = reference_.size() % 64 ? (std::uint64_t{1} << (reference_.size() % 64)) - 1 : ~std::uint64_t{0};
  }

  std::int64_t entries() const { return static_cast<std::int64_t>(reference_.size()) + 1; }
  std::size_t width() const { return 2 * blocks_; }
  T unit() const { return 1; }
  double step_time() const { return 3 * static_cast<double>(blocks_); }  // nanoseconds, about

  // The column before any word: i deletions.
  std::int64_t start(PackedColumn* column) const {
    for (std::size_t b = 0; b < blocks_; ++b) {
      column[2 * b] = b + 1 == blocks_ ? last_ : ~std::uint64_t{0};
      column[2 * b + 1] = 0;
    }
    return 0;
  }

  // Reads a word. Returns by how much the base, which is the first entry, grows: by one insertion.
  std::int64_t step(PackedColumn* column, std::int32_t word) const {
    const auto& equal = static_cast<std::size_t>(word) < equal_.size() && !equal_[word].empty() ? equal_[word] : nowhere_;
    std::uint64_t more_above = 1, less_above = 0;
    for (std::size_t b = 0; b < blocks_; ++b)
      myers_step(column[2 * b], column[2 * b + 1], equal[b], more_above, less_above);
    if (blocks_ > 0) {
      column[2 * blocks_ - 2] &= last_;
      column[2 * blocks_ - 1] &= last_;
    }
    return 1;
  }

  // Returns the cost if the path ends here, above the base.
  std::int64_t end(const PackedColumn* column) const {
    std::int64_t cost = 0;
    for (std::size_t b = 0; b < blocks_; ++b)
      cost += __builtin_popcountll(column[2 * b]) - __builtin_popcountll(column[2 * b + 1]);
    return cost;
  }

  void unpack(const PackedColumn* column, T* entry) const {
    T value = 0;
    entry[0] = 0;
    for (std::size_t i = 0; i < reference_.size(); ++i) {
      value += static_cast<T>((column[2 * (i / 64)] >> (i % 64)) & 1) -
               static_cast<T>((column[2 * (i / 64) + 1] >> (i % 64)) & 1);
      entry[i + 1] = value;
    }
  }

  // Packs entries that `relax` has left. Returns by how much the base grows.
  std::int64_t pack(const T* entry, PackedColumn* column) const {
    std::fill_n(column, width(), 0);
    for (std::size_t i = 0; i < reference_.size(); ++i) {
      const T difference = entry[i + 1] - entry[i];
      if (difference > 0) column[2 * (i / 64)] |= std::uint64_t{1} << (i % 64);
      if (difference < 0) column[2 * (i / 64) + 1] |= std::uint64_t{1} << (i % 64);
    }
    return entry[0];
  }

  // Lowers each entry to what it costs by way of its neighbours. That changes no final cost, whatever words follow.
  void relax(T* entry) const {
    const auto last = reference_.size();
    T steepest = 0;  // looking is much faster than lowering the entries one by one
    for (std::size_t i = 0; i < last; ++i) {
      const T rise = entry[i + 1] - entry[i];
      steepest = std::max(steepest, std::max<T>(rise, -rise));
    }
    if (steepest <= 1) return;
    for (std::size_t i = 1; i <= last; ++i) entry[i] = std::min<T>(entry[i], entry[i - 1] + 1);
    for (std::size_t i = last; i-- > 0;) entry[i] = std::min<T>(entry[i], entry[i + 1] + 1);
  }

  // Returns what is still to pay from entry i if no words follow.
  T ending(std::int64_t i) const { return static_cast<T>(static_cast<std::int64_t>(reference_.size()) - i); }

  // Lists the moves of a word. Of its later positions in the reference, the nearest is enough: deletions lead from
  // there to the others.
  void moves(std::int32_t word, Moves<T>& moves) const {
    const auto last = static_cast<std::int32_t>(reference_.size());
    std::vector<std::int32_t> next(static_cast<std::size_t>(last) + 1, last);
    for (auto i = last; i-- > 0;) next[i] = reference_[i] == word ? i : next[i + 1];
    moves.begin.assign(1, 0);
    moves.all.clear();
    for (std::int32_t i = 0; i <= last; ++i) {
      if (i < last && next[i] == i) {
        moves.all.push_back({i + 1, 0});
      } else {
        if (i < last) moves.all.push_back({i + 1, 1});
        if (next[i] < last) moves.all.push_back({next[i] + 1, static_cast<T>(next[i] - i)});
        moves.all.push_back({i, 1});
      }
      moves.begin.push_back(static_cast<std::int32_t>(moves.all.size()));
    }
  }

 private:
  std::vector<std::int32_t> reference_;
  std::size_t blocks_;
  std::vector<std::vector<std::uint64_t>> equal_;  // by class: the positions of the word, as bits
  std::vector<std::uint64_t> nowhere_;
  std::uint64_t last_;  // the bits of the last block that are in use
};

// Columns of n-GRR: entry (i, m), at i * n + m, is the least cost with i words of the reference read, the last m of
// them matched in a row (Chiang & DeNeefe 2008, section 4). The base is the smallest entry.
template <typename T>
class GainColumns {
 public:
  using Value = T;

  GainColumns(std::vector<std::int32_t> reference, EditGains<T> gains)
      : reference_(std::move(reference)),
        gains_(gains),
        n_(gains.order),
        entries_((static_cast<std::int64_t>(reference_.size()) + 1) * n_),
        scratch_(static_cast<std::size_t>(entries_)) {
    // The head start is what a run of q matches may still gain more than a shorter one of m: more from each match that
    // continues both, until both are n - 1 long or the reference ends.
    const auto n = static_cast<std::size_t>(n_), lengths = std::min(n, reference_.size() + 1);
    head_start_.assign(lengths * n * n, 0);
    for (std::size_t left = 1; left < lengths; ++left)
      for (std::size_t m = 0; m < n; ++m)
        for (std::size_t q = m + 1; q < n; ++q)
          head_start_[(left * n + m) * n + q] =
              head_start_[((left - 1) * n + m) * n + q] +
              static_cast<T>(std::min(q + left - 1, n - 1) - std::min(m + left - 1, n - 1)) * gains_.unit;
  }

  std::int64_t entries() const { return entries_; }
  std::size_t width() const {
    return (static_cast<std::size_t>(entries_) * sizeof(T) + sizeof(PackedColumn) - 1) / sizeof(PackedColumn);
  }
  T unit() const { return gains_.unit; }
  double step_time() const { return 5 * static_cast<double>(entries_); }  // nanoseconds, about

  std::int64_t start(PackedColumn* column) const {
    const T never = std::numeric_limits<T>::max() / 2;
    auto& entry = scratch_;
    std::fill(entry.begin(), entry.end(), never);
    entry[0] = 0;
    relax(entry.data());
    return pack(entry.data(), column);
  }

  std::int64_t step(PackedColumn* column, std::int32_t word) const {
    const T never = std::numeric_limits<T>::max() / 2;
    auto& after = scratch_;
    const auto last = static_cast<std::int32_t>(reference_.size());
    before_.resize(after.size());
    unpack(column, before_.data());
    std::fill(after.begin(), after.end(), never);
    for (std::int32_t i = 0; i <= last; ++i) {
      const bool matches = i < last && reference_[i] == word;
      for (std::int32_t m = 0; m < gains_.distinct_runs(matches); ++m) {  // no run costs less than m = 0
        const T from = before_[gains_.state(i, m)];
        gains_.each_reading(i, m, i == last, matches, [&](std::int32_t j, std::int32_t run, T gain, Edit) {
          T& reached = after[gains_.state(j, run)];
          reached = std::min<T>(reached, from - gain);
        });
      }
    }
    relax(after.data());
    return pack(after.data(), column);
  }

  std::int64_t end(const PackedColumn* column) const {
    T entry;
    std::memcpy(&entry, reinterpret_cast<const char*>(column) + static_cast<std::size_t>(entries_ - n_) * sizeof(T),
                sizeof(T));
    return entry;
  }

  void unpack(const PackedColumn* column, T* entry) const {
    std::memcpy(entry, column, static_cast<std::size_t>(entries_) * sizeof(T));
  }

  std::int64_t pack(const T* entry, PackedColumn* column) const {
    const T base = *std::min_element(entry, entry + entries_);
    column[width() - 1] = 0;
    char* packed = reinterpret_cast<char*>(column);
    for (std::int64_t k = 0; k < entries_; ++k) {
      const T difference = entry[k] - base;
      std::memcpy(packed + static_cast<std::size_t>(k) * sizeof(T), &difference, sizeof(T));
    }
    return base;
  }

  // Adds deletions. Lowers entries so that a longer run costs at most as much as a shorter one plus its head start, and
  // a shorter run at most as much as a longer one.
  void relax(T* entry) const {
    const auto last = static_cast<std::int64_t>(reference_.size());
    for (std::int64_t i = 0; i <= last; ++i) {
      T* row = entry + i * n_;
      for (auto m = n_ - 1; m-- > 0;) row[m] = std::min(row[m], row[m + 1]);
      const auto left = std::min<std::int64_t>(last - i, n_ - 1);
      for (std::int32_t m = 0; m < n_; ++m)
        for (std::int32_t q = m + 1; q < n_; ++q)
          row[q] = std::min<T>(row[q], row[m] + head_start_[static_cast<std::size_t>((left * n_ + m) * n_ + q)]);
      if (i < last) row[n_] = std::min<T>(row[n_], row[0] - gains_.deletion);
    }
  }

  T ending(std::int64_t k) const {
    return static_cast<T>(-gains_.deletion * static_cast<T>(static_cast<std::int64_t>(reference_.size()) - k / n_));
  }

  void moves(std::int32_t word, Moves<T>& moves) const {
    const auto last = static_cast<std::int32_t>(reference_.size());
    moves.begin.assign(1, 0);
    moves.all.clear();
    for (std::int32_t i = 0; i <= last; ++i)
      for (std::int32_t m = 0; m < n_; ++m) {
        const auto add = [&](std::int32_t to, std::int32_t run, T gain) {
          moves.all.push_back({gains_.state(to, run), static_cast<T>(-gain)});
        };
        gains_.each_reading(i, m, i == last, false,
                            [&](std::int32_t to, std::int32_t run, T gain, Edit) { add(to, run, gain); });
        for (auto p = i; p < last; ++p)
          if (reference_[p] == word) gains_.match_at(i, m, p, add);
        moves.begin.push_back(static_cast<std::int32_t>(moves.all.size()));
      }
  }

 private:
  std::vector<std::int32_t> reference_;
  EditGains<T> gains_;
  std::int32_t n_;
  std::int64_t entries_;
  std::vector<T> head_start_;
  mutable std::vector<T> scratch_, before_;
};

}  // namespace latticemetric
