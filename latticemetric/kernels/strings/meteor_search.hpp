// The search for the mapping of one stage of METEOR (Banerjee & Lavie 2005, section 2.2): of the largest mappings, the
// one with the fewest crossings, then the fewest chunks, then the first in the order of words.
#pragma once

#include <cstdint>
#include <vector>

namespace latticemetric {

// A link: a mapping of two words that a stage may make. `cost` is unit * (crossings with certain edges) + 1 - (number
// of certain edges just beside it).
struct Link {
  std::int64_t cost;
  std::int32_t reference;  // its number in `OpenWords::reference`
  bool follows;            // the words just before may be linked, too, which saves another chunk
};

// What is open in a stage: the words of components that can be mapped in more than one way. A component is a set of
// words that are linked to each other, however indirectly. It is `ordered` if each of its hypothesis words may be mapped
// to each of its reference words. Then mappings with the fewest crossings keep the order of words: swapping the ends of
// two edges that cross removes their crossing and adds none with a third edge.
struct OpenWords {
  std::vector<std::int32_t> hypothesis, reference;              // positions, ascending
  std::vector<std::int32_t> hypothesis_component, reference_component;
  std::vector<std::uint8_t> ordered;                           // by component
  std::vector<std::int64_t> link_begin;                        // by hypothesis word: where its links begin
  std::vector<Link> links;                                     // sorted by reference word

  void clear();
};

class MappingDescent;

class StageSearch {
 public:
  static constexpr std::int64_t most_words = 32766;  // of a string: counts of words are kept in 15 bits

  // Sets `mapping` to the number of a reference word for each open hypothesis word, or -1. Returns false if `cap` states
  // are not enough to prove that the mapping is the best; it is one of the largest size all the same.
  bool solve(const OpenWords& open, std::int64_t unit, std::int64_t cap, std::vector<std::int32_t>& mapping);

  // Results for the last mapping: its crossings, except those between certain edges; and a lower bound of this number
  // for all mappings of the same size.
  std::int64_t crossings() const { return (upper_ + words_) / unit_; }
  std::int64_t least_crossings() const { return least_crossings_; }

 private:
  using Cell = std::uint16_t;

  // The states of one layer, those after a given number of hypothesis words. A state consists of a cell for each
  // reference word (see `settle`), and of the reference word that would continue a chunk, or -1.
  struct Layer {
    std::vector<Cell> cells;
    std::vector<std::int32_t> next, parent, choice;
    std::vector<std::int64_t> cost, promise, bound;  // so far; of the rest, a component at a time; of the whole

    std::int32_t size() const { return static_cast<std::int32_t>(cost.size()); }
    void clear();
    void pick(const std::vector<std::int32_t>& states, std::int32_t references, Layer& into);
  };
  struct Step {
    std::int32_t parent, choice;
  };

  std::int64_t state_size() const { return 1 + references_ / 64; }  // about the time and memory that a state takes
  std::int64_t narrow_enough(std::int64_t cap) const;
  void take(const MappingDescent& descent, const std::vector<std::int32_t>& found, std::vector<std::int32_t>& mapping);
  bool is_out_of_reach(std::int64_t cap) const;
  bool is_proved();
  void keep_best(std::vector<std::int32_t>& mapping);
  void prepare();
  void bound_component(std::int32_t component);
  bool sweep(std::int64_t width, std::int64_t budget);
  void expand(std::int32_t word, std::int32_t state);
  void expand_ordered(std::int32_t word, std::int32_t state);
  void expand_general(std::int32_t word, std::int32_t state);
  void add_child(std::int32_t word, std::int32_t state, const Link* link);
  std::int64_t settle(std::int32_t word);
  void insert(std::int32_t next, std::int64_t cost, std::int64_t promise, std::int64_t bound, Step step);
  void rehash(std::size_t slots);
  void finish_layer(std::int64_t width);
  bool continues(std::int32_t word, std::int32_t choice) const;
  void match(std::int32_t word, const Cell* cells);
  bool augment(std::int32_t word, const Cell* cells);
  std::int64_t promise_of(std::int32_t component, std::int32_t word, const Cell* cells) const;

  const OpenWords* open_ = nullptr;
  std::int64_t unit_ = 0, upper_ = 0, dropped_ = 0, made_ = 0, least_crossings_ = 0;
  std::int32_t words_ = 0, references_ = 0, components_ = 0;

  std::vector<std::vector<std::int32_t>> component_words_, component_references_;
  std::vector<std::int32_t> ordinal_;       // by hypothesis word: its number in its component
  std::vector<std::int32_t> last_use_;      // by reference word: the last hypothesis word with a link to it
  std::vector<std::int32_t> remaining_;     // words of a component that are left, at [layer * components + component]
  std::vector<std::vector<std::int64_t>> promise_;

  Layer here_, below_;
  bool replaced_ = false;
  std::vector<std::vector<Step>> steps_;
  std::vector<std::int32_t> slots_, needed_, matched_, order_;
  std::vector<Cell> child_;
  std::vector<std::uint8_t> visited_;
};

}  // namespace latticemetric
