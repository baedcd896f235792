// Lower bounds of the loss of a prefix of an alignment, by the state of the lattice and the position in the reference
// where it ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "graphs/lattice.hpp"
#include "recognition/automaton.hpp"
#include "recognition/reference_positions.hpp"

namespace latticemetric {

// Losses are relative to par, and include what arcs cost. Two things are known of the edits before a state and a
// position:
//
//   - by length: paths to the state have at least and at most so many words; the rest is inserted or deleted;
//   - by segments: a segment is a piece of the reference that no path spells. (Only paths count that may be at the
//     positions of its words, by their lengths.) Each segment has an edit of its own. The words between it and the next
//     segment, up to `order - 1`, are matched after few other matches, if at all, so they lose, too.
//
// Each of c segments has an insertion, a deletion or a substitution, and there may be more insertions and deletions
// elsewhere. By lengths, insertions exceed deletions by at least `least` and at most `most`. Let x be a price for each
// word by which they do. For any x, edits lose at least
//
//   c min(insertion - x, deletion + x, substitution)  +  (x least, or x most where x < 0)
//
// if an insertion elsewhere costs at least x, and a deletion elsewhere at least -x. The bound is linear in x between
// the prices where another edit becomes the cheapest, so one of those prices gives the largest bound. For example, an
// insertion may lose less than other edits; but if paths are no longer than the reference, each insertion needs a
// deletion as well.
//
// A word after an error may be deleted. Its loss would then be counted twice: as a deletion and as a word after an
// error. So a deletion counts for less, by the share of one word in what `order - 1` words lose after an error. And
// what words lose is counted as if some of them were deleted, each for its share, where that is less.
//
// Segments as bounds are the seeds of A* alignment (Ivanov et al. 2022), adapted to graphs. One pass over the lattice
// finds the longest spelled piece before each position, so segments are as short as they can be.
class PrefixBounds {
 public:
  using Loss = std::int64_t;

  // Costs by arc and, where states are final, by state.
  struct Costs {
    std::vector<Loss> arc, end;
  };

  PrefixBounds(const Lattice& lattice, std::int32_t size, Gains gains, const Costs& costs);

  // Returns whether no edit gains anything relative to par. Otherwise there are no bounds.
  bool are_valid() const { return are_valid_; }

  Loss at(std::int32_t s, std::int32_t i) const {
    if (!is_reached(s)) return unreached;
    const Loss least = least_words_[s] - i, most = most_words_[s] - i;
    const Segments& before = segments_[i];
    Loss twice = 0;
    for (const auto& multiplier : multipliers_)
      twice = std::max(twice, before.count * multiplier.of_segment +
                       multiplier.of_word * (multiplier.of_word >= 0 ? least : most));
    return std::max((twice + 1) / 2 + before.lost_after, -most * deletion_) + least_cost_[s];
  }

  // Bounds from the entries: the states and positions where best paths enter a part of the lattice. From there on,
  // lengths say what is inserted or deleted. A path from state t to s has at most as many words as the longest path to
  // s has more than the longest path to t.
  class EntryBounds {
   public:
    explicit EntryBounds(const PrefixBounds& before) : before_(before) {}

    void add(std::int32_t s, std::int32_t i, Loss lost) {
      lost_ = std::min(lost_, lost - before_.least_cost_[s]);
      first_ = std::min(first_, i);
      ahead_ = std::max<Loss>(ahead_, i - before_.most_words_[s]);
      behind_ = std::min<Loss>(behind_, i - before_.least_words_[s]);
    }

    Loss at(std::int32_t s, std::int32_t i) const {
      if (i < first_ || !before_.is_reached(s)) return unreached;
      const Loss deleted = i - before_.most_words_[s] - ahead_, inserted = before_.least_words_[s] - i + behind_;
      return lost_ + before_.least_cost_[s] + std::max({Loss{0}, deleted * before_.deletion_, inserted * before_.insertion_});
    }

   private:
    const PrefixBounds& before_;
    Loss lost_ = unreached;
    std::int32_t first_ = std::numeric_limits<std::int32_t>::max();
    // Of all entries: the largest number of words by which a position exceeds the longest path, and the smallest by
    // which it exceeds the shortest path.
    Loss ahead_ = -unreached, behind_ = unreached;
  };

  // Finds segments for the search of paths that lose at most `most`.
  void find_segments(const ReferencePositions& positions, Loss most);

 private:
  // Positions of the reference, from `first` to `last` inclusive.
  struct Window {
    std::int32_t first = 0, last = -1;
  };
  Window window(std::int32_t s, Loss most) const;
  // Returns whether the start leads to a state.
  bool is_reached(std::int32_t s) const { return least_words_[s] <= most_words_[s]; }
  std::vector<std::uint8_t> longest_spelled(const ReferencePositions& positions, Loss most) const;
  std::vector<Loss> least_after_error() const;
  std::vector<Loss> counted_after_error(Loss share) const;

  // How many segments there are, and what the words after each of them lose, up to the next one.
  struct Segments {
    Loss count = 0, lost_after = 0;
  };
  void choose_segments(const std::vector<std::uint8_t>& longest);

  // A price x, as above, and the least that a segment loses at that price. Both are doubled, so that halves are
  // integers.
  struct Multiplier {
    Loss of_word, of_segment;
  };
  std::vector<Multiplier> multipliers() const;

  static constexpr Loss unreached = std::numeric_limits<Loss>::max() / 4;

  const Lattice& lattice_;
  const std::int32_t size_;
  const EditGains<Loss> gains_;
  const Loss insertion_, deletion_, substitution_, cheapest_;
  const bool are_valid_;
  const Loss share_;                     // of one word in what order - 1 words lose after an error
  const std::vector<Loss> after_error_;  // what is counted for 0 .. order - 1 words after an error
  const Loss deletion_alone_;            // what a deletion counts: the word may be one of these
  const std::vector<Multiplier> multipliers_;
  std::vector<std::int32_t> least_words_, most_words_, least_words_after_, most_words_after_;
  std::vector<Loss> least_cost_, least_cost_after_;
  std::vector<Segments> segments_;  // before each position
};

}  // namespace latticemetric
