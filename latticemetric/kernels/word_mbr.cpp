#include "word_mbr.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "budget.hpp"

namespace latticemetric {

// A state's sum over the paths to it is exp(excess - least): kept apart, large costs do not round the sum away.
std::vector<double> incoming_shares(std::int32_t states, std::int64_t arcs, const std::int32_t* source,
                                    const std::int32_t* target, const double* cost) {
  std::vector<double> share(static_cast<std::size_t>(arcs));
  std::vector<double> least(static_cast<std::size_t>(states), 0), excess(least);
  for (std::int64_t begin = 0, end = 0; begin < arcs; begin = end) {
    poll(50);
    const auto n = target[begin];
    least[n] = std::numeric_limits<double>::infinity();
    for (end = begin; end < arcs && target[end] == n; ++end)
      least[n] = std::min(least[n], least[source[end]] + cost[end]);
    const auto weight = [&](std::int64_t a) { return excess[source[a]] - (least[source[a]] + cost[a] - least[n]); };
    double largest = -std::numeric_limits<double>::infinity(), sum = 0;
    for (auto a = begin; a < end; ++a) largest = std::max(largest, weight(a));
    for (auto a = begin; a < end; ++a) sum += share[a] = std::exp(weight(a) - largest);
    for (auto a = begin; a < end; ++a) share[a] /= sum;
    excess[n] = largest + std::log(sum);
  }
  return share;
}

namespace {

// What a word costs that meets no position: a little more than one that meets a position between words, so that it
// does meet one and is seen.
constexpr double skipped_word = 1 + 1e-5;

// Closer costs than this are equal: the same average may be off by rounding.
constexpr double tie = 1e-10;

// A cost that is larger than the least by more than this is part of no tie.
constexpr double beyond_ties = 4 * tie;

// What bounds from below lose at most to rounding, and what a step to the cell beside may save.
constexpr double margin = 2;

constexpr double infinite = std::numeric_limits<double>::infinity();

// The words of a hypothesis, which its positions hold besides the empty word.
class Words {
 public:
  Words(const std::int32_t* hypothesis, std::int32_t positions, std::int32_t labels)
      : begin_(static_cast<std::size_t>(labels) + 1, 0) {
    before_.reserve(static_cast<std::size_t>(positions) + 1);
    before_.push_back(0);
    first_.push_back(0);
    for (std::int32_t q = 1; q <= positions; ++q) {
      const auto label = hypothesis[q - 1];
      before_.push_back(before_.back() + (label != 0));
      if (label == 0) continue;
      first_.push_back(q);
      ++begin_[static_cast<std::size_t>(label) + 1];
    }
    for (std::size_t label = 1; label < begin_.size(); ++label) begin_[label] += begin_[label - 1];
    place_.resize(static_cast<std::size_t>(size()));
    auto next = begin_;
    for (std::int32_t j = 1; j <= size(); ++j) place_[next[hypothesis[first_[j] - 1]]++] = j;
    first_.push_back(positions + 1);
  }

  std::int32_t size() const { return before_.back(); }
  // How many words the first q positions hold.
  std::int32_t before(std::int32_t q) const { return before_[q]; }
  // The first and the last q whose positions hold j words.
  std::int32_t first(std::int32_t j) const { return first_[j]; }
  std::int32_t last(std::int32_t j) const { return first_[j + 1] - 1; }

  // Calls visit(j) where the j-th word is the label.
  template <typename Visit>
  void each(std::int32_t label, Visit visit) const {
    for (auto k = begin_[label]; k < begin_[label + 1]; ++k) visit(place_[k]);
  }

 private:
  std::vector<std::int32_t> before_, first_;
  std::vector<std::int32_t> begin_, place_;  // by label: where the hypothesis has it
};

// The expected distance of the paths to a state from the first q positions is E(q); for the part of those that end with
// an arc a into it, with the probability p(a),
//
//   E(q) = Σ p(a) A(a, q),   A(a, q) = min( E'(q - 1) + substitution, E'(q) + skipped word, A(a, q - 1) + skipped position )
//
// where E' is of the state that a comes from. Of each state, only cells q in a band are computed: the same number of
// them everywhere, around the place that its paths seem to have come to. They are bounds from below, since all cells
// beside the band count as `outside_`, which is a bound from below, too. A bound is the truth where it is made of
// nothing but truths, and where no cell beside the band could be less. The way back from the end asks that of each cell
// that it comes to, or that a tie could lead it to; so what it meets, and the risk, are those of the whole table, or
// the band is too narrow.
//
// Beside the band there is a run of matches, or an error. An error costs 1 and may lead anywhere; a match has to go on
// from the word before it. `level_` is a bound for all cells but those that end a run; `runs_` says how much less these
// may be, by the number of the words before. As in a factorization into longest matches (Ziv & Lempel 1977), the bound
// grows with the number of pieces of the hypothesis that the paths consist of.
class Recursion {
 public:
  Recursion(const Evidence& evidence, const std::int32_t* hypothesis, std::int32_t positions)
      : evidence_(evidence),
        hypothesis_(hypothesis),
        positions_(positions),
        words_(hypothesis, positions, evidence.labels),
        from_(static_cast<std::size_t>(positions) + 2),
        before_(static_cast<std::size_t>(positions) + 1),
        arc_(before_.size()),
        skip_(before_.size(), 0) {
    for (std::int32_t q = 1; q <= positions_; ++q) skip_[q] = hypothesis[q - 1] != 0;
  }

  // Finds what the hypothesis meets, unless so many cells a state are too few.
  bool find(std::int32_t cells, Meetings& found) {
    cells_ = cells;
    is_whole_ = cells == positions_ + 1;
    forward();
    met_.clear();
    compacted_ = 0;
    if (!backward()) return false;
    tell(found);
    return true;
  }

 private:
  struct Cell {
    std::int32_t q;
    double mass;
  };
  struct Run {
    std::int32_t words;
    double gain;
  };
  struct Met {
    std::int32_t label, q;
    double mass, begin, end;
  };

  // ---- Forward ------------------------------------------------------------------------------------------------

  void forward() {
    const auto states = static_cast<std::size_t>(evidence_.states);
    require_bytes(static_cast<double>(states) * cells_ * sizeof(double));
    expected_.clear();
    expected_ = filled(states * static_cast<std::size_t>(cells_), 0.0);
    low_.assign(states, 0);
    if (!is_whole_) begin_band();
    double* start = row(0);
    for (std::int32_t q = 1; q < cells_; ++q) start[q] = start[q - 1] + skip_[q];
    for (std::int64_t first = 0, end = 0; first < evidence_.arcs; first = end) {
      const auto n = evidence_.target[first];
      for (end = first; end < evidence_.arcs && evidence_.target[end] == n; ++end) {}
      if (!is_whole_) place_band(n, first, end);
      double* here = row(n);
      for (auto a = first; a < end; ++a) {
        align(a);
        const double share = evidence_.share[a], *arc = arc_.data() + low_[n];
        for (std::int32_t k = 0; k < cells_; ++k) here[k] += share * arc[k];
      }
      if (!is_whole_) bound_outside(n, first, end);
    }
  }

  double* row(std::int32_t state) {
    return expected_.data() + static_cast<std::size_t>(state) * static_cast<std::size_t>(cells_);
  }
  std::int32_t high(std::int32_t state) const { return low_[state] + cells_ - 1; }
  bool holds(std::int32_t state, std::int32_t q) const { return low_[state] <= q && q <= high(state); }

  // The costs of an arc: before a position is skipped, and after. Returns the first q, which is 0, or one where all
  // before is beside the band that the arc comes from.
  std::int32_t align(std::int64_t a) {
    const auto n = evidence_.target[a], source = evidence_.source[a], label = evidence_.label[a];
    const auto begin = std::min(low_[n], low_[source]), end = high(n);
    poll(4 * (end - begin + 1));
    const double outside = is_whole_ ? 0 : outside_[source];
    double* from = from_.data() + 1;  // by q, from -1 on
    const auto known = std::min(end, high(source));
    std::fill(from + begin - 1, from + low_[source], outside);
    if (known >= low_[source]) std::copy_n(row(source), known - low_[source] + 1, from + low_[source]);
    std::fill(from + std::max(begin - 1, known + 1), from + end + 1, outside);
    const double skipped = label == 0 ? 0 : skipped_word;
    const std::int32_t* said = hypothesis_ - 1;
    double *before = before_.data(), *arc = arc_.data();
    auto q = begin;
    double best = outside;
    if (q == 0) best = arc[0] = before[0] = from[0] + skipped, ++q;
    for (auto k = q; k <= end; ++k) {
      const double meeting = from[k - 1] + static_cast<double>(said[k] != label), skipping = from[k] + skipped;
      before[k] = skipping < meeting ? skipping : meeting;
    }
    for (; q <= end; ++q) arc[q] = best = std::min(before[q], best + skip_[q]);
    return begin;
  }

  // ---- The band -----------------------------------------------------------------------------------------------

  void begin_band() {
    const auto states = static_cast<std::size_t>(evidence_.states);
    outside_.assign(states, 0);
    level_.assign(states, 0);
    runs_.assign(states, {});
    readers_.assign(states, 0);
    reached_.assign(states, 0);
    for (std::int64_t a = 0; a < evidence_.arcs; ++a) ++readers_[evidence_.source[a]];
    level_[0] = outside_[0] = words_.before(high(0) + 1) - margin;
    if (!left_.empty()) return;
    // How many words follow a state, on average.
    std::vector<double> passed(states, 0);
    left_.assign(states, 0);
    passed.back() = 1;
    for (std::int64_t a = evidence_.arcs - 1; a >= 0; --a) {
      const auto n = evidence_.target[a], source = evidence_.source[a];
      if (a + 1 == evidence_.arcs || evidence_.target[a + 1] != n) left_[n] /= std::max(passed[n], least_passed);
      const double part = std::max(passed[n], least_passed) * evidence_.share[a];
      passed[source] += part;
      left_[source] += part * (left_[n] + (evidence_.label[a] != 0));
    }
    left_[0] /= std::max(passed[0], least_passed);
  }

  // Around the words that the states before have come to, and one more.
  void place_band(std::int32_t n, std::int64_t first, std::int64_t end) {
    double reached = 0;
    for (auto a = first; a < end; ++a)
      reached += evidence_.share[a] * (reached_[evidence_.source[a]] + (evidence_.label[a] != 0));
    const auto words = static_cast<std::int32_t>(std::clamp(reached + 0.5, 0.0, static_cast<double>(words_.size())));
    const auto last = positions_ + 1 - cells_;
    low_[n] = n == evidence_.states - 1 ? last : std::clamp(words_.last(words) - cells_ / 2, 0, last);
  }

  // A bound for the cells beside the band, and where the paths to a state seem to have come to.
  void bound_outside(std::int32_t n, std::int64_t first, std::int64_t end) {
    gains_.clear();
    for (auto a = first; a < end; ++a) bound_outside_of(n, a);
    std::sort(gains_.begin(), gains_.end(), [](const Run& x, const Run& y) { return x.words < y.words; });
    auto& runs = runs_[n];
    double most = 0;
    for (const auto& gain : gains_) {
      if (!runs.empty() && runs.back().words == gain.words)
        runs.back().gain += gain.gain;
      else
        runs.push_back(gain);
      most = std::max(most, runs.back().gain);
    }
    outside_[n] = level_[n] - most;
    for (auto a = first; a < end; ++a)
      if (--readers_[evidence_.source[a]] == 0) std::vector<Run>().swap(runs_[evidence_.source[a]]);
    const double* here = row(n);
    double least = infinite;
    for (std::int32_t k = 0; k < cells_; ++k) {
      const auto words = words_.before(low_[n] + k);
      const double cost = here[k] + std::fabs(left_[n] - (words_.size() - words)) / 2;
      if (cost < least) least = cost, reached_[n] = words;
    }
  }

  void bound_outside_of(std::int32_t n, std::int64_t a) {
    const auto source = evidence_.source[a], label = evidence_.label[a];
    const double share = evidence_.share[a], before = level_[source];
    double level = std::min(1 + outside_[source], leaving(n, source) - margin);
    if (label == 0) level = std::min(level, before);
    level_[n] += share * level;
    const auto gain = [&](std::int32_t words, double cost) {
      if (cost < level && !(low_[n] <= words_.first(words) && words_.last(words) <= high(n)))
        gains_.push_back({words, share * (level - cost)});
    };
    const auto& runs = runs_[source];
    poll(static_cast<std::int64_t>(4 * runs.size() + 20));
    if (label == 0) {
      for (const auto& run : runs) gain(run.words, before - run.gain);
    } else if (before < level) {
      auto run = runs.begin();
      words_.each(label, [&](std::int32_t word) {
        poll(4);
        while (run != runs.end() && run->words < word - 1) ++run;
        gain(word, run != runs.end() && run->words == word - 1 ? before - run->gain : before);
      });
    } else {
      for (const auto& run : runs)
        if (run.words < words_.size() && hypothesis_[words_.first(run.words + 1) - 1] == label)
          gain(run.words + 1, before - run.gain);
    }
  }

  // The least cost of cells in the band of a source from which an arc may lead beside the band of n.
  double leaving(std::int32_t n, std::int32_t source) {
    const double* from = row(source);
    const auto first = low_[source], last = high(source), end = high(n);
    double least = infinite;
    for (auto q = first; q < low_[n] && q <= last; ++q) least = std::min(least, from[q - first]);
    if (end == positions_) return least;
    // All before the last cell cost at least as much, up to the margin: positions are skipped from there.
    for (auto q = std::max(end, first); q <= last; ++q) least = std::min(least, from[q - first]);
    if (last < end)
      least = std::min(least, from[last - first] + std::max(0, words_.before(end + 1) - words_.before(last) - 1));
    return least;
  }

  // ---- Backward -----------------------------------------------------------------------------------------------

  // What goes back from the end along the choices that are least on average, and what it meets on its way. Says whether
  // all that it saw is certain.
  bool backward() {
    passing_.assign(static_cast<std::size_t>(evidence_.states), {});
    passing_.back().push_back({positions_, 1.0});
    risk_ = row(evidence_.states - 1)[cells_ - 1];
    std::vector<Cell> here;
    for (std::int64_t a = evidence_.arcs - 1; a >= 0; --a) {
      const auto n = evidence_.target[a];
      if (a + 1 == evidence_.arcs || evidence_.target[a + 1] != n) gather(passing_[n], here);
      if (here.empty()) continue;
      const auto begin = align(a);
      if (!go_back(a, begin, here)) return false;
    }
    gather(passing_[0], here);
    double mass = 0;
    auto cell = here.begin();
    for (auto q = positions_; q >= 1; --q) {
      if (cell != here.end() && cell->q == q) mass += cell++->mass;
      if (mass != 0) meet(0, q, mass, 0, 0);
    }
    return true;
  }

  // Sums up what comes to each cell, in the order in which it came; from the last cell to the first.
  static void gather(std::vector<Cell>& passing, std::vector<Cell>& here) {
    here.clear();
    std::stable_sort(passing.begin(), passing.end(), [](const Cell& x, const Cell& y) { return x.q > y.q; });
    for (const auto& cell : passing) {
      if (!here.empty() && here.back().q == cell.q)
        here.back().mass += cell.mass;
      else
        here.push_back(cell);
    }
    std::vector<Cell>().swap(passing);
  }

  // Ties: to meet, then to skip the word.
  bool go_back(std::int64_t a, std::int32_t begin, const std::vector<Cell>& here) {
    const auto source = evidence_.source[a], label = evidence_.label[a];
    const double share = evidence_.share[a], skipped = label == 0 ? 0 : skipped_word;
    const double* from = from_.data() + 1;
    auto& passing = passing_[source];
    double mass = 0;
    bool is_asked = false;  // whether the cost of the arc at q has to be certain
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
      const double skipping = (q > begin ? arc_[q - 1] : outside_[source]) + skip_[q];
      const double most = std::min(before, skipping) + beyond_ties;
      is_asked = skipping <= most;
      const bool may_meet = meeting <= most, may_skip = from[q] + skipped <= most;
      if ((may_meet && !holds(source, q - 1)) || (may_skip && !holds(source, q))) return false;
      const bool skips_position = before > skipping + tie, meets = meeting <= before + tie;
      const bool moves = mass != 0 && !skips_position;
      if (mass != 0 && skips_position) meet(0, q, mass, evidence_.target[a], evidence_.target[a]);
      if (moves && meets) meet(label, q, mass, source, evidence_.target[a]);
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

  void meet(std::int32_t label, std::int32_t q, double mass, std::int32_t from, std::int32_t to) {
    if (met_.size() >= 2 * compacted_ + (std::size_t{1} << 16)) compact();
    const double* times = evidence_.times;
    met_.push_back({label, q, mass, times ? mass * times[from] : 0, times ? mass * times[to] : 0});
  }

  // Sums up what was met, in the order in which it was.
  void compact() {
    poll(static_cast<std::int64_t>(100 * met_.size()));
    std::stable_sort(met_.begin(), met_.end(),
                     [](const Met& x, const Met& y) { return x.q != y.q ? x.q < y.q : x.label < y.label; });
    std::size_t size = 0;
    for (const auto& met : met_) {
      if (size > 0 && met_[size - 1].q == met.q && met_[size - 1].label == met.label) {
        met_[size - 1].mass += met.mass;
        met_[size - 1].begin += met.begin;
        met_[size - 1].end += met.end;
      } else {
        met_[size++] = met;
      }
    }
    met_.resize(size);
    compacted_ = size;
  }

  void tell(Meetings& found) {
    compact();
    found.risk = risk_;
    for (const auto& met : met_) {
      found.label.push_back(met.label);
      found.position.push_back(met.q - 1);
      found.mass.push_back(met.mass);
      if (!evidence_.times) continue;
      found.begin.push_back(met.begin);
      found.end.push_back(met.end);
    }
  }

  static constexpr double least_passed = 1e-300;

  const Evidence& evidence_;
  const std::int32_t* hypothesis_;
  const std::int32_t positions_;
  const Words words_;
  std::int32_t cells_ = 0;  // of each state
  bool is_whole_ = true;    // whether these are all
  double risk_ = 0;
  std::vector<double> expected_;           // by state and cell
  std::vector<std::int32_t> low_;          // of a state: its first cell
  std::vector<double> outside_, level_;    // of a state: bounds of the cells beside the band
  std::vector<std::vector<Run>> runs_;     // of a state: by words
  std::vector<std::int64_t> readers_;      // of a state: the arcs from it that are to come
  std::vector<double> reached_, left_;     // of a state: words before and after it
  std::vector<Run> gains_;                 // of the state at hand
  std::vector<double> from_, before_, arc_;  // of the arc at hand, by q
  std::vector<double> skip_;               // what a position costs that meets no word
  std::vector<std::vector<Cell>> passing_;  // by state, what came to which cell
  std::vector<Met> met_;
  std::size_t compacted_ = 0;
};

// A table of so many cells is made as a whole.
constexpr double small_table = 1 << 20;

// Of a state, at first.
constexpr std::int32_t first_band = 256;

}  // namespace

Meetings meet_words(const Evidence& evidence, const std::int32_t* hypothesis, std::int32_t positions,
                    std::int32_t first_cells) {
  Recursion recursion(evidence, hypothesis, positions);
  Meetings found;
  const std::int32_t all = positions + 1;
  std::int64_t cells = first_cells;
  if (cells == 0) cells = static_cast<double>(evidence.states) * all <= small_table ? all : first_band;
  while (!recursion.find(static_cast<std::int32_t>(std::min<std::int64_t>(cells, all)), found)) cells *= 2;
  return found;
}

}  // namespace latticemetric
