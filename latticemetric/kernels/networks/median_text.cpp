#include "networks/median_text.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <unordered_map>

#include "memory/budget.hpp"

namespace latticemetric {
namespace {

// A state has a position in each text: how many of its words are aligned. An arc aligns the next words of some texts
// with one word of the median, or removes the next word of one text. A* (Hart, Nilsson & Raphael 1968) finds the
// cheapest path to the ends of all texts.
//
// What is left costs at least Σ share(i, j) · distance(rest of i, rest of j) over all pairs, if the shares of a text's
// pairs add up to at most its weight: the distances of the median from i and from j add up to at least that from i to j.
class MedianSearch {
 public:
  MedianSearch(const WeightedTexts& given, double known, double tolerance)
      : given_(given), count_(given.texts), known_(known), most_(known - tolerance) {
    double least = given.weight[0];
    for (std::int32_t i = 0; i < count_; ++i) {
      whole_ += given.weight[i];
      least = std::min(least, given.weight[i]);
    }
    for (std::int32_t i = 0; i < count_; ++i)
      for (std::int32_t j = i + 1; j < count_; ++j)
        share_.push_back(given.weight[i] * given.weight[j] / (whole_ - least));
  }

  MedianText run(std::int64_t most_arcs, std::int64_t most_cells) {
    MedianText found;
    found.cost = known_;
    if (!make_tables(most_cells)) return found;
    std::vector<std::int64_t> place(static_cast<std::size_t>(count_), 0);
    reach(0, 0, -1, 0, estimate(place));
    while (!open_.empty() && open_.top().estimate <= most_) {
      const auto next = open_.top();
      open_.pop();
      auto& state = states_[static_cast<std::size_t>(next.state)];
      if (state.is_done) continue;
      state.is_done = true;
      place = place_of(state.code);
      if (left_in(place) == 0) {
        found.is_better = true;
        found.cost = found.bound = state.cost;
        for (auto s = next.state; s > 0; s = states_[static_cast<std::size_t>(s)].before)
          if (const auto word = states_[static_cast<std::size_t>(s)].word; word > 0) found.word.push_back(word);
        std::reverse(found.word.begin(), found.word.end());
        return found;
      }
      if ((most_arcs -= (std::int64_t{1} << left_in(place)) - 1) < 0) {
        found.bound = next.estimate;
        return found;
      }
      expand(next.state, place);
    }
    found.bound = known_;
    return found;
  }

 private:
  struct State {
    std::uint64_t code;
    double cost;
    std::int64_t before;
    std::int32_t word;  // of the median, on the arc that leads here; 0 for none
    bool is_done;
  };
  struct Open {
    double estimate;
    std::int64_t state;
    // The least estimate first; of equal ones, the latest, which is nearest to the end.
    bool operator<(const Open& other) const {
      return estimate != other.estimate ? estimate > other.estimate : state < other.state;
    }
  };

  std::int64_t size(std::int32_t i) const { return given_.begin[i + 1] - given_.begin[i]; }
  std::int32_t word(std::int32_t i, std::int64_t place) const { return given_.word[given_.begin[i] + place]; }

  // Makes the table of the distances of all rests of each pair of texts. Returns whether they, and codes, are small.
  bool make_tables(std::int64_t most_cells) {
    if (count_ > most_median_texts) return false;
    double cells = 0, codes = 1;
    for (std::int32_t i = 0; i < count_; ++i) {
      codes *= static_cast<double>(size(i) + 1);
      for (std::int32_t j = i + 1; j < count_; ++j)
        cells += static_cast<double>(size(i) + 1) * static_cast<double>(size(j) + 1);
    }
    if (cells > static_cast<double>(most_cells) || codes > 9e18) return false;
    for (std::int32_t i = 0; i < count_; ++i)
      for (std::int32_t j = i + 1; j < count_; ++j) tables_.push_back(rests(i, j));
    return true;
  }

  std::vector<std::int32_t> rests(std::int32_t i, std::int32_t j) const {
    const auto rows = size(i), width = size(j) + 1;
    std::vector<std::int32_t> table(static_cast<std::size_t>((rows + 1) * width));
    for (auto a = rows; a >= 0; --a) {
      auto* const row = table.data() + a * width;
      const auto* const below = row + width;
      for (auto b = width - 1; b >= 0; --b) {
        if (a == rows) {
          row[b] = static_cast<std::int32_t>(width - 1 - b);
        } else if (b == width - 1) {
          row[b] = static_cast<std::int32_t>(rows - a);
        } else {
          row[b] = std::min({below[b + 1] + (word(i, a) != word(j, b)), below[b] + 1, row[b + 1] + 1});
        }
      }
      poll(width);
    }
    return table;
  }

  double estimate(const std::vector<std::int64_t>& place) const {
    double sum = 0;
    std::size_t pair = 0;
    for (std::int32_t i = 0; i < count_; ++i)
      for (std::int32_t j = i + 1; j < count_; ++j, ++pair)
        sum += share_[pair] * tables_[pair][static_cast<std::size_t>(place[i] * (size(j) + 1) + place[j])];
    return sum;
  }

  std::vector<std::int64_t> place_of(std::uint64_t code) const {
    std::vector<std::int64_t> place;
    for (std::int32_t i = 0; i < count_; ++i) {
      const auto radix = static_cast<std::uint64_t>(size(i) + 1);
      place.push_back(static_cast<std::int64_t>(code % radix));
      code /= radix;
    }
    return place;
  }

  std::uint64_t code_of(const std::vector<std::int64_t>& place) const {
    std::uint64_t code = 0;
    for (auto i = count_; i-- > 0;)
      code = code * static_cast<std::uint64_t>(size(i) + 1) + static_cast<std::uint64_t>(place[i]);
    return code;
  }

  // Returns the number of texts that have words left.
  std::int32_t left_in(const std::vector<std::int64_t>& place) const {
    std::int32_t left = 0;
    for (std::int32_t i = 0; i < count_; ++i) left += place[i] < size(i);
    return left;
  }

  void reach(std::uint64_t code, double cost, std::int64_t before, std::int32_t word, double left) {
    const auto estimate = cost + left;
    if (estimate > most_) return;
    const auto [at, is_new] = number_of_.try_emplace(code, static_cast<std::int64_t>(states_.size()));
    if (is_new) {
      states_.push_back({code, cost, before, word, false});
    } else {
      auto& known = states_[static_cast<std::size_t>(at->second)];
      if (known.is_done || known.cost <= cost) return;
      known.cost = cost, known.before = before, known.word = word;
    }
    open_.push({estimate, at->second});
  }

  void expand(std::int64_t from, const std::vector<std::int64_t>& place) {
    std::vector<std::int32_t> active;
    for (std::int32_t i = 0; i < count_; ++i)
      if (place[i] < size(i)) active.push_back(i);
    const auto next_word = [&](std::int32_t i) { return word(i, place[i]); };
    const bool all_equal = static_cast<std::int32_t>(active.size()) == count_ &&
                           std::all_of(active.begin(), active.end(),
                                       [&](std::int32_t i) { return next_word(i) == next_word(active[0]); });
    // If all texts go on with the same word, some best median does, too.
    const auto all = (1u << active.size()) - 1;
    for (auto subset = all_equal ? all : 1u; subset <= all; ++subset) {
      auto after = place;
      double most = 0;
      std::int32_t best = 0;
      for (std::size_t a = 0; a < active.size(); ++a) {
        if (!(subset >> a & 1)) continue;
        ++after[active[a]];
        double weight = 0;
        for (std::size_t b = 0; b < active.size(); ++b)
          if (subset >> b & 1 && next_word(active[b]) == next_word(active[a])) weight += given_.weight[active[b]];
        if (weight > most) most = weight, best = next_word(active[a]);
      }
      const auto before = states_[static_cast<std::size_t>(from)].cost;
      const auto left = estimate(after);
      const auto code = code_of(after);
      reach(code, before + (whole_ - most), from, best, left);
      if ((subset & (subset - 1)) == 0) reach(code, before + most, from, 0, left);
      poll(20 * count_ * count_);
    }
  }

  const WeightedTexts& given_;
  const std::int32_t count_;
  const double known_, most_;
  double whole_ = 0;
  std::vector<double> share_;                      // by pair of texts
  std::vector<std::vector<std::int32_t>> tables_;  // likewise: the distance of the rests from each pair of positions
  std::vector<State> states_;
  std::unordered_map<std::uint64_t, std::int64_t> number_of_;
  std::priority_queue<Open> open_;
};

}  // namespace

MedianText median_text(const WeightedTexts& given, double known, double tolerance, std::int64_t most_arcs,
                       std::int64_t most_cells) {
  return MedianSearch(given, known, tolerance).run(most_arcs, most_cells);
}

}  // namespace latticemetric
