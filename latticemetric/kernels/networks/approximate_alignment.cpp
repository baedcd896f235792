#include "networks/approximate_alignment.hpp"

#include <algorithm>

#include "memory/budget.hpp"

namespace latticemetric {
namespace {

// Words score that match, errors cost. Words of the hypothesis may be passed over, for a price that grows with their
// number, which a run of matches has to earn; what lies far below the best of its state is dropped. So speech that a
// system left out, or that only one has, leads no alignment astray for long.
constexpr float match = 1, error = -0.5F, passing_one = -1, passing_many = -6, passing_each = -0.01F, far = -10;

// Of a state, at most.
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

  // What an arc leads to.
  void reach(std::int64_t a) {
    const auto source = evidence_.source[a], label = evidence_.label[a];
    const auto *cell = begin(source), *const last = end(source);
    poll(10 * (last - cell) + 20);
    if (label == 0) {
      for (; cell != last; ++cell) add(cell->words, cell->score);
      return;
    }
    // By words, as the cells of the source and the places of the word are.
    const auto* other = cell;  // the last one before the word, if any
    const auto go_on = [&](std::int32_t words) {
      for (; other != last && other->words < words; ++other) {
        add(other->words, other->score + error);
        add(other->words + 1, other->score + error);
      }
    };
    float most = -1e30F;  // of the cells before, with what it costs to pass all words
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

  // A cell that is reached, after those of fewer words, or of one word more.
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

  // Keeps what may still be the best, by words.
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

  // From the end, each state follows its most probable arc.
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

  // The cell of the source that an arc comes from best.
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
  std::vector<std::size_t> begin_;  // of a state's cells
  std::ptrdiff_t first_ = 0;        // of the cells that the arc at hand reaches
  float most_ = 0;                  // the best score of these cells
};

}  // namespace

std::vector<std::int32_t> approximate_alignment(const EvidenceLattice& evidence, const HypothesisWords& words) {
  return ApproximateAlignment(evidence, words).places();
}

}  // namespace latticemetric
