#include "search/prefix_bounds.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "memory/budget.hpp"
#include "recognition/frequent_words.hpp"

namespace latticemetric {
namespace {

constexpr std::uint8_t most_spelled = 60;  // longer pieces count as this long

// Rows of the states that are still to be visited. A new row takes over the memory of a released one.
class SpelledRows {
 public:
  explicit SpelledRows(std::int32_t states) : row_(static_cast<std::size_t>(states)) {}

  bool has(std::int32_t s) const { return !row_[s].empty(); }
  std::uint8_t* begin(std::int32_t s, std::int32_t size) {
    auto& row = row_[s];
    if (row.empty()) {
      if (!spare_.empty()) {
        row = std::move(spare_.back());
        spare_.pop_back();
      }
      row.assign(static_cast<std::size_t>(size), 0);
    }
    return row.data();
  }
  void release(std::int32_t s) {
    if (row_[s].capacity() > 0) spare_.push_back(std::move(row_[s]));
    row_[s] = {};
  }

 private:
  std::vector<std::vector<std::uint8_t>> row_, spare_;
};

// Makes spelled pieces one word longer at the positions that have the word: `is_there` is 255 there, and 0 elsewhere.
void spell(std::uint8_t* __restrict into, std::uint8_t* __restrict longest, const std::uint8_t* __restrict before,
           const std::uint8_t* __restrict is_there, std::int32_t positions) {
  for (std::int32_t i = 0; i < positions; ++i) {
    const auto more = static_cast<std::uint8_t>(std::min(before[i], static_cast<std::uint8_t>(most_spelled - 1)) + 1);
    const auto spelled = static_cast<std::uint8_t>(more & is_there[i]);
    into[i] = std::max(into[i], spelled);
    longest[i] = std::max(longest[i], spelled);
  }
}

// Returns the share of one word in what all words lose after an error, rounded up. `lost` is indexed by the number of
// words.
PrefixBounds::Loss share(const std::vector<PrefixBounds::Loss>& lost) {
  const auto words = static_cast<PrefixBounds::Loss>(lost.size()) - 1;
  return words > 0 ? (lost.back() + words - 1) / words : 0;
}

}  // namespace

PrefixBounds::PrefixBounds(const Lattice& lattice, std::int32_t size, Gains gains, const Costs& costs)
    : lattice_(lattice),
      size_(size),
      gains_(gains, true),
      insertion_(-gains_.insertion),
      deletion_(-gains_.deletion),
      substitution_(-gains_.substitution),
      cheapest_(std::min({insertion_, deletion_, substitution_})),
      are_valid_(cheapest_ >= 0),
      share_(share(least_after_error())),
      after_error_(counted_after_error(share_)),
      deletion_alone_(deletion_ - share_),
      multipliers_(multipliers()),
      segments_(static_cast<std::size_t>(size) + 1) {
  choose_segments({});
  constexpr std::int32_t many = std::numeric_limits<std::int32_t>::max() / 2;
  const auto states = static_cast<std::size_t>(lattice.states);
  least_words_.assign(states, many);
  most_words_.assign(states, -many);
  least_cost_.assign(states, unreached);
  least_words_[0] = most_words_[0] = 0;
  least_cost_[0] = 0;
  for (std::int64_t a = 0; a < lattice.arcs; ++a) {
    const auto s = lattice.source[a], t = lattice.target[a];
    const std::int32_t words = lattice.label[a] != 0;
    least_words_[t] = std::min(least_words_[t], least_words_[s] + words);
    most_words_[t] = std::max(most_words_[t], most_words_[s] + words);
    least_cost_[t] = std::min(least_cost_[t], least_cost_[s] + costs.arc[a]);
  }
  least_words_after_.assign(states, many);
  most_words_after_.assign(states, -many);
  least_cost_after_.assign(states, unreached);
  std::int64_t a = lattice.arcs;
  for (std::int32_t s = lattice.states - 1; s >= 0; --s) {
    if (lattice.is_final(s)) {
      least_words_after_[s] = most_words_after_[s] = 0;
      least_cost_after_[s] = costs.end[s];
    }
    for (; a > 0 && lattice.source[a - 1] == s; --a) {
      const auto t = lattice.target[a - 1];
      const std::int32_t words = lattice.label[a - 1] != 0;
      least_words_after_[s] = std::min(least_words_after_[s], least_words_after_[t] + words);
      most_words_after_[s] = std::max(most_words_after_[s], most_words_after_[t] + words);
      least_cost_after_[s] = std::min(least_cost_after_[s], least_cost_after_[t] + costs.arc[a - 1]);
    }
  }
}

std::vector<PrefixBounds::Multiplier> PrefixBounds::multipliers() const {
  std::vector<Multiplier> multipliers;
  if (!are_valid_) return multipliers;
  const Loss turns[] = {2 * insertion_, -2 * deletion_alone_, 0, insertion_ - deletion_,
                        2 * (insertion_ - substitution_), 2 * (substitution_ - deletion_)};
  for (const auto turn : turns) {
    const Loss x = std::clamp(turn, -2 * deletion_alone_, 2 * insertion_);
    multipliers.push_back({x, std::min({2 * insertion_ - x, 2 * deletion_ + x, 2 * substitution_})});
  }
  return multipliers;
}

// Returns what 0 .. order - 1 words of the reference lose at least with no match before them.
std::vector<PrefixBounds::Loss> PrefixBounds::least_after_error() const {
  // `least` is indexed by the number of matches before the words that are left.
  std::vector<Loss> least(static_cast<std::size_t>(gains_.order), 0), lost{0};
  for (std::int32_t left = 1; left < gains_.order; ++left) {
    auto next = least;
    for (std::int32_t m = 0; m < gains_.order; ++m) {
      next[m] = least[0] + deletion_;
      gains_.each_pairing(0, m, true, [&](std::int32_t, std::int32_t run, Loss gain, Edit) {
        next[m] = std::min(next[m], least[run] - gain);
      });
    }
    least = std::move(next);
    lost.push_back(least[0]);
  }
  return lost;
}

// Returns the same, but counts no more than `share` for an additional word.
std::vector<PrefixBounds::Loss> PrefixBounds::counted_after_error(Loss share) const {
  auto counted = least_after_error();
  for (std::size_t words = 1; words < counted.size(); ++words)
    counted[words] = std::min(counted[words], counted[words - 1] + share);
  return counted;
}

// Returns the positions where a path through a state may be if it loses at most `most`. Only the lengths of paths
// before and after the state are used. Each of these two losses is the largest of three linear functions of the
// position, so their sum is the largest of nine.
PrefixBounds::Window PrefixBounds::window(std::int32_t s, Loss most) const {
  if (!is_reached(s) || least_words_after_[s] > most_words_after_[s]) return {};
  struct Line {
    Loss slope, value;
  };
  const Line before[] = {{0, 0}, {-insertion_, insertion_ * least_words_[s]}, {deletion_, -deletion_ * most_words_[s]}};
  const Line after[] = {{0, 0},
                        {insertion_, insertion_ * (least_words_after_[s] - size_)},
                        {-deletion_, deletion_ * (size_ - most_words_after_[s])}};
  const Loss left = most - least_cost_[s] - least_cost_after_[s];
  Loss first = 0, last = size_;
  for (const auto& one : before) {
    for (const auto& other : after) {
      const Loss slope = one.slope + other.slope, rest = left - one.value - other.value;
      const auto floor = [](Loss a, Loss b) { return a >= 0 ? a / b : -((b - 1 - a) / b); };
      if (slope > 0) last = std::min(last, floor(rest, slope));
      if (slope < 0) first = std::max(first, -floor(rest, -slope));
      if (slope == 0 && rest < 0) return {};
    }
  }
  if (first > last) return {};
  return {static_cast<std::int32_t>(first), static_cast<std::int32_t>(last)};
}

// Returns, for each position, the length of the longest piece of the reference that ends before it and that some path
// spells; at most `most_spelled` words.
std::vector<std::uint8_t> PrefixBounds::longest_spelled(const ReferencePositions& positions, Loss most) const {
  std::vector<std::uint8_t> longest(static_cast<std::size_t>(size_) + 1, 0);
  std::vector<Window> windows;
  windows.reserve(static_cast<std::size_t>(lattice_.states));
  for (std::int32_t s = 0; s < lattice_.states; ++s) windows.push_back(window(s, most));
  poll(20 * static_cast<std::int64_t>(lattice_.states));
  const auto width = [&](std::int32_t s) { return windows[s].last - windows[s].first + 1; };
  SpelledRows rows(lattice_.states);
  PositionCursors cursors(positions);
  FrequentWords<std::uint8_t> frequent(positions, size_, 40);
  const std::vector<std::uint8_t> nothing_spelled(longest.size(), 0);
  std::int64_t a = 0;
  for (std::int32_t s = 0; s < lattice_.states; ++s) {
    const Window here = windows[s];
    const std::uint8_t* const row = rows.has(s) ? rows.begin(s, width(s)) : nullptr;
    for (; a < lattice_.arcs && lattice_.source[a] == s; ++a) {
      const std::int32_t t = lattice_.target[a];
      const Window there = windows[t];
      if (width(s) <= 0 || width(t) <= 0) continue;
      poll(20);
      if (lattice_.label[a] == 0) {
        if (row == nullptr) continue;
        std::uint8_t* const into = rows.begin(t, width(t));
        const auto first = std::max(here.first, there.first), last = std::min(here.last, there.last);
        for (std::int32_t i = first; i <= last; ++i)
          into[i - there.first] = std::max(into[i - there.first], row[i - here.first]);
        poll((last - first) / 8);
        continue;
      }
      if (!positions.has(a)) continue;
      const auto first = std::max(here.first, there.first - 1), last = std::min(here.last, there.last - 1);
      if (frequent.has(a)) {
        if (first > last) continue;
        const auto from = static_cast<std::size_t>(first);
        spell(rows.begin(t, width(t)) + (first + 1 - there.first), longest.data() + from + 1,
              row == nullptr ? nothing_spelled.data() : row + (first - here.first), frequent.positions(a, 255, 0) +
              from, last - first + 1);
        poll((last - first) / 8);
        continue;
      }
      const auto* position = cursors.from(a, first);
      if (*position < 0 || *position > last) continue;
      std::uint8_t* const into = rows.begin(t, width(t));
      for (; *position >= 0 && *position <= last; ++position) {
        poll(2);
        const int before = row == nullptr ? 0 : row[*position - here.first];
        const auto spelled = static_cast<std::uint8_t>(std::min<int>(before + 1, most_spelled));
        auto& kept = into[*position + 1 - there.first];
        kept = std::max(kept, spelled);
        auto& found = longest[static_cast<std::size_t>(*position) + 1];
        found = std::max(found, spelled);
      }
    }
    rows.release(s);
  }
  return longest;
}

void PrefixBounds::find_segments(const ReferencePositions& positions, Loss most) {
  if (are_valid_ && cheapest_ + after_error_.back() > 0) choose_segments(longest_spelled(positions, most));
}

// Chooses the segments before each position that raise the bound most. A segment that ends at a position is as short as
// it can be: one word longer than the longest piece there that a path spells.
void PrefixBounds::choose_segments(const std::vector<std::uint8_t>& longest) {
  Loss of_segment = 0;
  for (const auto& multiplier : multipliers_) of_segment = std::max(of_segment, multiplier.of_segment);
  const auto worth = [&](const Segments& some) { return some.count * of_segment + 2 * some.lost_after; };
  const auto keep_better = [&](Segments& best, Segments last, Loss after) {
    last.lost_after += after;
    if (worth(last) > worth(best)) best = last;
  };
  const std::int32_t after = gains_.order - 1;
  std::vector<std::optional<Segments>> ends(segments_.size());  // by position: those whose last segment ends there
  ends[0].emplace();  // the first words have no matches before them, as after an error
  Segments earlier;   // segments of which the last one ends at least `after` words before a position
  for (std::int32_t i = 0; i <= size_; ++i) {
    if (!longest.empty() && i > 0 && longest[i] < most_spelled && i - longest[i] - 1 >= 0) {
      ends[i] = segments_[i - longest[i] - 1];
      ++ends[i]->count;
    }
    if (i >= after && ends[i - after]) keep_better(earlier, *ends[i - after], 0);
    Segments best;
    if (i >= after) keep_better(best, earlier, after_error_[after]);
    for (std::int32_t words = 0; words < std::min(after, i + 1); ++words)
      if (ends[i - words]) keep_better(best, *ends[i - words], after_error_[words]);
    segments_[i] = best;
  }
}

}  // namespace latticemetric
