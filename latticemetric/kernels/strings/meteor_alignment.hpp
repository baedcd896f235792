// METEOR's alignment of two strings (Banerjee & Lavie 2005, section 2.2), stage by stage.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "strings/meteor_search.hpp"

namespace latticemetric {

// A stage: word type w has keys[begin[w]] .. keys[begin[w + 1] - 1], ascending. Two words may be mapped to each other
// if they share a key (the word itself, its stem, a synset).
struct MeteorStage {
  const std::int64_t* begin;
  const std::int32_t* keys;
};

struct MeteorEdge {
  std::int32_t hypothesis, reference, stage;
};

// Aligns many pairs with one set of buffers.
class MeteorAligner {
 public:
  MeteorAligner(std::vector<MeteorStage> stages, std::int64_t cap) : stages_(std::move(stages)), cap_(cap) {}

  // Aligns a pair. Returns false if a stage needed more than `cap` states: then its mapping is the best one found.
  bool align(const std::int32_t* hypothesis, std::int32_t hypothesis_words, const std::int32_t* reference,
             std::int32_t reference_words);

  // Results for the last pair. Edges are sorted by hypothesis word.
  const std::vector<MeteorEdge>& edges() const { return edges_; }
  std::int64_t chunks() const;
  std::int64_t crossings() const;
  std::int64_t least_crossings() const;  // that the best alignment has at least

 private:
  struct Keyed {
    std::int32_t key, position;
  };

  bool run(std::int32_t stage);
  bool collect(const MeteorStage& stage, const std::vector<std::int32_t>& words,
               const std::vector<std::int32_t>& mapped_to, std::vector<Keyed>& found) const;
  void group_by_key(std::int32_t stage);
  void group_by_sharing(std::int32_t stage);
  void add_component(std::int32_t stage, const std::vector<std::int32_t>& hypotheses,
                     const std::vector<std::int32_t>& references);
  void map(std::int32_t hypothesis, std::int32_t reference, std::int32_t stage);
  bool may_map(std::int32_t i, std::int32_t j) const;
  void lay_out();
  std::int64_t unit() const { return 2 * static_cast<std::int64_t>(hypothesis_.size()) + 4; }

  std::vector<MeteorStage> stages_;
  std::int64_t cap_;
  StageSearch search_;
  OpenWords open_;
  std::vector<std::int32_t> hypothesis_, reference_;  // word types
  std::vector<std::int32_t> target_, source_;        // the position that each word is mapped to, or -1
  std::vector<std::int32_t> stage_of_;               // by hypothesis word
  std::vector<MeteorEdge> edges_;
  std::int64_t least_crossings_ = -1;  // -1: all stages are exact
  std::vector<Keyed> hypothesis_keys_, reference_keys_;
  // Components that are still open; and in those that are not ordered, which words may be mapped to each other.
  std::vector<std::int32_t> component_of_hypothesis_, component_of_reference_;  // by position, or -1
  std::vector<std::uint8_t> ordered_;
  std::vector<std::vector<std::int32_t>> shares_;  // by hypothesis position
};

}  // namespace latticemetric
