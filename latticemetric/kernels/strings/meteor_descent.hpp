// A good mapping of a stage of METEOR for texts of any length, and a bound of what the best one can be.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "strings/meteor_search.hpp"

namespace latticemetric {

// Improves mappings one ordered component at a time, while all other words stay as they are. The best mapping of one
// component is found exactly: it keeps the order of words, so it says for each word of the shorter side how many words
// of the longer side were skipped before it. This number never falls.
class MappingDescent {
 public:
  MappingDescent(const OpenWords& open, std::int64_t unit);

  // Finds a mapping from the start, if all components are ordered. Mappings hold the number of a reference word for each
  // hypothesis word, or -1.
  std::vector<std::int32_t> find();

  // Returns a mapping that no component alone can make better.
  std::vector<std::int32_t> improved(const std::vector<std::int32_t>& mapping);

  // Returns unit * crossings + chunks, counted as the costs of links are.
  std::int64_t cost_of(const std::vector<std::int32_t>& mapping) const;

  // Returns a lower bound of the crossings of any mapping, except those between certain edges. An edge crosses edges of
  // another component if that has too many words on one of its sides, whatever they are mapped to.
  std::int64_t least_crossings() const;

 private:
  // The words of an ordered component. The k-th word of the shorter side can be mapped to word k + 0 .. k + spare of the
  // longer one.
  struct Component {
    std::vector<std::int32_t> words, references;  // numbers, ascending

    bool has_more_words() const { return words.size() > references.size(); }
    std::size_t pairs() const { return std::min(words.size(), references.size()); }
    std::size_t skips() const { return std::max(words.size(), references.size()) - pairs() + 1; }
    std::size_t word_of(std::size_t pair, std::size_t skip) const { return pair + (has_more_words() ? skip : 0); }
    std::size_t reference_of(std::size_t pair, std::size_t skip) const { return pair + (has_more_words() ? 0 : skip); }
    std::size_t skip_of(std::size_t word, std::size_t reference) const {
      return has_more_words() ? word - reference : reference - word;
    }
  };

  template <typename Cost>
  std::vector<std::int32_t> start(Cost cost);
  template <typename Visit>
  void each_pair(const Component& component, Visit visit) const;
  const Link& link(const Component& component, std::size_t word, std::size_t reference) const;
  bool is_next(const Component& component, std::size_t pair, std::size_t skip) const;
  bool are_adjacent(std::int32_t word, std::int32_t reference) const;
  void evaluate(const Component& component);
  void count_crossings_one_by_one(const Component& component);
  void count_crossings_together(const Component& component);
  std::int64_t find_best(const Component& component, std::vector<std::size_t>& skips);
  std::int64_t cost_of(const Component& component, const std::vector<std::size_t>& skips) const;
  void remove(const Component& component, std::vector<std::size_t>& skips);
  void apply(const Component& component, const std::vector<std::size_t>& skips);

  const OpenWords& open_;
  std::int64_t unit_;
  std::vector<Component> components_;
  std::vector<std::int32_t> target_;    // by hypothesis word: the mapping
  std::vector<std::int64_t> cost_;      // of the component in turn: by pair, then by skip
  std::vector<std::int32_t> previous_;  // by pair, then by skip: the skip of the pair before
};

}  // namespace latticemetric
