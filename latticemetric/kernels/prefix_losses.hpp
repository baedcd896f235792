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

// Losses are at par, with what arcs cost. Two things are known of the edits before a state and a place:
//
//   - by length: paths to the state have at least and at most so many words; the rest is inserted or deleted;
//   - by segments: a piece of the reference that no path spells, as far as paths may be in the places of its words when
//     nothing but lengths is known, has an edit of its own. The words after it are matched with few matches before them:
//     a segment is a piece and these `order - 1` words, and no two overlap.
//
// Of c segments, x have an insertion, or x a deletion, that length asks for as well; what the others have is the
// cheapest edit. The least over x is the bound: losing the words after each error, c times, and
//
//   words to be inserted, w    min over x <= c of  max(w, x) insertion + (c - x) min(substitution, deletion)
//   words to be deleted        the same, with the roles of insertion and deletion exchanged
//
// A word after an error may be deleted, too: then it is not lost again. It takes no more from what is lost after the
// error than its share, since the words nearest to the error lose most. So much less is counted for each deletion.
//
// Segments as bounds: seeds of A* alignment (Ivanov et al. 2022), adapted to graphs; the longest spelled piece before
// each place is found in one pass over the lattice, so that pieces are as short as they can be.
class PrefixLosses {
 public:
  using Loss = std::int64_t;

  // What arcs cost and, where states are final, ends.
  struct Costs {
    std::vector<Loss> arc, end;
  };

  PrefixLosses(const Graph& graph, std::int32_t size, Gains gains, const Costs& costs);

  // Whether no edit gains anything at par. Otherwise there are no bounds.
  bool hold() const { return hold_; }

  Loss at(std::int32_t s, std::int32_t i) const {
    const Loss inserted = least_words_[s] - i, deleted = i - most_words_[s], segments = segments_[i];
    const Loss edits = inserted > 0  ? with(inserted, insertion_, std::min(substitution_, deletion_), segments)
                       : deleted > 0 ? with(deleted, deletion_alone_, std::min(substitution_, insertion_), segments)
                                     : segments * cheapest_;
    // No matches are before the first words, as after an error.
    const Loss after_errors = (segments + (i >= edits_.order - 1)) * after_error_;
    return std::max(edits + after_errors, deleted * deletion_) + least_cost_[s];
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
  Loss least_after_error() const;

  // So many words with an edit of this loss, and so many segments, each with one of these or another edit.
  static Loss with(Loss words, Loss edit, Loss other, Loss segments) {
    const Loss shared = edit <= other ? segments : std::min(words, segments);
    return std::max(words, shared) * edit + (segments - shared) * other;
  }

  const Graph& graph_;
  const std::int32_t size_;
  const EditValues<Loss> edits_;
  const Loss insertion_, deletion_, substitution_, cheapest_;
  const bool hold_;
  const Loss after_error_, deletion_alone_;
  std::vector<std::int32_t> least_words_, most_words_, least_words_after_, most_words_after_;
  std::vector<Loss> least_cost_, least_cost_after_;
  std::vector<std::int32_t> segments_;  // before each place
};

}  // namespace latticemetric
