#include "networks/word_mbr.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "graphs/log_sums.hpp"
#include "memory/budget.hpp"
#include "networks/approximate_alignment.hpp"
#include "networks/hypothesis_words.hpp"

namespace latticemetric {

std::vector<double> incoming_shares(std::int32_t states, std::int64_t arcs, const std::int32_t* source,
                                    const std::int32_t* target, const double* cost) {
  std::vector<double> share(static_cast<std::size_t>(arcs));
  LogSums sums(static_cast<std::size_t>(states), 0);  // over the paths to each state
  auto &best = sums.best, &more = sums.more;
  for (std::int64_t begin = 0, end = 0; begin < arcs; begin = end) {
    poll(50);
    const auto n = target[begin];
    best[n] = log_of_nothing;
    for (end = begin; end < arcs && target[end] == n; ++end) best[n] = std::max(best[n], best[source[end]] - cost[end]);
    for (auto a = begin; a < end; ++a) share[a] = best[source[a]] - cost[a] - best[n] + more[source[a]];
    more[n] = take_shares(share.data() + begin, share.data() + end);
  }
  return share;
}

namespace {

// The cost of a word that is aligned with no position. It is a little more than with a position between words, so that
// the word is aligned with such a position and appears in the statistics.
constexpr double skipped_word = 1 + 1e-5;

// Costs closer than this count as equal: rounding may separate the same average.
constexpr double tie = 1e-10;

// A cost that is more than this above the least one is part of no tie.
constexpr double beyond_ties = 4 * tie;

// More than rounding can change a bound at a state: it is taken off, so that bounds stay lower bounds.
constexpr double rounding = 1e-7;

constexpr double infinite = std::numeric_limits<double>::infinity();

// Sums over the alignments of each label with each position, in a hash table.
class AlignedWords {
 public:
  struct Sums {
    std::int32_t label, q;
    double mass, begin, end;
  };

  Sums& of(std::int32_t label, std::int32_t q) {
    if (sums_.size() * 2 >= slots_.size()) grow();
    auto slot = slot_of(label, q);
    for (; slots_[slot] != free_slot; slot = (slot + 1) & (slots_.size() - 1)) {
      auto& found = sums_[slots_[slot]];
      if (found.label == label && found.q == q) return found;
    }
    slots_[slot] = static_cast<std::uint32_t>(sums_.size());
    sums_.push_back({label, q, 0, 0, 0});
    return sums_.back();
  }

  void clear() {
    sums_.clear();
    std::fill(slots_.begin(), slots_.end(), free_slot);
  }

  // Returns the sums by position, then by label.
  std::vector<Sums> sorted() const {
    auto found = sums_;
    poll(static_cast<std::int64_t>(100 * found.size()));
    std::sort(found.begin(), found.end(),
              [](const Sums& x, const Sums& y) { return x.q != y.q ? x.q < y.q : x.label < y.label; });
    return found;
  }

 private:
  static constexpr std::uint32_t free_slot = ~std::uint32_t{0};

  std::size_t slot_of(std::int32_t label, std::int32_t q) const {
    const auto key = static_cast<std::uint64_t>(q) << 32 | static_cast<std::uint32_t>(label);
    return (key * 0x9E3779B97F4A7C15u >> 32) & (slots_.size() - 1);
  }

  void grow() {
    slots_.assign(std::max<std::size_t>(64, slots_.size() * 2), free_slot);
    for (std::size_t k = 0; k < sums_.size(); ++k) {
      auto slot = slot_of(sums_[k].label, sums_[k].q);
      while (slots_[slot] != free_slot) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = static_cast<std::uint32_t>(k);
    }
  }

  std::vector<Sums> sums_;
  std::vector<std::uint32_t> slots_;
};

// E(q) is the expected edit distance of the paths to a state from the first q positions of the hypothesis. A(a, q) is
// the same for the paths that end with an arc a into the state, which has the probability p(a):
//
//   E(q) = Σ p(a) A(a, q),   A(a, q) = min(E'(q - 1) + substitution, E'(q) + word, A(a, q - 1) + position)
//
// E' is that of the arc's source; `word` and `position` are the costs of skipping the arc's word and position q.
//
// Of each state, only the cells q in a band are computed: those near the least cost of the states before, and those
// where an approximate alignment has the state. Cells beside the band are replaced by lower bounds. So the cells of the
// band are lower bounds, too, and they are E(q) if they are made from computed cells only. The way back from the end
// makes sure of that for each cell that it comes to, or that a tie could lead it to. So what it finds, and the risk,
// are those of the whole table; if it cannot make sure, the band is too narrow.
//
// Beside the band, an alignment either goes on with a match, or makes an error, which costs 1 and leads to the same
// block of words of the hypothesis or to the next one. So a state has a bound for each block, its `level`, which holds
// for all cells but those that end a run of matches; runs that may cost less have a bound each. As long as words rarely
// repeat within a block, bounds grow faster beside the band than costs do in it.
class Recursion {
 public:
  Recursion(const EvidenceLattice& evidence, const std::int32_t* hypothesis, std::int32_t positions)
      : evidence_(evidence),
        hypothesis_(hypothesis),
        positions_(positions),
        words_(hypothesis, positions, evidence.labels),
        from_(static_cast<std::size_t>(positions) + 2),
        before_(static_cast<std::size_t>(positions) + 1),
        arc_(before_.size()),
        skip_(before_.size(), 0),
        mass_(before_.size()),
        is_passed_(before_.size(), 0) {
    for (std::int32_t q = 1; q <= positions_; ++q) skip_[q] = hypothesis[q - 1] != 0;
  }

  // Computes the statistics with a band of the cells that cost at most `slack` more than the best of their state.
  // Returns false if that is too narrow.
  bool find(double slack, MbrStatistics& found) {
    slack_ = slack;
    is_whole_ = slack >= words_.size();
    forward();
    aligned_.clear();
    if (!backward()) return false;
    write(found);
    return true;
  }

 private:
  struct Cell {
    std::int32_t q;
    double mass;
  };
  struct Run {
    std::int32_t words;
    double cost;
  };
  // Lower bounds for the cells of a state beside the band.
  struct Outside {
    std::vector<double> level, least;  // by block: without runs of matches; with them
    std::vector<Run> runs;             // sorted by the number of words before their cells
  };

  // ---- Forward ------------------------------------------------------------------------------------------------

  void forward() {
    const auto states = static_cast<std::size_t>(evidence_.states);
    if (is_whole_) require_bytes(static_cast<double>(states) * (positions_ + 1) * sizeof(double));
    rows_.assign(states, {});
    low_.assign(states, 0);
    high_.assign(states, positions_);
    if (!is_whole_) begin_band();
    auto& start = rows_[0];
    start.assign(static_cast<std::size_t>(high_[0]) + 1, 0);
    for (std::size_t q = 1; q < start.size(); ++q) start[q] = start[q - 1] + skip_[q];
    if (!is_whole_) find_near(0);
    for (std::int64_t first = 0, end = 0; first < evidence_.arcs; first = end) {
      const auto n = evidence_.target[first];
      for (end = first; end < evidence_.arcs && evidence_.target[end] == n; ++end) {}
      if (!is_whole_) place_band(n, first, end);
      rows_[n].assign(static_cast<std::size_t>(high_[n] - low_[n]) + 1, 0);
      double* here = row(n);
      for (auto a = first; a < end; ++a) {
        if (!is_whole_) bound_edges(a);
        align(a);
        const double share = evidence_.share[a], *arc = arc_.data() + low_[n];
        for (std::size_t k = 0; k < rows_[n].size(); ++k) here[k] += share * arc[k];
        if (!is_whole_) bound_outside_of(a);
      }
      if (is_whole_) continue;
      bound_outside(n);
      for (auto a = first; a < end; ++a)
        if (--readers_[evidence_.source[a]] == 0) outside_[evidence_.source[a]] = {};
      find_near(n);
    }
  }

  double* row(std::int32_t state) { return rows_[state].data(); }
  bool holds(std::int32_t state, std::int32_t q) const { return low_[state] <= q && q <= high_[state]; }

  // Computes the costs of an arc by q, before positions are skipped (`before_`) and after (`arc_`). Returns the first
  // q: the first cell of its source or of its target, whichever is less.
  std::int32_t align(std::int64_t a) {
    const auto n = evidence_.target[a], source = evidence_.source[a], label = evidence_.label[a];
    const auto first = low_[source], begin = std::min(low_[n], first);
    const auto end = high_[n], known = std::min(end, high_[source]);
    poll(4 * (end - begin + 1));
    double* from = from_.data() + 1;  // by q, which may be -1
    if (!is_whole_) {
      const double* edge = edges_.data() + edge_[a];
      best_before_ = *edge++;
      for (auto q = std::max(0, begin - 1); q < first; ++q) from[q] = *edge++;
      for (auto q = std::max(begin - 1, known) + 1; q <= end; ++q) from[q] = *edge++;
    }
    if (known >= first) std::copy_n(row(source), known - first + 1, from + first);
    const double skipped = label == 0 ? 0 : skipped_word;
    const std::int32_t* words = hypothesis_ - 1;
    double *before = before_.data(), *arc = arc_.data();
    auto q = begin;
    if (q == 0) best_before_ = arc[0] = before[0] = from[0] + skipped, ++q;
    for (auto k = q; k <= end; ++k) {
      const double meeting = from[k - 1] + static_cast<double>(words[k] != label), skipping = from[k] + skipped;
      before[k] = skipping < meeting ? skipping : meeting;
    }
    for (double best = best_before_; q <= end; ++q) arc[q] = best = std::min(before[q], best + skip_[q]);
    return begin;
  }

  // ---- The band -----------------------------------------------------------------------------------------------

  void begin_band() {
    const auto states = static_cast<std::size_t>(evidence_.states);
    outside_.assign(states, {});
    readers_.assign(states, 0);
    for (std::int64_t a = 0; a < evidence_.arcs; ++a) ++readers_[evidence_.source[a]];
    edges_.clear();
    edge_.resize(static_cast<std::size_t>(evidence_.arcs));
    blocks_ = block(words_.size()) + 1;
    near_.assign(states, {0, 0});
    high_[0] = words_.last(std::min(words_.size(), static_cast<std::int32_t>(slack_)));
    reset(outside_[0]);
    const auto next = words_.before(high_[0]) + 1;
    for (auto b = block(next); b < blocks_; ++b)
      outside_[0].level[b] = outside_[0].least[b] = std::max(next, b * block_size) - rounding;
    if (places_.empty()) places_ = approximate_alignment(evidence_, words_);
  }

  // Places the band of a state: around the cells near the least cost of its sources, and around the place that the
  // approximate alignment gives it.
  void place_band(std::int32_t n, std::int64_t first, std::int64_t end) {
    auto low = words_.first(std::max(0, places_[n] - 8)), high = words_.last(std::min(words_.size(), places_[n] + 8));
    for (auto a = first; a < end; ++a) {
      low = std::min(low, near_[evidence_.source[a]].first - 4);
      high = std::max(high, near_[evidence_.source[a]].second + 6);
    }
    low_[n] = std::max(0, low);
    high_[n] = n == evidence_.states - 1 ? positions_ : std::min(high, positions_);
  }

  // Finds the first and the last cell near the least cost. Where the hypothesis is unlike the lattice, there are many
  // such cells and the band grows; after that it shrinks again.
  void find_near(std::int32_t n) {
    const auto& here = rows_[n];
    double least[8];  // several, so that no step waits for the previous one
    std::fill(least, least + 8, infinite);
    std::size_t k = 0;
    for (; k + 8 <= here.size(); k += 8)
      for (std::size_t lane = 0; lane < 8; ++lane) least[lane] = std::min(least[lane], here[k + lane]);
    for (; k < here.size(); ++k) least[0] = std::min(least[0], here[k]);
    const double most = *std::min_element(least, least + 8) + slack_;
    auto first = low_[n], last = high_[n];
    while (here[first - low_[n]] > most) ++first;
    while (here[last - low_[n]] > most) --last;
    near_[n] = {first, last};
  }

  static std::int32_t block(std::int32_t words) { return words / block_size; }

  void reset(Outside& outside) const {
    outside.level.assign(static_cast<std::size_t>(blocks_), unreached);
    outside.least = outside.level;
  }

  // Returns a lower bound for the cells of a state, beside the band, before which there are so many words.
  double bound(std::int32_t state, std::int32_t words) const {
    const auto& outside = outside_[state];
    const auto run = std::lower_bound(outside.runs.begin(), outside.runs.end(), words,
                                      [](const Run& one, std::int32_t other) { return one.words < other; });
    return run != outside.runs.end() && run->words == words ? run->cost : outside.level[block(words)];
  }

  // Returns the least cost, or a lower bound of it, of the cells of a state before which there are so many words: of
  // those in the band and beside it.
  double least_cost(std::int32_t state, std::int32_t words) {
    const auto first = words_.first(words), last = words_.last(words), low = low_[state], end = high_[state];
    double least = first < low || last > end ? bound(state, words) : unreached;
    for (auto q = std::max(first, low); q <= std::min(last, end); ++q) least = std::min(least, row(state)[q - low]);
    return least;
  }

  // Stores what an arc takes from beside the band of its source: a bound of the arc's cost before its first cell, and
  // bounds of the source's cells. The way back needs them, too.
  void bound_edges(std::int64_t a) {
    const auto n = evidence_.target[a], source = evidence_.source[a], label = evidence_.label[a];
    const auto first = low_[source], begin = std::min(low_[n], first);
    const auto end = high_[n], known = std::min(end, high_[source]);
    level_errors(a);
    edge_[a] = edges_.size();
    const auto words = begin > 0 ? words_.before(begin - 1) : 0;
    double before = level_[block(words)];
    if (begin == 0)
      before = infinite;
    else if (label == 0)
      before = std::min(before, bound(source, words));
    else if (words_.has(words, label))
      before = std::min(before, bound(source, words - 1));
    edges_.push_back(before);
    for (auto q = std::max(0, begin - 1); q < first; ++q) edges_.push_back(bound(source, words_.before(q)));
    for (auto q = std::max(begin - 1, known) + 1; q <= end; ++q) edges_.push_back(bound(source, words_.before(q)));
  }

  // Sets `level_` to lower bounds, by block, of an arc's cost if it makes an error beside the band.
  void level_errors(std::int64_t a) {
    const auto& outside = outside_[evidence_.source[a]];
    poll(4 * blocks_);
    level_.resize(static_cast<std::size_t>(blocks_));
    const double* least = outside.least.data();
    double* level = level_.data();
    level[0] = 1 + least[0];
    for (std::int32_t b = 1; b < blocks_; ++b) level[b] = 1 + std::min(least[b], least[b - 1]);
    if (evidence_.label[a] == 0)
      for (std::int32_t b = 0; b < blocks_; ++b) level[b] = std::min(level[b], outside.level[b]);
    skip_blocks(0);
  }

  // Lowers the levels of the blocks after `first`: skipping the first word of a block leads to it from the previous
  // one.
  void skip_blocks(std::int32_t first) {
    double* level = level_.data();
    for (auto b = first + 1; b < blocks_; ++b) level[b] = std::min(level[b], 1 + level[b - 1]);
  }

  // Adds what an arc contributes to the bounds of its target. `align` must have run for the arc.
  void bound_outside_of(std::int64_t a) {
    const auto n = evidence_.target[a], source = evidence_.source[a], label = evidence_.label[a];
    const auto low = low_[n], end = high_[n], first = low_[source], last = high_[source];
    const double share = evidence_.share[a];
    const double* from = row(source);
    auto& outside = outside_[n];
    if (outside.level.empty()) {
      reset(outside);
      std::fill(outside.level.begin(), outside.level.end(), 0.0);
    }
    // Errors from cells of the source that are now beside the band, to the same number of words or slightly more; and
    // errors that leave the band at its end.
    auto changed = blocks_;
    const auto reach = [&](std::int32_t words, double cost) {
      if (words > words_.size()) return;
      level_[block(words)] = std::min(level_[block(words)], cost);
      changed = std::min(changed, block(words));
    };
    const auto leave = [&](std::int32_t from_q, std::int32_t to_q) {
      for (auto q = std::max(first, from_q); q <= std::min(last, to_q); ++q)
        for (std::int32_t k = 0; k <= 2; ++k) reach(words_.before(q) + k, 1 + from[q - first]);
    };
    leave(first, low - 1);
    leave(end, last);
    reach(words_.before(end), 1 + arc_[end]);
    reach(words_.before(end) + 1, 1 + arc_[end]);
    skip_blocks(changed);
    for (std::int32_t b = 0; b < blocks_; ++b) outside.level[b] += share * level_[b];

    const auto start = gains_.size();
    const auto inner = inner_words(n), known = inner_words(source);
    const auto gain = [&](std::int32_t words, double cost) {
      const double level = level_[block(words)];
      if (cost < level && !inner.holds(words)) gains_.push_back({words, share * (level - cost)});
    };
    const auto& before = outside_[source];
    auto run = before.runs.begin();
    if (label == 0) {
      poll(static_cast<std::int64_t>(4 * before.runs.size() + 20));
      for (; run != before.runs.end(); ++run) gain(run->words, run->cost);
      for (auto q = first; q < low && q <= last; ++q) gain(words_.before(q), from[q - first]);
      for (auto q = std::max(end + 1, first); q <= last; ++q) gain(words_.before(q), from[q - first]);
    } else {
      words_.each(label, [&](std::int32_t word) {
        poll(4);
        if (known.touches(word - 1)) return gain(word, least_cost(source, word - 1));
        while (run != before.runs.end() && run->words < word - 1) ++run;
        gain(word, run != before.runs.end() && run->words == word - 1 ? run->cost : before.level[block(word - 1)]);
      });
    }
    gain(words_.before(end), arc_[end]);
    // Keeps the best way to each number of words.
    const auto added = gains_.begin() + static_cast<std::ptrdiff_t>(start);
    const auto goes_before = [](const Run& x, const Run& y) {
      return x.words != y.words ? x.words < y.words : x.cost > y.cost;
    };
    if (!std::is_sorted(added, gains_.end(), goes_before)) std::sort(added, gains_.end(), goes_before);
    gains_.erase(std::unique(added, gains_.end(), [](const Run& x, const Run& y) { return x.words == y.words; }),
                 gains_.end());
  }

  // Finishes the bounds of a state, to which its arcs have added. `gains_` says how much less than the level each run
  // may cost.
  void bound_outside(std::int32_t n) {
    auto& outside = outside_[n];
    if (outside.level.empty()) reset(outside);
    const auto inner = inner_words(n);
    const auto goes_before = [](const Run& x, const Run& y) { return x.words < y.words; };
    if (!std::is_sorted(gains_.begin(), gains_.end(), goes_before))
      std::sort(gains_.begin(), gains_.end(), goes_before);
    for (auto& level : outside.level) level -= rounding;
    for (auto b = block(std::max(0, inner.first_whole - 1)); b <= block(std::max(0, inner.last_whole)); ++b) {
      const auto last = std::min((b + 1) * block_size - 1, words_.size());
      if (inner.holds(b * block_size) && inner.holds(last)) outside.level[b] = unreached;
    }
    outside.least = outside.level;
    auto& runs = outside.runs;
    for (std::size_t k = 0; k < gains_.size();) {
      const auto words = gains_[k].words;
      double cost = outside.level[block(words)];
      for (; k < gains_.size() && gains_[k].words == words; ++k) cost -= gains_[k].cost;
      runs.push_back({words, cost});
      outside.least[block(words)] = std::min(outside.least[block(words)], cost);
    }
    gains_.clear();
  }

  // The numbers of words such that a state's band holds some of the cells after them (`first` .. `last`), or all of
  // them (`first_whole` .. `last_whole`).
  struct Inner {
    std::int32_t first, last, first_whole, last_whole;
    bool touches(std::int32_t words) const { return first <= words && words <= last; }
    bool holds(std::int32_t words) const { return first_whole <= words && words <= last_whole; }
  };
  Inner inner_words(std::int32_t state) const {
    const auto low = low_[state], end = high_[state], first = words_.before(low), last = words_.before(end);
    return {first, last, first + (words_.first(first) < low), last - (words_.last(last) > end)};
  }

  // ---- Backward -----------------------------------------------------------------------------------------------

  // Follows the choices of least average cost back from the end, and records alignments. Returns false if a cost that
  // it compares is only a bound.
  bool backward() {
    passing_.assign(static_cast<std::size_t>(evidence_.states), {});
    passing_.back().push_back({positions_, 1.0});
    risk_ = rows_.back().back();
    std::vector<Cell> here;
    for (std::int64_t a = evidence_.arcs - 1; a >= 0; --a) {
      const auto n = evidence_.target[a];
      if (a + 1 == evidence_.arcs || evidence_.target[a + 1] != n) gather(passing_[n], here);
      if (here.empty()) continue;
      const auto begin = align(a);
      if (!trace_back(a, begin, here)) return false;
    }
    gather(passing_[0], here);
    double mass = 0;
    auto cell = here.begin();
    for (auto q = positions_; q >= 1; --q) {
      if (cell != here.end() && cell->q == q) mass += cell++->mass;
      if (mass != 0) record(0, q, mass, 0, 0);
    }
    return true;
  }

  // Sums up the mass that comes to each cell, in the order in which it came. Lists the cells from the last to the
  // first.
  void gather(std::vector<Cell>& passing, std::vector<Cell>& here) {
    here.clear();
    auto first = positions_, last = std::int32_t{0};
    for (const auto& cell : passing) {
      first = std::min(first, cell.q);
      last = std::max(last, cell.q);
      mass_[cell.q] = is_passed_[cell.q] ? mass_[cell.q] + cell.mass : cell.mass;
      is_passed_[cell.q] = 1;
    }
    poll(static_cast<std::int64_t>(passing.size()) * 2 + std::max(0, last - first));
    for (auto q = last; q >= first; --q)
      if (is_passed_[q]) {
        here.push_back({q, mass_[q]});
        is_passed_[q] = 0;
      }
    std::vector<Cell>().swap(passing);
  }

  // Follows an arc back from the cells of its target. Returns false if a cost that it compares is only a bound. Ties:
  // aligning a word is better than skipping it, and that is better than skipping a position.
  bool trace_back(std::int64_t a, std::int32_t begin, const std::vector<Cell>& here) {
    const auto source = evidence_.source[a], label = evidence_.label[a];
    const double share = evidence_.share[a], skipped = label == 0 ? 0 : skipped_word;
    const double* from = from_.data() + 1;
    auto& passing = passing_[source];
    double mass = 0;
    bool is_asked = false;  // whether the arc's cost at q has to be exact
    auto cell = here.begin();
    for (auto q = here.front().q; q >= 1; --q) {
      if (cell != here.end() && cell->q == q) {
        mass += share * cell++->mass;
        is_asked = true;
      }
      if (!is_asked) {
        if (cell == here.end()) return true;
        q = cell->q + 1;
        continue;
      }
      if (q < begin) return false;
      const double meeting = from[q - 1] + static_cast<double>(hypothesis_[q - 1] != label);
      const double before = before_[q];
      const double skipping = (q > begin ? arc_[q - 1] : best_before_) + skip_[q];
      const double most = std::min(before, skipping) + beyond_ties;
      is_asked = skipping <= most;
      const bool may_meet = meeting <= most, may_skip = from[q] + skipped <= most;
      if ((may_meet && !holds(source, q - 1)) || (may_skip && !holds(source, q))) return false;
      const bool skips_position = before > skipping + tie, meets = meeting <= before + tie;
      const bool moves = mass != 0 && !skips_position;
      if (mass != 0 && skips_position) record(0, q, mass, evidence_.target[a], evidence_.target[a]);
      if (moves && meets) record(label, q, mass, source, evidence_.target[a]);
      if (may_meet || (moves && meets)) passing.push_back({q - 1, moves && meets ? mass : 0});
      if (may_skip || (moves && !meets)) passing.push_back({q, moves && !meets ? mass : 0});
      if (moves) mass = 0;
    }
    const bool ends = cell != here.end();
    if (!ends && !is_asked) return true;
    if (!holds(source, 0)) return false;
    passing.push_back({0, mass + (ends ? share * cell->mass : 0)});
    return true;
  }

  void record(std::int32_t label, std::int32_t q, double mass, std::int32_t from, std::int32_t to) {
    poll(10);
    const double* times = evidence_.times;
    auto& sums = aligned_.of(label, q);
    sums.mass += mass;
    if (!times) return;
    sums.begin += mass * times[from];
    sums.end += mass * times[to];
  }

  void write(MbrStatistics& found) {
    found.risk = risk_;
    for (const auto& one : aligned_.sorted()) {
      found.label.push_back(one.label);
      found.position.push_back(one.q - 1);
      found.mass.push_back(one.mass);
      if (!evidence_.times) continue;
      found.begin.push_back(one.begin);
      found.end.push_back(one.end);
    }
  }

  static constexpr double unreached = 1e30;
  static constexpr std::int32_t block_size = 64;

  const EvidenceLattice& evidence_;
  const std::int32_t* hypothesis_;
  const std::int32_t positions_;
  const HypothesisWords words_;
  double slack_ = 0;
  bool is_whole_ = true;    // whether the band is the whole table
  double risk_ = 0;
  std::vector<std::vector<double>> rows_;  // by state, then by cell of its band
  std::vector<std::int32_t> low_, high_;   // by state: the first and the last cell of its band
  std::vector<std::pair<std::int32_t, std::int32_t>> near_;  // by state: the cells near its least cost
  std::vector<Outside> outside_;           // by state, until all arcs out of it are done
  std::vector<std::int64_t> readers_;      // by state: the number of arcs out of it still to come
  std::vector<double> edges_;              // by arc: what it takes from beside the band of its source
  std::vector<std::size_t> edge_;          // by arc: its begin in `edges_`
  std::int32_t blocks_ = 0;
  std::vector<std::int32_t> places_;       // by state: how many words seem to come before it
  std::vector<double> level_;              // of the current arc, by block
  std::vector<Run> gains_;                 // of the current state: how much less its arcs' runs cost than its level
  std::vector<double> from_, before_, arc_;  // of the current arc, by q
  double best_before_ = 0;                   // likewise: a bound of its costs before the first q
  std::vector<double> skip_;                 // by q: the cost of skipping position q
  std::vector<std::vector<Cell>> passing_;  // by state: the mass that came to each cell
  std::vector<double> mass_;                // by q: the mass that comes to a cell of the current state
  std::vector<std::uint8_t> is_passed_;     // by q: whether any comes
  AlignedWords aligned_;
};

// A table of up to so many cells is computed as a whole.
constexpr double small_table = 1 << 20;

// The first slack: how much more than the least cost of its state a cell may cost.
constexpr double first_slack = 48;

}  // namespace

MbrStatistics mbr_statistics(const EvidenceLattice& evidence, const std::int32_t* hypothesis, std::int32_t positions,
                             double slack) {
  Recursion recursion(evidence, hypothesis, positions);
  MbrStatistics found;
  if (slack == 0) slack = static_cast<double>(evidence.states) * positions <= small_table ? infinite : first_slack;
  while (!recursion.find(slack, found)) slack *= 2;
  return found;
}

}  // namespace latticemetric
