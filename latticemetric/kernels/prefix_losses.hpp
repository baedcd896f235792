// What the beginning of an alignment loses at least, by where it ends: in a state of a lattice, after so many words of
// the reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "recognition_edits.hpp"
#include "recognition_search.hpp"
#include "reference_places.hpp"

namespace latticemetric {

// Losses are at par, with what arcs cost. There are two bounds, of which the larger counts:
//
//   - by length: paths to the state have at least and at most so many words; the rest is inserted or deleted;
//   - by segments: a piece of the reference that no path spells, as far as paths may be in the places of its words when
//     nothing but lengths is known, has an edit of its own. The words after it are matched with few matches before them,
//     so that a piece and these `order - 1` words lose as much together as no other piece can lose again.
//
// Segments as bounds: seeds of A* alignment (Ivanov et al. 2022), adapted to graphs; the longest spelled piece before
// each place is found in one pass over the lattice, so that pieces are as short as they can be.
class PrefixLosses {
 public:
  using Loss = std::int64_t;

  // `costs` of arcs and, where states are final, of ends.
  PrefixLosses(const Graph& graph, std::int32_t size, Gains gains, const std::vector<Loss>& arc_cost,
               const std::vector<Loss>& end_cost);

  // Whether no edit gains anything at par. Otherwise there are no bounds.
  bool hold() const { return hold_; }

  Loss at(std::int32_t s, std::int32_t i) const {
    const Loss words = std::max(insertion_ * (least_words_[s] - i), deletion_ * (i - most_words_[s]));
    return std::max(words, segments_[static_cast<std::size_t>(i)]) + least_cost_[s];
  }

  // Finds segments, for answers that lose at most so much.
  void find_segments(const ReferencePlaces& places, Loss most);

 private:
  // Places of the reference, the last one included.
  struct Window {
    std::int32_t first = 0, last = -1;
  };
  Window window(std::int32_t s, Loss most) const;
  std::vector<std::uint8_t> longest_spelled(const ReferencePlaces& places, Loss most) const;
  Loss least_after_error(std::int32_t words) const;

  const Graph& graph_;
  const std::int32_t size_;
  const EditValues<Loss> edits_;
  const Loss insertion_, deletion_, substitution_;
  const bool hold_;
  std::vector<std::int32_t> least_words_, most_words_, least_words_after_, most_words_after_;
  std::vector<Loss> least_cost_, least_cost_after_;
  std::vector<Loss> segments_;
};

}  // namespace latticemetric
