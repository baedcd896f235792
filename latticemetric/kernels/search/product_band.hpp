// The product of a long lattice with the automaton of a recognition rate: only the states that a best path may pass.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "graphs/lattice.hpp"
#include "memory/budget.hpp"
#include "recognition/automaton.hpp"
#include "recognition/frequent_words.hpp"
#include "recognition/incoming_words.hpp"
#include "recognition/reference_positions.hpp"
#include "search/prefix_bounds.hpp"

namespace latticemetric {

// How many positions before a raised value are tried together for deletions.
inline constexpr std::int32_t deletion_stretch = 8;

// By how many errors a position may be worse than the best one of its state in the beam.
inline constexpr std::int32_t beam_width = 16;

// Holds the values B(s, i, m) of `ProductTable`, relative to par, where they may belong to a best path. Relative to
// par, values are small, and comparable between positions. A negated value is the loss of the rest of the path: it
// grows with the errors, not with the words.
//
// Each state of the lattice has a window of positions (Ukkonen 1985). A position at either end is left out if the loss
// from there on, plus a lower bound of the loss before it, exceeds the known loss of some path. So no best path is left
// out, and the values of best paths are exact. Other values inside a window may be too small, but never too large.
//
// The known loss comes from a beam: the same windows, but pruned where they are much worse than the best position. The
// loss of a real path makes the windows of the second pass safe, however good or bad the beam was.
//
// Values after m matches in a row are kept only at positions where an arc into the state may have matched the word
// before: no path has them elsewhere.
//
// Cells of 16 bits store a value minus an expected loss, which is the same for each remaining position. So they have
// room for most alignments, even those that are nearly all errors. A value that may belong to a best path and does not
// fit is detected.
//
// Rows stay in memory until they take too much of it. Then the rows that arcs still lead to are saved, and the others
// are dropped. To read all values, from the start to the end, rows are computed again, one part of the lattice at a
// time. By then it is known where best paths enter a part and how much they lose from there on, so windows are much
// narrower.
template <typename Cell, typename V, typename Objective>
class ProductBand {
  using Loss = PrefixBounds::Loss;

 public:
  using Value = V;

  ProductBand(const Lattice& lattice, const std::int64_t* begin, const ReferencePositions& positions,
              const PrefixBounds& prefix_bounds, std::int32_t size, Gains gains, const Objective& objective,
              std::size_t part_bytes)
      : lattice_(lattice),
        begin_(begin),
        positions_(positions),
        prefix_bounds_(prefix_bounds),
        size_(size),
        rate_(gains),
        gains_(gains, true),
        objective_(objective),
        part_bytes_(part_bytes),
        cursors_(positions),
        frequent_(positions, size, 12),  // the fastest, measured on words and on letters
        incoming_(gains_.order > 1 ? std::optional<IncomingWords>(std::in_place, lattice, positions) : std::nullopt),
        rows_(static_cast<std::size_t>(lattice.states)),
        first_source_(static_cast<std::size_t>(lattice.states), lattice.states),
        positions_row_(static_cast<std::size_t>(size) + deletion_stretch + 1 + 2 * block, unreachable),
        runs_at_(static_cast<std::size_t>(gains_.order > 1 ? size + 1 : 0), none) {
    for (std::int64_t a = lattice.arcs; a-- > 0;) first_source_[lattice.target[a]] = lattice.source[a];
  }

  EditGains<Value> gains() const { return EditGains<Value>(rate_, true); }

  // Returns the loss of some path, found by the beam. It need not be the least.
  Loss beam() {
    is_beam_ = true;
    // The expected loss of a word: half of par, or four fifths where an error also breaks runs of matches.
    const double share = gains_.order == 1 ? 0.5 : 0.8;
    for (std::int32_t i = 0; i <= size_; ++i) expected_.push_back(static_cast<Cell>(-share * gains_.substitution * i));
    complete_all();
    const Loss lost = -static_cast<Loss>(value(0, 0, 0));
    is_beam_ = false;
    return lost;
  }

  // Computes the windows of paths that lose at most `most`. Returns the loss of the best path, or nothing if cells are
  // too small. Paths that lose up to `slack` more than the best are kept, too.
  std::optional<Loss> fill(Loss most, Loss slack) {
    most_ = most + slack;
    if (is_narrow) set_expected_loss(most);
    complete_all();
    if (overflows_) return std::nullopt;
    best_ = -static_cast<Loss>(value(0, 0, 0));
    most_ = best_ + slack;
    return best_;
  }

  // Returns the value of a state that is in memory, or that an arc of such a state leads to.
  Value value(std::int32_t s, std::int32_t i, std::int32_t m) const {
    const Row& row = rows_[s];
    if (i < row.first || i >= row.last) return no_value<Value>;
    if (m > 0 && row.runs > 0) {
      const auto* const begin = run_positions_.data() + row.runs_at;
      const auto* const found = std::lower_bound(begin, begin + row.runs, i);
      if (found != begin + row.runs && *found == i) return value(i, runs_[run_index(row, found - begin) + m - 1]);
    }
    return value(i, values_[row.at + (i - row.first)]);
  }

  // Visits all states of the lattice once, from the start on: calls visit(first, last) while the values of states first
  // .. last are in memory. `visit` must call `note_entry` for each product state after `last` to which best paths lead.
  template <typename Visit>
  void each_part(Visit visit) {
    std::int32_t first = 0;
    for (auto part = saved_.size();; --part) {
      const std::int32_t last = part == 0 ? lattice_.states - 1 : saved_[part - 1].below;
      if (part < saved_.size()) {
        select(last);
        if (part > 0)
          restore(saved_[part - 1]);
        else
          clear();
        for (std::int32_t s = last; s >= first; --s) complete(s);
      }
      visit(first, last);
      if (part == 0) return;
      first = last + 1;
    }
  }

  void note_entry(std::int32_t s, std::int32_t i, std::int32_t m) {
    if (!saved_.empty()) entries_.push_back({s, i, -static_cast<Loss>(value(s, i, m))});
  }

 private:
  static constexpr bool is_narrow = sizeof(Cell) == 2;
  static constexpr std::int32_t block = std::max<std::int32_t>(2, 32 / static_cast<std::int32_t>(sizeof(Cell)));
  static constexpr Cell unreachable = no_value<Cell>, least = unreachable + 1;
  static constexpr std::int32_t none = -1;

  // The row of a state: values for positions first .. last - 1, and runs: positions that also have values after
  // matches.
  struct Row {
    std::int32_t first = 0, last = 0;
    std::size_t at = 0;       // of the first position in `values_`; around the row, cells are unreachable
    std::size_t runs_at = 0;  // of the first run in `run_positions_`
    std::int32_t runs = 0;
  };

  // Makes room in cells for losses of up to `most`: each position is expected to lose an equal part of it.
  void set_expected_loss(Loss most) {
    const Loss of_error = -std::max(gains_.substitution, gains_.deletion);
    expected_loss_ = most < -unreachable ? 0 : static_cast<Value>(std::min<Loss>(most / std::max(size_, 1), of_error));
    gains_.substitution = static_cast<Cell>(gains_.substitution + expected_loss_);
    gains_.deletion = static_cast<Cell>(gains_.deletion + expected_loss_);
  }
  Value value(std::int32_t i, Cell cell) const { return static_cast<Value>(cell - expected_loss_ * (size_ - i)); }

  struct Saved {
    std::int32_t below;  // this state and smaller ones were not completed yet
    std::vector<std::int32_t> states, run_positions;
    std::vector<Row> rows;
    std::vector<Cell> values, runs;
  };

  // ---- Where best paths enter a part --------------------------------------------------------------------------------

  // A product state where a best path enters a part, and its loss from there on.
  struct Entry {
    std::int32_t state, position;
    Loss lost;
  };

  // Limits the windows of a part, up to state `last`, by the states where best paths enter it.
  void select(std::int32_t last) {
    const auto is_later = [&](const Entry& one) { return one.state > last; };
    const auto later = std::partition(entries_.begin(), entries_.end(), is_later);
    entry_bounds_.emplace(prefix_bounds_);
    for (auto one = later; one != entries_.end(); ++one)
      entry_bounds_->add(one->state, one->position, best_ - one->lost);
    entries_.erase(later, entries_.end());
  }

  // ---- Rows in memory ---------------------------------------------------------------------------------------------

  void complete_all() {
    clear();
    saved_.clear();
    std::vector<std::int32_t> open;  // states that arcs may still lead to
    for (std::int32_t s = lattice_.states - 1; s >= 0 && !overflows_; --s) {
      if (bytes() > part_bytes_) {
        open = save(s, open);
        part_bytes_ = std::max(part_bytes_, 2 * bytes());
      }
      complete(s);
      open.push_back(s);
    }
  }

  std::size_t bytes() const {
    return (values_.size() + runs_.size()) * sizeof(Cell) + run_positions_.size() * sizeof(std::int32_t);
  }

  void clear() {
    values_.clear();
    runs_.clear();
    run_positions_.clear();
  }

  std::vector<std::int32_t> save(std::int32_t below, const std::vector<std::int32_t>& open) {
    Saved saved;
    saved.below = below;
    for (const auto s : open) {
      poll(10);
      if (first_source_[s] > below) continue;
      Row row = rows_[s];
      saved.states.push_back(s);
      const auto begin = values_.begin() + static_cast<std::ptrdiff_t>(row.at) - 1;
      const auto runs = runs_.begin() + static_cast<std::ptrdiff_t>(run_index(row, 0));
      const auto positions = run_positions_.begin() + static_cast<std::ptrdiff_t>(row.runs_at);
      row.at = saved.values.size() + 1;
      row.runs_at = saved.run_positions.size();
      if (row.first < row.last) saved.values.insert(saved.values.end(), begin, begin + stored(row));
      saved.runs.insert(saved.runs.end(), runs, runs + row.runs * (gains_.order - 1));
      saved.run_positions.insert(saved.run_positions.end(), positions, positions + row.runs);
      saved.rows.push_back(row);
    }
    restore(saved);
    auto states = saved.states;
    if (!is_beam_) saved_.push_back(std::move(saved));
    return states;
  }

  void restore(const Saved& saved) {
    values_ = saved.values;
    runs_ = saved.runs;
    run_positions_ = saved.run_positions;
    for (std::size_t k = 0; k < saved.states.size(); ++k) rows_[saved.states[k]] = saved.rows[k];
  }

  static std::int32_t stored(const Row& row) { return 1 + row.last - row.first + block + 1; }
  std::size_t run_index(const Row& row, std::ptrdiff_t k) const {
    return (row.runs_at + static_cast<std::size_t>(k)) * static_cast<std::size_t>(gains_.order - 1);
  }

  // ---- The row of a state -----------------------------------------------------------------------------------------

  void complete(std::int32_t s) {
    Row& row = rows_[s];
    row = Row();
    const auto [first, last] = reachable_window(s);
    if (first >= last) return;
    Cell* const here = positions_row_.data() + deletion_stretch;
    std::fill(here + first - 1, here + last + block, unreachable);
    if (lattice_.is_final(s)) here[size_] = static_cast<Cell>(-objective_.end_cost(s));
    raised_.clear();
    raised_everywhere_ = false;
    for (auto a = begin_[s]; a < begin_[s + 1]; ++a) relax(a, here);
    if (incoming_) incoming_->select(s);
    for (auto a = begin_[s]; a < begin_[s + 1]; ++a) relax_matches(a, here);
    delete_words(s, here, first, last);
    row.first = first;
    row.last = last;
    settle_runs(here);
    prune(s, here, row);
    store(s, here, row);
  }

  // Returns the window of positions that the arcs and the end of a state reach without deletions before them.
  std::pair<std::int32_t, std::int32_t> reachable_window(std::int32_t s) const {
    std::int32_t first = size_ + 1, last = 0;
    if (lattice_.is_final(s)) first = size_, last = size_ + 1;
    for (auto a = begin_[s]; a < begin_[s + 1]; ++a) {
      const Row& next = rows_[lattice_.target[a]];
      if (next.first >= next.last) continue;
      first = std::min(first, first_before(a, next));
      last = std::max(last, next.last);
    }
    return {first, last};
  }
  std::int32_t first_before(std::int64_t a, const Row& next) const {
    return lattice_.label[a] != 0 && next.first > 0 ? next.first - 1 : next.first;
  }

  // Relaxes an arc without its matches. For a frequent word, relaxes its matches, too. This and `relax_matches` are an
  // unrolled form of `EditGains::each_reading`.
  void relax(std::int64_t a, Cell* here) {
    const Row& next = rows_[lattice_.target[a]];
    if (next.first >= next.last) return;
    const auto cost = static_cast<Cell>(objective_.cost(a));
    const std::int32_t first = first_before(a, next), size = next.last - first;
    poll(size / 4);
    const Cell* const from = values_.data() + next.at - (next.first - first);
    const auto insertion = static_cast<Cell>(gains_.insertion - cost);
    if (lattice_.label[a] == 0) {
      keep_better(here + first, from, cost, size);
    } else if (frequent_.has(a)) {
      raised_everywhere_ = true;
      const Cell* const gains = frequent_.positions(a, gains_.match(0), gains_.substitution);
      match_or_insert(here + first, from, gains + first, cost, insertion, size);
    } else {
      substitute_or_insert(here + first, from, static_cast<Cell>(gains_.substitution - cost), insertion, size);
    }
  }

  // The loops take whole blocks: beyond a row, values are unreachable and never win a maximum.
  static void keep_better(Cell* __restrict into, const Cell* __restrict from, Cell cost, std::int32_t size) {
    for (std::int32_t b = 0; b < size; b += block)
      for (std::int32_t k = b; k < b + block; ++k) into[k] = std::max(into[k], static_cast<Cell>(from[k] - cost));
  }
  static void substitute_or_insert(Cell* __restrict into, const Cell* __restrict from, Cell substitution,
                                   Cell insertion, std::int32_t size) {
    for (std::int32_t b = 0; b < size; b += block)
      for (std::int32_t k = b; k < b + block; ++k)
        into[k] = std::max(into[k], std::max(static_cast<Cell>(from[k + 1] + substitution),
                                             static_cast<Cell>(from[k] + insertion)));
  }

  static void match_or_insert(Cell* __restrict into, const Cell* __restrict from, const Cell* __restrict gain,
                              Cell cost, Cell insertion, std::int32_t size) {
    for (std::int32_t b = 0; b < size; b += block)
      for (std::int32_t k = b; k < b + block; ++k)
        into[k] = std::max(into[k], std::max(static_cast<Cell>(from[k + 1] + static_cast<Cell>(gain[k] - cost)),
                                             static_cast<Cell>(from[k] + insertion)));
  }

  // Relaxes the matches of an arc, after runs of all lengths. For ε, copies the runs of its target.
  void relax_matches(std::int64_t a, Cell* here) {
    const Row& next = rows_[lattice_.target[a]];
    if (next.first >= next.last) return;
    const auto cost = static_cast<Cell>(objective_.cost(a));
    const auto* const after = run_positions_.data() + next.runs_at;
    if (lattice_.label[a] == 0) {
      for (std::int32_t k = 0; k < next.runs; ++k) {
        if (!incoming_->may_match_before(after[k])) continue;
        Cell* const runs = runs_before(after[k]);
        const Cell* const from = runs_.data() + run_index(next, k);
        for (std::int32_t m = 0; m < gains_.order - 1; ++m)
          runs[m] = std::max(runs[m], static_cast<Cell>(from[m] - cost));
      }
      return;
    }
    const bool is_frequent = frequent_.has(a);
    if (!positions_.has(a) || (is_frequent && !incoming_)) return;
    const Cell* const from = values_.data() + next.at - next.first;
    std::int32_t k = 0;
    const auto* const first = cursors_.from(a, next.first - 1);
    const auto* position = first;
    for (; *position >= 0 && *position + 1 < next.last; ++position) {
      const std::int32_t i = *position;
      while (k < next.runs && after[k] < i + 1) ++k;
      const bool has_runs = k < next.runs && after[k] == i + 1;
      const Cell* const runs_from = has_runs ? runs_.data() + run_index(next, k) : nullptr;
      const auto matched = [&](std::int32_t m) {
        const Cell rest = has_runs ? runs_from[gains_.next_run(m) - 1] : from[i + 1];
        return static_cast<Cell>(rest + gains_.match(m) - cost);
      };
      if (has_runs || !is_frequent) {
        if (const Cell value = matched(0); value > here[i]) {
          here[i] = value;
          raised_.push_back(i);
        }
      }
      if (!incoming_ || !incoming_->may_match_before(i)) continue;
      Cell* const runs = runs_before(i);
      for (std::int32_t m = 1; m < gains_.order; ++m) runs[m - 1] = std::max(runs[m - 1], matched(m));
    }
    poll(4 * (position - first));
  }

  // Returns the values after 1 .. order - 1 matches before a position of the row at hand; adds them if they are
  // missing.
  Cell* runs_before(std::int32_t i) {
    const auto size = static_cast<std::size_t>(gains_.order - 1);
    if (runs_at_[i] == none) {
      runs_at_[i] = static_cast<std::int32_t>(found_positions_.size());
      found_positions_.push_back(i);
      found_runs_.resize(found_runs_.size() + size, unreachable);
    }
    return found_runs_.data() + static_cast<std::size_t>(runs_at_[i]) * size;
  }

  // Adds deletions. A row that has them keeps them under shifts and maxima, except where it begins and where matches
  // raised a value, so deletions are only tried before those positions. Where deleting one word does not pay, deleting
  // more does not, either. Mostly it pays for few words only. So a stretch of positions is done at once, without a test
  // of where it ends.
  void delete_words(std::int32_t s, Cell* here, std::int32_t first, std::int32_t last) {
    if (raised_everywhere_) return delete_everywhere(here, first, last);
    Cell deletions[deletion_stretch];  // of stretch - k deletions; the reference has only `size_` words
    for (std::int32_t k = 0; k < deletion_stretch; ++k)
      deletions[k] = static_cast<Cell>(gains_.deletion * std::min(deletion_stretch - k, size_));
    std::int64_t work = 0;
    const auto delete_before = [&](std::int32_t position) {
      for (; position > first; position -= deletion_stretch) {
        ++work;
        Cell* const part = here + position - deletion_stretch;
        const Cell from = here[position], furthest = part[0];
        for (std::int32_t k = 0; k < deletion_stretch; ++k)
          part[k] = std::max(part[k], static_cast<Cell>(from + deletions[k]));
        if (part[0] == furthest) return;
      }
    };
    if (lattice_.is_final(s)) delete_before(size_);
    for (auto a = begin_[s]; a < begin_[s + 1]; ++a) {
      const Row& next = rows_[lattice_.target[a]];
      if (next.first < next.last) delete_before(first_before(a, next));
    }
    for (const auto position : raised_) delete_before(position);
    poll(work);
  }

  // Tests whole blocks first: in most of them, deleting pays nowhere.
  void delete_everywhere(Cell* here, std::int32_t first, std::int32_t last) {
    poll((last - first) / 4);
    const Cell deletion = gains_.deletion;
    std::int32_t i = last - 1;
    for (; i - block >= first; i -= block) {
      const Cell* const part = here + i - block;
      Cell pays = 0;
      for (std::int32_t k = 0; k < block; ++k)
        pays = static_cast<Cell>(pays | -(part[k] < static_cast<Cell>(part[k + 1] + deletion)));
      if (pays != 0) delete_between(here, i - block, i);
    }
    delete_between(here, first, i);
  }
  void delete_between(Cell* here, std::int32_t first, std::int32_t last) {
    for (std::int32_t i = last; i-- > first;)
      here[i] = std::max(here[i], static_cast<Cell>(here[i + 1] + gains_.deletion));
  }

  // Raises values after runs to the value without a run: a longer run is worth no less than a shorter one.
  void settle_runs(const Cell* here) {
    const auto size = static_cast<std::size_t>(gains_.order - 1);
    for (std::size_t k = 0; k < found_positions_.size(); ++k)
      for (std::size_t m = 0; m < size; ++m)
        found_runs_[k * size + m] = std::max(found_runs_[k * size + m], here[found_positions_[k]]);
  }

  // ---- Windows ----------------------------------------------------------------------------------------------------

  void prune(std::int32_t s, Cell* here, Row& row) {
    if (!is_beam_ && !prefix_bounds_.are_valid()) {
      while (row.first > 0) add_deletion(here, row);
    } else if (is_beam_) {
      Cell best = unreachable;
      for (std::int32_t i = row.first; i < row.last; ++i)
        best = std::max(best, static_cast<Cell>(here[i] - expected_[i]));
      const auto least = static_cast<Cell>(best + Cell{beam_width} * gains_.substitution);
      prune(here, row, [&](std::int32_t i) { return here[i] - expected_[i] >= least; });
      if (s == 0)  // position 0 of the start must be kept: any path will do
        while (row.first > 0) add_deletion(here, row);
    } else {
      prune(here, row, [&](std::int32_t i) { return is_within_bounds(s, i, largest_value(here, i)); });
    }
  }

  // Returns whether a path with this value from there on may be good enough.
  bool is_within_bounds(std::int32_t s, std::int32_t i, Cell cell) const {
    if (is_beam_ || !prefix_bounds_.are_valid()) return true;
    const Loss lost = -static_cast<Loss>(value(i, cell));
    return prefix_bounds_.at(s, i) + lost <= most_ && (!entry_bounds_ || entry_bounds_->at(s, i) + lost <= most_);
  }

  template <typename IsKept>
  void prune(Cell* here, Row& row, IsKept is_kept) {
    const std::int32_t first = row.first;
    while (row.last > row.first && !is_kept(row.last - 1)) --row.last;
    while (row.first < row.last && !is_kept(row.first)) ++row.first;
    if (row.first > first) return;
    while (row.first < row.last && row.first > 0) {
      add_deletion(here, row);
      if (is_kept(row.first)) continue;
      ++row.first;
      return;
    }
  }

  void add_deletion(Cell* here, Row& row) {
    poll();
    --row.first;
    here[row.first] = static_cast<Cell>(here[row.first + 1] + gains_.deletion);
  }

  // Returns the largest of all values of a position, with and without runs.
  Cell largest_value(const Cell* here, std::int32_t i) const {
    const auto size = static_cast<std::size_t>(gains_.order - 1);
    if (size == 0 || runs_at_[i] == none) return here[i];
    return found_runs_[(static_cast<std::size_t>(runs_at_[i]) + 1) * size - 1];
  }

  // Raises values that are too low for a cell, where no best path passes, and detects values that do not fit. If a
  // 16-bit sum underflows, it becomes a large positive value, which is detected, too.
  void clamp_cells(std::int32_t s, Cell* here, const Row& row) {
    Cell lowest = 0, highest = 0;
    for (std::int32_t i = row.first; i < row.last; ++i) {
      lowest = std::min(lowest, here[i]);
      highest = std::max(highest, here[i]);
    }
    overflows_ |= highest > -unreachable;
    if (lowest > unreachable) return;
    for (std::int32_t i = row.first; i < row.last; ++i) {
      if (here[i] > unreachable) continue;
      here[i] = least;
      overflows_ |= is_within_bounds(s, i, least);
    }
  }

  void store(std::int32_t s, Cell* here, Row& row) {
    const auto size = static_cast<std::size_t>(gains_.order - 1);
    row.at = values_.size() + 1;
    row.runs_at = run_positions_.size();
    if (row.first < row.last) {
      if (is_narrow) clamp_cells(s, here, row);
      values_.push_back(unreachable);
      values_.insert(values_.end(), here + row.first, here + row.last);
      values_.insert(values_.end(), static_cast<std::size_t>(block) + 1, unreachable);
    }
    poll(static_cast<std::int64_t>(10 * found_positions_.size()));
    const auto runs = [&](std::int32_t i) { return found_runs_.data() + static_cast<std::size_t>(runs_at_[i]) * size; };
    for (const auto i : found_positions_)
      if (i >= row.first && i < row.last && largest_value(here, i) > here[i] &&
          is_within_bounds(s, i, largest_value(here, i)))
        run_positions_.push_back(i);
    std::sort(run_positions_.begin() + static_cast<std::ptrdiff_t>(row.runs_at), run_positions_.end());
    row.runs = static_cast<std::int32_t>(run_positions_.size() - row.runs_at);
    for (auto k = row.runs_at; k < run_positions_.size(); ++k)
      for (std::size_t m = 0; m < size; ++m) runs_.push_back(std::max(runs(run_positions_[k])[m], least));
    for (const auto i : found_positions_) runs_at_[i] = none;
    found_positions_.clear();
    found_runs_.clear();
  }

  const Lattice& lattice_;
  const std::int64_t* const begin_;
  const ReferencePositions& positions_;
  const PrefixBounds& prefix_bounds_;
  const std::int32_t size_;
  const Gains rate_;
  EditGains<Cell> gains_;
  const Objective& objective_;
  std::size_t part_bytes_;
  PositionCursors cursors_;
  FrequentWords<Cell> frequent_;
  std::optional<IncomingWords> incoming_;  // only if matches in a row count
  std::vector<Row> rows_;
  std::vector<std::int32_t> first_source_;  // by state: the first state with an arc to it

  std::vector<Cell> values_, runs_;       // of the states in memory
  std::vector<std::int32_t> run_positions_;
  std::vector<Saved> saved_;
  bool is_beam_ = false;
  Loss most_ = 0, best_ = 0;
  std::vector<Entry> entries_;            // that lie beyond the part at hand
  std::optional<PrefixBounds::EntryBounds> entry_bounds_;  // of the part at hand, if it is computed again
  Value expected_loss_ = 0;               // per position; a cell has it added for each position that is left
  bool overflows_ = false;                // some cell cannot hold its value
  std::vector<Cell> expected_;            // by position: the loss before it that a beam expects

  std::vector<Cell> positions_row_;          // the row of the state at hand, from position -deletion_stretch on
  std::vector<std::int32_t> raised_;      // positions of it where a match raised the value
  bool raised_everywhere_ = false;        // `raised_` does not list all of them
  std::vector<std::int32_t> runs_at_;     // by position: where its runs are in `found_runs_`, or none
  std::vector<std::int32_t> found_positions_;
  std::vector<Cell> found_runs_;
};

}  // namespace latticemetric
