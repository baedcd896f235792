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

enum class Move : std::uint8_t { meet, skip_word, skip_position };

class Recursion {
 public:
  Recursion(const Evidence& evidence, const std::int32_t* hypothesis, std::int32_t positions)
      : evidence_(evidence),
        positions_(static_cast<std::size_t>(positions)),
        width_(positions_ + 1),
        row_of_(static_cast<std::size_t>(evidence.labels), 0),
        expected_(filled(static_cast<std::size_t>(evidence.states) * width_, 0.0)),
        before_(width_),
        arc_(width_),
        skip_(width_, 0) {
    for (std::size_t q = 1; q <= positions_; ++q) skip_[q] = hypothesis[q - 1] != 0;
    substitution_.assign(width_, 1);  // the row of every word that the hypothesis does not have
    const auto add_row = [&](std::int32_t label) {
      if (row_of_[label] != 0) return;
      row_of_[label] = substitution_.size() / width_;
      substitution_.push_back(1);
      for (std::size_t q = 1; q <= positions_; ++q) substitution_.push_back(hypothesis[q - 1] != label);
    };
    add_row(0);
    for (std::size_t q = 0; q < positions_; ++q) add_row(hypothesis[q]);
  }

  // The expected distance of the paths to a state from the first q positions.
  double forward() {
    for (std::size_t q = 1; q <= positions_; ++q) expected_[q] = expected_[q - 1] + skip_[q];
    for (std::int64_t a = 0; a < evidence_.arcs; ++a) {
      poll(static_cast<std::int64_t>(4 * width_));
      align_either(a);
      double best = arc_[0] = before_[0];
      for (std::size_t q = 1; q <= positions_; ++q) arc_[q] = best = std::min(before_[q], best + skip_[q]);
      double* here = row(expected_, evidence_.target[a]);
      const double share = evidence_.share[a];
      for (std::size_t q = 0; q <= positions_; ++q) here[q] += share * arc_[q];
    }
    return expected_.back();
  }

  // What goes back from the end along the choices that are least on average, and what it meets on its way.
  void backward(Meetings& found) {
    const auto cells = static_cast<std::size_t>(evidence_.labels) * positions_;
    found.mass.assign(cells, 0);
    if (evidence_.times) found.begin.assign(cells, 0), found.end.assign(cells, 0);
    passing_ = filled(expected_.size(), 0.0);
    moves_.resize(width_);
    passing_.back() = 1;
    for (std::int64_t a = evidence_.arcs - 1; a >= 0; --a) {
      poll(static_cast<std::int64_t>(4 * width_));
      choose(a);
      go_back(a, found);
    }
    double mass = 0;
    for (std::size_t q = positions_; q >= 1; --q) meet(found, 0, q, mass += passing_[q], 0, 0);
  }

 private:
  template <typename T>
  T* row(std::vector<T>& table, std::int32_t state) {
    return table.data() + static_cast<std::size_t>(state) * width_;
  }

  // The costs before an arc's word meets a position or none, and no more positions are skipped.
  void align_either(std::int64_t a) {
    const double* from = row(expected_, evidence_.source[a]);
    const double* substitution = substitution_.data() + row_of_[evidence_.label[a]] * width_;
    const double skipped = evidence_.label[a] == 0 ? 0 : skipped_word;
    before_[0] = from[0] + skipped;
    for (std::size_t q = 1; q <= positions_; ++q)
      before_[q] = std::min(from[q - 1] + substitution[q], from[q] + skipped);
  }

  // Ties: to meet, then to skip the word.
  void choose(std::int64_t a) {
    const double* from = row(expected_, evidence_.source[a]);
    const double* substitution = substitution_.data() + row_of_[evidence_.label[a]] * width_;
    align_either(a);
    double best = before_[0];
    for (std::size_t q = 1; q <= positions_; ++q) {
      const double skipping = best + skip_[q];
      const bool meets = from[q - 1] + substitution[q] <= before_[q] + tie;
      moves_[q] = before_[q] > skipping + tie ? Move::skip_position : meets ? Move::meet : Move::skip_word;
      best = std::min(before_[q], skipping);
    }
  }

  void go_back(std::int64_t a, Meetings& found) {
    const double* here = row(passing_, evidence_.target[a]);
    double* from = row(passing_, evidence_.source[a]);
    const double share = evidence_.share[a];
    double mass = 0;
    for (std::size_t q = positions_; q >= 1; --q) {
      mass += share * here[q];
      if (mass == 0) continue;
      switch (moves_[q]) {
        case Move::meet:
          from[q - 1] += mass;
          meet(found, evidence_.label[a], q, mass, evidence_.source[a], evidence_.target[a]);
          mass = 0;
          break;
        case Move::skip_word:
          from[q] += mass;
          mass = 0;
          break;
        case Move::skip_position:
          meet(found, 0, q, mass, evidence_.target[a], evidence_.target[a]);
      }
    }
    from[0] += mass + share * here[0];
  }

  void meet(Meetings& found, std::int32_t label, std::size_t q, double mass, std::int32_t from, std::int32_t to) const {
    const auto cell = static_cast<std::size_t>(label) * positions_ + q - 1;
    found.mass[cell] += mass;
    if (!evidence_.times) return;
    found.begin[cell] += mass * evidence_.times[from];
    found.end[cell] += mass * evidence_.times[to];
  }

  const Evidence& evidence_;
  std::size_t positions_, width_;
  std::vector<std::size_t> row_of_;   // of a label, in the table of substitutions
  std::vector<double> substitution_;  // by row and position: what a word costs there
  std::vector<double> expected_;      // by state and position
  std::vector<double> passing_;       // likewise
  std::vector<double> before_, arc_;  // of the arc at hand, by position
  std::vector<double> skip_;          // what a position costs that meets no word
  std::vector<Move> moves_;           // of the arc at hand, by position
};

}  // namespace

Meetings meet_words(const Evidence& evidence, const std::int32_t* hypothesis, std::int32_t positions) {
  Recursion recursion(evidence, hypothesis, positions);
  Meetings found;
  found.risk = recursion.forward();
  recursion.backward(found);
  return found;
}

}  // namespace latticemetric
