#include "networks/approximate_alignment.hpp"

#include <algorithm>

#include "memory/budget.hpp"

namespace latticemetric {
namespace {

// Scores: a match scores, an error costs. Words of the hypothesis may also be passed over, at a price that grows with
// their number and that a run of matches has to earn. Cells far below the best one of their state are dropped. So
// speech that only one side has misleads no alignment for long.
constexpr float match = 1, error = -0.5F, passing_one = -1, passing_many = -6, passing_each = -0.01F, far = -10;

// A state that reaches more than twice as many cells keeps the best `most_cells` of them.
constexpr std::size_t most_cells = 128;

class ApproximateAlignment {
 public:
  ApproximateAlignment(const EvidenceLattice& evidence, const HypothesisWords& words)
      : evidence_(evidence), words_(words), begin_(static_cast<std::size_t>(evidence.states) + 1, 0) {}

  std::vector<std::int32_t> places() {
    std::int64_t a = 0;
    for (std::int32_t n = 0; n < evidence_.states; ++n) {
      reached_.clear();
      most_ = -1e30F;
      if (a == evidence_.arcs || evidence_.target[a] != n) reached_.push_back({0, 0});
      for (; a < evidence_.arcs && evidence_.target[a] == n; ++a) {
        first_ = static_cast<std::ptrdiff_t>(reached_.size());
        reach(a);
      }
      keep();
      begin_[static_cast<std::size_t>(n) + 1] = cells_.size();
    }
    return go_back();
  }

 private:
  struct Cell {
    std::int32_t words;
    float score;
  };

  const Cell* begin(std::int32_t state) const { return cells_.data() + begin_[state]; }
  const Cell* end(std::int32_t state) const { return cells_.data() + begin_[static_cast<std::size_t>(state) + 1]; }

  // Adds the cells that an arc leads to.
  void reach(std::int64_t a) {
    const auto source = evidence_.source[a], label = evidence_.label[a];
    const auto *cell = begin(source), *const last = end(source);
    poll(10 * (last - cell) + 20);
    if (label == 0) {
      for (; cell != last; ++cell) add(cell->words, cell->score);
      return;
    }
    // Goes on by number of words: the cells of the source and the positions of the word are both sorted by it.
    const auto* other = cell;  // the first cell whose errors are not added yet
    const auto go_on = [&](std::int32_t words) {
      for (; other != last && other->words < words; ++other) {
        add(other->words, other->score + error);
        add(other->words + 1, other->score + error);
      }
    };
    float most = -1e30F;  // the best of the cells before, each with `passing_each` taken off for its words
    words_.each(label, [&](std::int32_t word) {
      poll(4);
      go_on(word - 1);
      for (; cell != last && cell->words < word; ++cell)
        most = std::max(most, cell->score - passing_each * static_cast<float>(cell->words));
      if (cell == begin(source)) return;
      float score = most + passing_many + passing_each * static_cast<float>(word);
      if ((cell - 1)->words == word - 1) score = std::max(score, (cell - 1)->score);
      for (const auto* one = cell - 1; one != begin(source) - 1 && one->words >= word - 2; --one)
        if (one->words == word - 2) score = std::max(score, one->score + passing_one);
      if (score + match <= most_ + far) return;
      go_on(word);
      add(word, score + match);
    });
    go_on(words_.size() + 1);
  }

  // Adds a cell that the current arc reaches. It comes after the arc's cells of fewer words, but maybe after one with a
  // word more.
  void add(std::int32_t words, float score) {
    if (words > words_.size() || score <= most_ + far) return;
    most_ = std::max(most_, score);
    auto cell = reached_.end();
    while (cell != reached_.begin() + first_ && (cell - 1)->words > words) --cell;
    if (cell != reached_.begin() + first_ && (cell - 1)->words == words)
      (cell - 1)->score = std::max((cell - 1)->score, score);
    else
      reached_.insert(cell, {words, score});
  }

  // Keeps the cells of a state that may still become the best: one for each number of words, sorted by it.
  void keep() {
    const auto goes_before = [](const Cell& x, const Cell& y) {
      return x.words != y.words ? x.words < y.words : x.score > y.score;
    };
    auto last = std::remove_if(reached_.begin(), reached_.end(),
                               [this](const Cell& cell) { return cell.score <= most_ + far; });
    if (last - reached_.begin() > static_cast<std::ptrdiff_t>(2 * most_cells)) {
      const auto cut = reached_.begin() + static_cast<std::ptrdiff_t>(most_cells);
      std::nth_element(reached_.begin(), cut, last, [](const Cell& x, const Cell& y) { return x.score > y.score; });
      last = cut;
    }
    if (!std::is_sorted(reached_.begin(), last, goes_before)) std::sort(reached_.begin(), last, goes_before);
    last = std::unique(reached_.begin(), last, [](const Cell& x, const Cell& y) { return x.words == y.words; });
    cells_.insert(cells_.end(), reached_.begin(), last);
  }

  // Goes back from the end. Each state gets its place from the most probable arc out of it.
  std::vector<std::int32_t> go_back() {
    const auto states = static_cast<std::size_t>(evidence_.states);
    std::vector<std::int32_t> place(states, 0);
    std::vector<double> passed(states, 0), most(states, -1);
    place.back() = best(evidence_.states - 1);
    passed.back() = 1;
    for (std::int64_t a = evidence_.arcs - 1; a >= 0; --a) {
      const auto n = evidence_.target[a], source = evidence_.source[a];
      const double part = passed[n] * evidence_.share[a];
      passed[source] += part;
      if (part <= most[source]) continue;
      most[source] = part;
      place[source] = before(a, place[n]);
    }
    return place;
  }

  std::int32_t best(std::int32_t state) const {
    return std::max_element(begin(state), end(state), [](const Cell& x, const Cell& y) { return x.score < y.score; })
        ->words;
  }

  // Returns the number of words of the source's cell from which an arc best leads to `words`.
  std::int32_t before(std::int64_t a, std::int32_t words) const {
    const auto source = evidence_.source[a], label = evidence_.label[a];
    const bool matches = label != 0 && words_.has(words, label);
    std::int32_t found = words;
    float score = -1e30F;
    for (const auto* cell = begin(source); cell != end(source) && cell->words <= words; ++cell) {
      const auto step = words - cell->words;
      float here = cell->score + passing_many + passing_each * static_cast<float>(step);
      if (label == 0 ? step == 0 : matches && step == 1)
        here = cell->score;
      else if (label != 0 && step <= 1)
        here = cell->score + error - match;
      else if (matches && step == 2)
        here = cell->score + passing_one;
      if (here > score) score = here, found = cell->words;
    }
    return found;
  }

  const EvidenceLattice& evidence_;
  const HypothesisWords& words_;
  std::vector<Cell> cells_, reached_;
  std::vector<std::size_t> begin_;  // by state: its first cell
  std::ptrdiff_t first_ = 0;        // the first cell in `reached_` of the current arc
  float most_ = 0;                  // the best score in `reached_`
};

}  // namespace

std::vector<std::int32_t> approximate_alignment(const EvidenceLattice& evidence, const HypothesisWords& words) {
  return ApproximateAlignment(evidence, words).places();
}

}  // namespace latticemetric
