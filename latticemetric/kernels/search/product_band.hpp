// The recognition-rate automaton fused with a long lattice: only those of their states that a best path may pass.
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

// Places before a larger value at which deletions are tried together.
inline constexpr std::int32_t deletion_stretch = 8;

// The values B(s, i, m) of `RecognitionTable`, at par, where they may belong to a best path. Par makes them small, and
// comparable over places: minus a value is what is lost from there on, and grows with the errors, not with the words.
//
// Each state has a window of places (Ukkonen 1985). A place at either end of it is left out if what is lost from there
// on and what is lost before at least are more together than what some path is known to lose: so a best path is never
// left out, and its values are exact. A place inside keeps a value that is perhaps too small, and too small it stays.
//
// How much some path loses is found by a beam: the same windows, cut where they promise much less than the best place
// does. Cut by what a path is known to lose, the windows are certain, whatever the beam has found.
//
// Values after m matches in a row are kept only where an arc into the state may have matched the word before the place:
// no path has them elsewhere.
//
// Cells of 16 bits hold a value and what was expected to be lost in its stead, so much for each place that is left. So
// they are large enough for most alignments that are nearly all errors. A value that a cell cannot hold and that may
// belong to a best path is noticed.
//
// Rows stay in memory until they are too many. Then those that arcs still lead to are saved, and the others dropped; to
// read the values, from the start to the end, they are completed again a part at a time. By then it is known where best
// paths enter a part and what they lose from there on: so the windows are much smaller.
template <typename Cell, typename V, typename Rule>
class RecognitionBand {
  using Loss = PrefixLosses::Loss;

 public:
  using Value = V;

  RecognitionBand(const Lattice& graph, const std::int64_t* begin, const ReferencePlaces& places,
                  const PrefixLosses& before, std::int32_t size, Gains gains, const Rule& rule,
                  std::size_t part_bytes)
      : graph_(graph),
        begin_(begin),
        places_(places),
        before_(before),
        size_(size),
        rate_(gains),
        gains_(gains, true),
        rule_(rule),
        part_bytes_(part_bytes),
        cursors_(places),
        frequent_(places, size, 12),  // measured on words and on letters
        entering_(gains_.order > 1 ? std::optional<EnteringWords>(std::in_place, graph, places) : std::nullopt),
        rows_(static_cast<std::size_t>(graph.states)),
        first_source_(static_cast<std::size_t>(graph.states), graph.states),
        places_row_(static_cast<std::size_t>(size) + deletion_stretch + 1 + 2 * block, nothing),
        runs_at_(static_cast<std::size_t>(gains_.order > 1 ? size + 1 : 0), none) {
    for (std::int64_t a = graph.arcs; a-- > 0;) first_source_[graph.target[a]] = graph.source[a];
  }

  EditGains<Value> gains() const { return EditGains<Value>(rate_, true); }

  // What some path loses. It may be the least; nothing says so.
  Loss beam() {
    is_beam_ = true;
    // With each word so much is expected to be lost before: half of par, or four fifths where an error costs runs.
    const double share = gains_.order == 1 ? 0.5 : 0.8;
    for (std::int32_t i = 0; i <= size_; ++i) expected_.push_back(static_cast<Cell>(-share * gains_.substitution * i));
    complete_all();
    const Loss lost = -static_cast<Loss>(value(0, 0, 0));
    is_beam_ = false;
    return lost;
  }

  // Windows for paths that lose at most so much, and what the best one loses. `slack` is how much more others may.
  // Nothing if cells are too small.
  std::optional<Loss> fill(Loss most, Loss slack) {
    most_ = most + slack;
    if (is_narrow) expect(most);
    complete_all();
    if (is_beyond_) return std::nullopt;
    best_ = -static_cast<Loss>(value(0, 0, 0));
    most_ = best_ + slack;
    return best_;
  }

  // Of the states that are in memory, and of those that arcs of these lead to.
  Value value(std::int32_t s, std::int32_t i, std::int32_t m) const {
    const Row& row = rows_[s];
    if (i < row.first || i >= row.last) return no_value<Value>;
    if (m > 0 && row.runs > 0) {
      const auto* const begin = run_places_.data() + row.runs_at;
      const auto* const found = std::lower_bound(begin, begin + row.runs, i);
      if (found != begin + row.runs && *found == i) return value(i, runs_[run_index(row, found - begin) + m - 1]);
    }
    return value(i, values_[row.at + (i - row.first)]);
  }

  // Visits all states once, from the start on: visit(first, last) while the values of first .. last are in memory. For
  // a state beyond them, it says by `pass` what best paths pass.
  template <typename Visit>
  void each_part(Visit visit) {
    std::int32_t first = 0;
    for (auto part = saved_.size();; --part) {
      const std::int32_t last = part == 0 ? graph_.states - 1 : saved_[part - 1].below;
      if (part < saved_.size()) {
        enter(last);
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

  void pass(std::int32_t s, std::int32_t i, std::int32_t m) {
    if (!saved_.empty()) passed_.push_back({s, i, -static_cast<Loss>(value(s, i, m))});
  }

 private:
  static constexpr bool is_narrow = sizeof(Cell) == 2;
  static constexpr std::int32_t block = std::max<std::int32_t>(2, 32 / static_cast<std::int32_t>(sizeof(Cell)));
  static constexpr Cell nothing = no_value<Cell>, least = nothing + 1;
  static constexpr std::int32_t none = -1;

  // Places first .. last - 1 of a state, and which of them have values of their own after matches.
  struct Row {
    std::int32_t first = 0, last = 0;
    std::size_t at = 0;       // of the first place among all values; one before and a block after it are nothing
    std::size_t runs_at = 0;  // of the first place with such values
    std::int32_t runs = 0;
  };

  // Cells hold values that lose at most so much; each place is expected to lose its part of it.
  void expect(Loss most) {
    const Loss of_error = -std::max(gains_.substitution, gains_.deletion);
    expected_loss_ = most < -nothing ? 0 : static_cast<Value>(std::min<Loss>(most / std::max(size_, 1), of_error));
    gains_.substitution = static_cast<Cell>(gains_.substitution + expected_loss_);
    gains_.deletion = static_cast<Cell>(gains_.deletion + expected_loss_);
  }
  Value value(std::int32_t i, Cell cell) const { return static_cast<Value>(cell - expected_loss_ * (size_ - i)); }

  struct Saved {
    std::int32_t below;  // from this state on, none was completed yet
    std::vector<std::int32_t> states, run_places;
    std::vector<Row> rows;
    std::vector<Cell> values, runs;
  };

  // ---- Where best paths enter a part --------------------------------------------------------------------------------

  // What best paths pass: a state, a place, and what is lost from there on.
  struct Passed {
    std::int32_t state, place;
    Loss lost;
  };

  // Limits the windows of a part, up to state `last`, by what best paths pass first in it.
  void enter(std::int32_t last) {
    const auto is_later = [&](const Passed& one) { return one.state > last; };
    const auto later = std::partition(passed_.begin(), passed_.end(), is_later);
    entry_.emplace(before_);
    for (auto one = later; one != passed_.end(); ++one) entry_->add(one->state, one->place, best_ - one->lost);
    passed_.erase(later, passed_.end());
  }

  // ---- Rows in memory ---------------------------------------------------------------------------------------------

  void complete_all() {
    clear();
    saved_.clear();
    std::vector<std::int32_t> open;  // states that something may still lead to
    for (std::int32_t s = graph_.states - 1; s >= 0 && !is_beyond_; --s) {
      if (bytes() > part_bytes_) {
        open = save(s, open);
        part_bytes_ = std::max(part_bytes_, 2 * bytes());
      }
      complete(s);
      open.push_back(s);
    }
  }

  std::size_t bytes() const {
    return (values_.size() + runs_.size()) * sizeof(Cell) + run_places_.size() * sizeof(std::int32_t);
  }

  void clear() {
    values_.clear();
    runs_.clear();
    run_places_.clear();
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
      const auto places = run_places_.begin() + static_cast<std::ptrdiff_t>(row.runs_at);
      row.at = saved.values.size() + 1;
      row.runs_at = saved.run_places.size();
      if (row.first < row.last) saved.values.insert(saved.values.end(), begin, begin + stored(row));
      saved.runs.insert(saved.runs.end(), runs, runs + row.runs * (gains_.order - 1));
      saved.run_places.insert(saved.run_places.end(), places, places + row.runs);
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
    run_places_ = saved.run_places;
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
    const auto [first, last] = reach(s);
    if (first >= last) return;
    Cell* const here = places_row_.data() + deletion_stretch;
    std::fill(here + first - 1, here + last + block, nothing);
    if (graph_.is_final(s)) here[size_] = static_cast<Cell>(-rule_.end_cost(s));
    raised_.clear();
    raised_everywhere_ = false;
    for (auto a = begin_[s]; a < begin_[s + 1]; ++a) take(a, here);
    if (entering_) entering_->enter(s);
    for (auto a = begin_[s]; a < begin_[s + 1]; ++a) match(a, here);
    delete_words(s, here, first, last);
    row.first = first;
    row.last = last;
    settle_runs(here);
    cut(s, here, row);
    store(s, here, row);
  }

  // The places that the arcs and the end of a state reach, other than by deletions before them.
  std::pair<std::int32_t, std::int32_t> reach(std::int32_t s) const {
    std::int32_t first = size_ + 1, last = 0;
    if (graph_.is_final(s)) first = size_, last = size_ + 1;
    for (auto a = begin_[s]; a < begin_[s + 1]; ++a) {
      const Row& next = rows_[graph_.target[a]];
      if (next.first >= next.last) continue;
      first = std::min(first, first_before(a, next));
      last = std::max(last, next.last);
    }
    return {first, last};
  }
  std::int32_t first_before(std::int64_t a, const Row& next) const {
    return graph_.label[a] != 0 && next.first > 0 ? next.first - 1 : next.first;
  }

  // An arc without its matches, but for those of frequent words.
  void take(std::int64_t a, Cell* here) {
    const Row& next = rows_[graph_.target[a]];
    if (next.first >= next.last) return;
    const auto cost = static_cast<Cell>(rule_.cost(a));
    const std::int32_t first = first_before(a, next), size = next.last - first;
    poll(size / 4);
    const Cell* const from = values_.data() + next.at - (next.first - first);
    const auto insertion = static_cast<Cell>(gains_.insertion - cost);
    if (graph_.label[a] == 0) {
      keep_better(here + first, from, cost, size);
    } else if (frequent_.has(a)) {
      raised_everywhere_ = true;
      const Cell* const prices = frequent_.places(a, gains_.match(0), gains_.substitution);
      match_or_insert(here + first, from, prices + first, cost, insertion, size);
    } else {
      substitute_or_insert(here + first, from, static_cast<Cell>(gains_.substitution - cost), insertion, size);
    }
  }

  // Whole blocks: what is beyond a row is nothing, and makes nothing larger.
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

  static void match_or_insert(Cell* __restrict into, const Cell* __restrict from, const Cell* __restrict price, Cell cost,
                              Cell insertion, std::int32_t size) {
    for (std::int32_t b = 0; b < size; b += block)
      for (std::int32_t k = b; k < b + block; ++k)
        into[k] = std::max(into[k], std::max(static_cast<Cell>(from[k + 1] + static_cast<Cell>(price[k] - cost)),
                                             static_cast<Cell>(from[k] + insertion)));
  }

  // The matches of an arc, into the row of places and those of runs; of ε, the runs after it.
  void match(std::int64_t a, Cell* here) {
    const Row& next = rows_[graph_.target[a]];
    if (next.first >= next.last) return;
    const auto cost = static_cast<Cell>(rule_.cost(a));
    const auto* const after = run_places_.data() + next.runs_at;
    if (graph_.label[a] == 0) {
      for (std::int32_t k = 0; k < next.runs; ++k) {
        if (!entering_->may_match_before(after[k])) continue;
        Cell* const runs = runs_before(after[k]);
        const Cell* const from = runs_.data() + run_index(next, k);
        for (std::int32_t m = 0; m < gains_.order - 1; ++m) runs[m] = std::max(runs[m], static_cast<Cell>(from[m] - cost));
      }
      return;
    }
    const bool is_frequent = frequent_.has(a);
    if (!places_.has(a) || (is_frequent && !entering_)) return;
    const Cell* const from = values_.data() + next.at - next.first;
    std::int32_t k = 0;
    const auto* const first = cursors_.from(a, next.first - 1);
    const auto* place = first;
    for (; *place >= 0 && *place + 1 < next.last; ++place) {
      const std::int32_t i = *place;
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
      if (!entering_ || !entering_->may_match_before(i)) continue;
      Cell* const runs = runs_before(i);
      for (std::int32_t m = 1; m < gains_.order; ++m) runs[m - 1] = std::max(runs[m - 1], matched(m));
    }
    poll(4 * (place - first));
  }

  // Values after 1 .. order - 1 matches before a place of the row at hand.
  Cell* runs_before(std::int32_t i) {
    const auto size = static_cast<std::size_t>(gains_.order - 1);
    if (runs_at_[i] == none) {
      runs_at_[i] = static_cast<std::int32_t>(found_places_.size());
      found_places_.push_back(i);
      found_runs_.resize(found_runs_.size() + size, nothing);
    }
    return found_runs_.data() + static_cast<std::size_t>(runs_at_[i]) * size;
  }

  // Deletions. Rows that deletions were added to stay so under shifts and maxima, but for where they begin and where
  // matches raised them. Where deleting a word does not pay, it does not pay further away. Most often it pays for a few
  // words only: a stretch of places is done at once, without asking at which of them it ends.
  void delete_words(std::int32_t s, Cell* here, std::int32_t first, std::int32_t last) {
    if (raised_everywhere_) return delete_everywhere(here, first, last);
    Cell prices[deletion_stretch];  // of so many deletions; there are no more than words
    for (std::int32_t k = 0; k < deletion_stretch; ++k)
      prices[k] = static_cast<Cell>(gains_.deletion * std::min(deletion_stretch - k, size_));
    std::int64_t work = 0;
    const auto before = [&](std::int32_t place) {
      for (; place > first; place -= deletion_stretch) {
        ++work;
        Cell* const part = here + place - deletion_stretch;
        const Cell from = here[place], furthest = part[0];
        for (std::int32_t k = 0; k < deletion_stretch; ++k) part[k] = std::max(part[k], static_cast<Cell>(from + prices[k]));
        if (part[0] == furthest) return;
      }
    };
    if (graph_.is_final(s)) before(size_);
    for (auto a = begin_[s]; a < begin_[s + 1]; ++a) {
      const Row& next = rows_[graph_.target[a]];
      if (next.first < next.last) before(first_before(a, next));
    }
    for (const auto place : raised_) before(place);
    poll(work);
  }

  // Block by block: in most of them, deleting pays nowhere.
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

  // Matches after which more are in a row gain no less than others.
  void settle_runs(const Cell* here) {
    const auto size = static_cast<std::size_t>(gains_.order - 1);
    for (std::size_t k = 0; k < found_places_.size(); ++k)
      for (std::size_t m = 0; m < size; ++m)
        found_runs_[k * size + m] = std::max(found_runs_[k * size + m], here[found_places_[k]]);
  }

  // ---- Windows ----------------------------------------------------------------------------------------------------

  void cut(std::int32_t s, Cell* here, Row& row) {
    if (!is_beam_ && !before_.hold()) {
      while (row.first > 0) add_deletion(here, row);
    } else if (is_beam_) {
      Cell best = nothing;
      for (std::int32_t i = row.first; i < row.last; ++i)
        best = std::max(best, static_cast<Cell>(here[i] - expected_[i]));
      const auto least = static_cast<Cell>(best + beam_width * gains_.substitution);
      cut(here, row, [&](std::int32_t i) { return here[i] - expected_[i] >= least; });
      if (s == 0)  // whatever it loses, a path is one
        while (row.first > 0) add_deletion(here, row);
    } else {
      cut(here, row, [&](std::int32_t i) { return may_matter(s, i, top(here, i)); });
    }
  }

  // Whether a path of this value from there on may lose so little that it is looked for.
  bool may_matter(std::int32_t s, std::int32_t i, Cell cell) const {
    if (is_beam_ || !before_.hold()) return true;
    const Loss lost = -static_cast<Loss>(value(i, cell));
    return before_.at(s, i) + lost <= most_ && (!entry_ || entry_->at(s, i) + lost <= most_);
  }

  template <typename IsKept>
  void cut(Cell* here, Row& row, IsKept is_kept) {
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

  // The largest of all values of a place.
  Cell top(const Cell* here, std::int32_t i) const {
    const auto size = static_cast<std::size_t>(gains_.order - 1);
    if (size == 0 || runs_at_[i] == none) return here[i];
    return found_runs_[(static_cast<std::size_t>(runs_at_[i]) + 1) * size - 1];
  }

  // Raises what is below the least value of a cell, where no best path passes. Notices values that do not fit. A sum
  // that is too small for 16 bits became one that is too large.
  void limit(std::int32_t s, Cell* here, const Row& row) {
    Cell lowest = 0, highest = 0;
    for (std::int32_t i = row.first; i < row.last; ++i) {
      lowest = std::min(lowest, here[i]);
      highest = std::max(highest, here[i]);
    }
    is_beyond_ |= highest > -nothing;
    if (lowest > nothing) return;
    for (std::int32_t i = row.first; i < row.last; ++i) {
      if (here[i] > nothing) continue;
      here[i] = least;
      is_beyond_ |= may_matter(s, i, least);
    }
  }

  void store(std::int32_t s, Cell* here, Row& row) {
    const auto size = static_cast<std::size_t>(gains_.order - 1);
    row.at = values_.size() + 1;
    row.runs_at = run_places_.size();
    if (row.first < row.last) {
      if (is_narrow) limit(s, here, row);
      values_.push_back(nothing);
      values_.insert(values_.end(), here + row.first, here + row.last);
      values_.insert(values_.end(), static_cast<std::size_t>(block) + 1, nothing);
    }
    poll(static_cast<std::int64_t>(10 * found_places_.size()));
    const auto runs = [&](std::int32_t i) { return found_runs_.data() + static_cast<std::size_t>(runs_at_[i]) * size; };
    for (const auto i : found_places_)
      if (i >= row.first && i < row.last && top(here, i) > here[i] && may_matter(s, i, top(here, i)))
        run_places_.push_back(i);
    std::sort(run_places_.begin() + static_cast<std::ptrdiff_t>(row.runs_at), run_places_.end());
    row.runs = static_cast<std::int32_t>(run_places_.size() - row.runs_at);
    for (auto k = row.runs_at; k < run_places_.size(); ++k)
      for (std::size_t m = 0; m < size; ++m) runs_.push_back(std::max(runs(run_places_[k])[m], least));
    for (const auto i : found_places_) runs_at_[i] = none;
    found_places_.clear();
    found_runs_.clear();
  }

  static constexpr Cell beam_width = 16;  // errors

  const Lattice& graph_;
  const std::int64_t* const begin_;
  const ReferencePlaces& places_;
  const PrefixLosses& before_;
  const std::int32_t size_;
  const Gains rate_;
  EditGains<Cell> gains_;
  const Rule& rule_;
  std::size_t part_bytes_;
  PlaceCursors cursors_;
  FrequentWords<Cell> frequent_;
  std::optional<EnteringWords> entering_;  // where matches in a row count
  std::vector<Row> rows_;
  std::vector<std::int32_t> first_source_;  // of each state

  std::vector<Cell> values_, runs_;       // of the states in memory
  std::vector<std::int32_t> run_places_;
  std::vector<Saved> saved_;
  bool is_beam_ = false;
  Loss most_ = 0, best_ = 0;
  std::vector<Passed> passed_;            // beyond the part at hand
  std::optional<PrefixLosses::Entry> entry_;  // of the part at hand, if it was completed before
  Value expected_loss_ = 0;               // at each place; a cell has it added for the places that are left
  bool is_beyond_ = false;                // a cell cannot hold its value
  std::vector<Cell> expected_;            // of each place, what a beam expects to be lost before it

  std::vector<Cell> places_row_;          // of the state at hand, from place -deletion_stretch on
  std::vector<std::int32_t> raised_;      // places of it that matches gave a larger value
  bool raised_everywhere_ = false;        // these are not all
  std::vector<std::int32_t> runs_at_;     // of each place, where its runs are among the found ones
  std::vector<std::int32_t> found_places_;
  std::vector<Cell> found_runs_;
};

}  // namespace latticemetric
