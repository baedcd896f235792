#include "strings/pair_gains.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "memory/budget.hpp"

// V(i, j, m) is the best completion after i reference and j hypothesis words, with m matches just before, as in
// strings/alignment.cpp:
//
//   N(i, j)    = max( V(i+1, j+1, 0),  V(i+1, j, 0) - beta,  V(i, j+1, 0) - alpha )
//   V(i, j, m) = max( N(i, j),  (m+1) unit + V(i+1, j+1, min(m+1, order-1))  if c[j] = r[i] )
//
// Each hypothesis is a lane of a vector, so no step depends on a neighbouring lane. The hypotheses of a batch end
// together. V looks towards the end: padding before the first word of a shorter hypothesis, which equals no word, has no
// influence on it, and its gain is read where it begins.
namespace latticemetric {
namespace {

template <typename Key>
struct GainLanes {
  typedef Key Vector __attribute__((vector_size(16)));
  static constexpr std::int64_t count = 16 / sizeof(Key);

  static Vector all(std::int64_t value) { return Vector{} + static_cast<Key>(value); }
  static Vector larger(Vector a, Vector b) { return a > b ? a : b; }
  static bool any(Vector mask) {
    const auto halves = reinterpret_cast<Halves>(mask);
    return (halves[0] | halves[1]) != 0;
  }

 private:
  typedef std::uint64_t Halves __attribute__((vector_size(16)));
};

constexpr std::int32_t strange = 0;  // the place of words that the reference lacks

template <typename Key>
class Batches {
  using L = GainLanes<Key>;
  using Vector = typename L::Vector;
  // A vector in a container keeps its alignment only as a member of a struct.
  struct Cell {
    Vector vector;
  };

 public:
  Batches(Gains gains, const Strings& hypotheses, std::int32_t highest)
      : gains_(gains), hypotheses_(hypotheses), by_length_(hypotheses.count), place_(std::size_t{2} + highest, strange) {
    std::iota(by_length_.begin(), by_length_.end(), 0);
    std::stable_sort(by_length_.begin(), by_length_.end(),
                     [&](auto a, auto b) { return hypotheses.at(a).size < hypotheses.at(b).size; });
    for (std::int64_t first = 0; first < hypotheses.count; first += L::count)
      line_up(by_length_.data() + first, lanes_from(first), highest + 1);
  }

  // Computes the gains of all hypotheses against one reference.
  void against(String reference, std::int64_t* gains) {
    reference_.clear();
    for (std::int64_t i = 0; i < reference.size; ++i) {
      std::int32_t& place = place_[reference.begin[i]];
      if (place == strange) place = static_cast<std::int32_t>(i + 1);
      reference_.push_back({L::all(place)});
    }
    const std::int32_t* words = words_.data();
    for (std::int64_t first = 0; first < hypotheses_.count; first += L::count) {
      // Loops are unrolled for orders that are known at compile time.
      const auto score = gains_.order == 1   ? &Batches::template score<1>
                         : gains_.order == 4 ? &Batches::template score<4>
                                             : &Batches::template score<0>;
      words = (this->*score)(by_length_.data() + first, lanes_from(first), words, gains);
    }
    for (std::int64_t i = 0; i < reference.size; ++i) place_[reference.begin[i]] = strange;
  }

 private:
  std::int64_t lanes_from(std::int64_t first) const { return std::min(L::count, hypotheses_.count - first); }

  // Appends the words of a batch, whose hypotheses are sorted by length: word by word, one lane per hypothesis, so that
  // all of them end together.
  void line_up(const std::int64_t* batch, std::int64_t lanes, std::int32_t none) {
    const auto longest = hypotheses_.at(batch[lanes - 1]).size;
    const auto begin = words_.size();
    words_.resize(begin + longest * L::count, none);
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      const String hypothesis = hypotheses_.at(batch[lane]);
      std::int32_t* word = words_.data() + begin + (longest - hypothesis.size) * L::count + lane;
      for (std::int64_t j = 0; j < hypothesis.size; ++j, word += L::count) *word = hypothesis.begin[j];
    }
  }

  // Scores a batch whose words begin at `words`. Returns where the words of the next batch begin.
  template <std::int32_t known>
  const std::int32_t* score(const std::int64_t* batch, std::int64_t lanes, const std::int32_t* words,
                            std::int64_t* gains) {
    const auto longest = hypotheses_.at(batch[lanes - 1]).size;
    const auto size = (reference_.size() + 1) * gains_.order;
    here_.resize(size);
    below_.resize(size);
    end<known>();
    for (std::int64_t j = longest, lane = 0;; --j) {
      for (; lane < lanes && longest - hypotheses_.at(batch[lane]).size == j; ++lane)
        gains[batch[lane]] = here_[0].vector[lane];
      if (j == 0) return words + longest * L::count;
      poll(static_cast<std::int64_t>(here_.size()));
      std::swap(here_, below_);
      Vector word;
      for (std::int64_t k = 0; k < L::count; ++k)
        word[k] = static_cast<Key>(place_[words[(j - 1) * L::count + k]]);
      step<known>(word);
    }
  }

  // Computes the row after the last word of the hypothesis: the rest of the reference is deleted.
  template <std::int32_t known>
  void end() {
    const std::int32_t order = known ? known : gains_.order;
    Vector value{};
    for (auto i = static_cast<std::int64_t>(reference_.size()); i >= 0; --i, value -= L::all(gains_.beta))
      std::fill_n(here_.begin() + i * order, order, Cell{value});
  }

  // Computes the row before a word from the row after it. This is an unrolled form of `EditGains::each_reading`.
  template <std::int32_t known>
  void step(Vector word) {
    const std::int32_t order = known ? known : gains_.order;
    const EditGains<std::int64_t> gains(gains_);
    const Vector insertion = L::all(gains.insertion), deletion = L::all(gains.deletion);
    const Vector unit = L::all(gains.unit);
    const auto last = static_cast<std::int64_t>(reference_.size());
    Cell* cell = here_.data() + last * order;
    const Cell* after = below_.data() + last * order;  // at the same i
    Vector best = after->vector + insertion;
    std::fill_n(cell, order, Cell{best});
    for (std::int64_t i = last - 1; i >= 0; --i) {
      const Cell* matched = after;  // at i + 1
      after -= order;
      cell -= order;
      best = L::larger(L::larger(matched->vector, cell[order].vector + deletion), after->vector + insertion);
      const auto same = word == reference_[i].vector;
      std::fill_n(cell, order, Cell{best});
      if (!L::any(same)) continue;
      Vector gain = L::all(gains.match(0));  // raised by `unit` a step: a sum of lanes is faster than a product
      for (std::int32_t m = 0; m < order; ++m, gain += unit)
        cell[m].vector = same ? L::larger(best, matched[next_run(order, m)].vector + gain) : best;
    }
  }

  const Gains gains_;
  const Strings hypotheses_;
  std::vector<std::int64_t> by_length_;
  std::vector<std::int32_t> place_;  // by word: 1 + its first place in the reference; the last one is padding
  std::vector<std::int32_t> words_;  // of all batches, one after the other
  std::vector<Cell> reference_, here_, below_;
};

template <typename Key>
std::vector<std::int64_t> all_gains(Gains gains, const Strings& hypotheses, const Strings& references) {
  Batches<Key> batches(gains, hypotheses, hypotheses.bound() | references.bound());
  std::vector<std::int64_t> found(static_cast<std::size_t>(hypotheses.count) * references.count);
  for (std::int64_t r = 0; r < references.count; ++r) batches.against(references.at(r), &found[r * hypotheses.count]);
  return found;
}

}  // namespace

std::vector<std::int64_t> pair_gains(Gains gains, const Strings& hypotheses, const Strings& references) {
  const auto largest = largest_gain<Int128>(gains, hypotheses.longest(), references.longest());
  if (hypotheses.count == 0) return {};
  if (largest <= std::numeric_limits<std::int16_t>::max())
    return all_gains<std::int16_t>(gains, hypotheses, references);
  if (largest <= std::numeric_limits<std::int32_t>::max())
    return all_gains<std::int32_t>(gains, hypotheses, references);
  return all_gains<std::int64_t>(gains, hypotheses, references);
}

}  // namespace latticemetric
