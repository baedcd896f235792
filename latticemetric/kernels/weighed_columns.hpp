// What a string gains so far, in every state of the metric's automata: a column, which determines all that follows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "budget.hpp"
#include "recognition_rows.hpp"
#include "weighed_bounds.hpp"

namespace latticemetric {

template <typename Gain>
class WeighedColumns {
  using Rows = RecognitionRows<Gain>;

 public:
  using Column = std::vector<Gain>;

  WeighedColumns(const WeighedLattice& lattice, const WeighedAutomata& automata, Gains gains)
      : lattice_(lattice), automata_(automata) {
    const Pay<Gain> pay{gains.order, static_cast<Gain>(gains.unit), static_cast<Gain>(gains.alpha),
                        static_cast<Gain>(gains.beta)};
    for (const auto& part : automata.parts()) rows_.emplace_back(part.reference, pay);
    find_followed();
  }

  void start(Column& column) const {
    column.resize(static_cast<std::size_t>(automata_.states()));
    for (std::size_t r = 0; r < rows_.size(); ++r) rows_[r].start(0, column.data() + automata_.parts()[r].first);
    forget(0, column);
  }

  // The column after one more arc.
  void say(const Gain* from, std::int64_t arc, Column& into) const {
    poll(4 * automata_.states());
    into.resize(static_cast<std::size_t>(automata_.states()));
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const auto& part = automata_.parts()[r];
      if (lattice_.label[arc] != 0)
        rows_[r].say(0, from + part.first, part.of_arc[arc], into.data() + part.first);
      else
        std::copy_n(from + part.first, rows_[r].states(), into.data() + part.first);
    }
    forget(lattice_.target[arc], into);
  }

  // The least loss of any completion.
  Loss bound(const Gain* column, const Loss* completions) const {
    bool is_first = true;
    Loss best{};
    for (const auto& part : automata_.parts())
      for (std::int32_t s = part.first; s < part.first + (part.size + 1) * automata_.order(); ++s) {
        if (Rows::is_nothing(column[s])) continue;
        const Loss loss = completions[s] + Loss{part.weight * column[s], 0, 0};
        if (is_first) best = loss;
        automata_.choose(best, loss);
        is_first = false;
      }
    return best;
  }

  // What a complete string loses by its gain.
  Loss ending(const Gain* column) const {
    Loss best{};
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const auto& part = automata_.parts()[r];
      const Loss loss{part.weight * column[part.first + rows_[r].final_states()], 0, 0};
      if (r == 0) best = loss;
      automata_.choose(best, loss);
    }
    return best;
  }

  // Where strings are to score ill: whatever follows, the first column loses at most so much more than the second.
  // Nothing if that is more than `limit`.
  std::optional<Wide> excess(const Gain* first, const Gain* second, Wide limit) const {
    for (const auto& part : automata_.parts())
      if (exceeds(part, first, second, limit)) return {};
    Wide most = 0;
    bool is_first = true;
    for (const auto& part : automata_.parts())
      for (std::int32_t s = part.first; s < part.first + (part.size + 1) * automata_.order(); ++s) {
        if (Rows::is_nothing(first[s])) continue;
        const Wide more = part.weight == 0 ? 0 : part.weight * (static_cast<Wide>(first[s]) - second[s]);
        most = is_first ? more : std::max(most, more);
        is_first = false;
      }
    return most;
  }

 private:
  static bool exceeds(const WeighedAutomata::Part& part, const Gain* first, const Gain* second, Wide limit) {
    if (part.weight == 0) return limit < 0;
    // What is nothing is twice as far away as any difference of two values, see `fits`.
    const Wide floor = limit / part.weight - (limit % part.weight < 0);
    const auto most = static_cast<Gain>(std::clamp<Wide>(floor, Rows::nothing / 2, -(Rows::nothing / 2)));
    first += part.first;
    second += part.first;
    const auto states = static_cast<std::int32_t>((part.size + 1) * static_cast<std::int32_t>(part.match.size()));
    std::int32_t exceeding = 0;  // without a branch, so that the loop takes several states at a time
    for (std::int32_t s = 0; s < states; ++s)
      exceeding |= static_cast<std::int32_t>(first[s] > Rows::nothing / 2) & static_cast<std::int32_t>(first[s] - second[s] > most);
    return exceeding != 0;
  }

  // Matches in a row count on only if the next word can match: elsewhere states (i, m) are (i, 0), which gains no less.
  void forget(std::int32_t v, Column& column) const {
    const std::uint8_t* followed = followed_.data() + static_cast<std::size_t>(v) * words_;
    for (const auto& part : automata_.parts()) {
      Gain* state = column.data() + part.first;
      for (std::int32_t i = 0; i <= part.size; ++i, state += automata_.order(), ++followed)
        if (!*followed) std::fill(state + 1, state + automata_.order(), Rows::nothing);
    }
  }

  // Which words of the references can be the next one.
  void find_followed() {
    for (const auto& part : automata_.parts()) words_ += static_cast<std::size_t>(part.size) + 1;
    followed_.assign(static_cast<std::size_t>(lattice_.states) * words_, 0);
    for (std::int64_t a = lattice_.arcs - 1; a >= 0; --a) {
      poll(static_cast<std::int64_t>(words_));
      std::uint8_t* into = followed_.data() + static_cast<std::size_t>(lattice_.source[a]) * words_;
      const std::uint8_t* from = followed_.data() + static_cast<std::size_t>(lattice_.target[a]) * words_;
      for (const auto& part : automata_.parts())
        for (std::int32_t i = 0; i <= part.size; ++i, ++into, ++from)
          *into |= lattice_.label[a] == 0 ? *from : i < part.size && part.reference[i] == part.of_arc[a];
    }
  }

  const WeighedLattice& lattice_;
  const WeighedAutomata& automata_;
  std::vector<Rows> rows_;
  std::size_t words_ = 0;
  std::vector<std::uint8_t> followed_;  // by lattice state, reference and word
};

// Columns, each of them once.
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
