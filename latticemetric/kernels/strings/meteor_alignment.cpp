#include "strings/meteor_alignment.hpp"

#include <algorithm>

#include "memory/budget.hpp"
#include "strings/prefix_counts.hpp"

namespace latticemetric {
namespace {

bool share(const MeteorStage& stage, std::int32_t a, std::int32_t b) {
  const auto *x = stage.keys + stage.begin[a], *x_end = stage.keys + stage.begin[a + 1];
  const auto *y = stage.keys + stage.begin[b], *y_end = stage.keys + stage.begin[b + 1];
  while (x != x_end && y != y_end) {
    if (*x == *y) return true;
    *x < *y ? ++x : ++y;
  }
  return false;
}

}  // namespace

bool MeteorAligner::align(const std::int32_t* hypothesis, std::int32_t hypothesis_words, const std::int32_t* reference,
                          std::int32_t reference_words) {
  poll(100 * (hypothesis_words + reference_words));
  hypothesis_.assign(hypothesis, hypothesis + hypothesis_words);
  reference_.assign(reference, reference + reference_words);
  target_.assign(hypothesis_words, -1);
  source_.assign(reference_words, -1);
  stage_of_.assign(hypothesis_words, -1);
  least_crossings_ = -1;
  bool exact = true;
  for (std::size_t s = 0; s < stages_.size(); ++s) exact = run(static_cast<std::int32_t>(s)) && exact;
  edges_.clear();
  for (std::int32_t i = 0; i < hypothesis_words; ++i)
    if (target_[i] >= 0) edges_.push_back({i, target_[i], stage_of_[i]});
  return exact;
}

std::int64_t MeteorAligner::chunks() const {
  std::int64_t count = 0;
  for (std::size_t k = 0; k < edges_.size(); ++k)
    count += k == 0 || edges_[k].hypothesis != edges_[k - 1].hypothesis + 1 ||
             edges_[k].reference != edges_[k - 1].reference + 1;
  return count;
}

std::int64_t MeteorAligner::crossings() const {
  PrefixCounts ends(reference_.size());
  std::int64_t crossings = 0;
  std::int32_t edges = 0;
  for (const auto j : target_) {
    if (j < 0) continue;
    crossings += edges++ - ends.below(j);
    ends.add(j);
  }
  return crossings;
}

std::int64_t MeteorAligner::least_crossings() const { return least_crossings_ < 0 ? crossings() : least_crossings_; }

void MeteorAligner::map(std::int32_t hypothesis, std::int32_t reference, std::int32_t stage) {
  target_[hypothesis] = reference;
  source_[reference] = hypothesis;
  stage_of_[hypothesis] = stage;
}

bool MeteorAligner::run(std::int32_t stage) {
  hypothesis_keys_.clear(), reference_keys_.clear();
  component_of_hypothesis_.assign(hypothesis_.size(), -1);
  component_of_reference_.assign(reference_.size(), -1);
  ordered_.clear();
  const bool single = collect(stages_[stage], hypothesis_, target_, hypothesis_keys_) &
                      collect(stages_[stage], reference_, source_, reference_keys_);
  if (hypothesis_keys_.empty() || reference_keys_.empty()) return true;
  if (single)
    group_by_key(stage);
  else
    group_by_sharing(stage);
  if (ordered_.empty()) return true;
  lay_out();
  std::vector<std::int32_t> mapping;
  const bool exact = search_.solve(open_, unit(), cap_, mapping);
  for (std::size_t k = 0; k < mapping.size(); ++k)
    if (mapping[k] >= 0) map(open_.hypothesis[k], open_.reference[mapping[k]], stage);
  // Later stages only add edges, so the bound of the first stage that is not exact holds for the whole alignment.
  if (!exact && least_crossings_ < 0)
    least_crossings_ = crossings() - search_.crossings() + search_.least_crossings();
  return exact;
}

// Lists the words that have a key and no edge yet, with their first key. Returns whether each of them has one key only.
bool MeteorAligner::collect(const MeteorStage& stage, const std::vector<std::int32_t>& words,
                            const std::vector<std::int32_t>& mapped_to, std::vector<Keyed>& found) const {
  bool single = true;
  for (std::size_t p = 0; p < words.size(); ++p) {
    const auto begin = stage.begin[words[p]], end = stage.begin[words[p] + 1];
    if (mapped_to[p] >= 0 || begin == end) continue;
    found.push_back({stage.keys[begin], static_cast<std::int32_t>(p)});
    single = single && end == begin + 1;
  }
  return single;
}

void MeteorAligner::group_by_key(std::int32_t stage) {
  const auto less = [](const Keyed& a, const Keyed& b) {
    return a.key != b.key ? a.key < b.key : a.position < b.position;
  };
  std::sort(hypothesis_keys_.begin(), hypothesis_keys_.end(), less);
  std::sort(reference_keys_.begin(), reference_keys_.end(), less);
  std::vector<std::int32_t> hypotheses, references;
  auto c = hypothesis_keys_.begin(), r = reference_keys_.begin();
  while (c != hypothesis_keys_.end() && r != reference_keys_.end()) {
    if (c->key != r->key) {
      c->key < r->key ? ++c : ++r;
      continue;
    }
    hypotheses.clear(), references.clear();
    const auto key = c->key;
    for (; c != hypothesis_keys_.end() && c->key == key; ++c) hypotheses.push_back(c->position);
    for (; r != reference_keys_.end() && r->key == key; ++r) references.push_back(r->position);
    add_component(stage, hypotheses, references);
  }
}

// Groups words into components by the keys that they share. Sharing is no equivalence (synonymy is not transitive):
// words are also connected through others, so a component may lack links.
void MeteorAligner::group_by_sharing(std::int32_t stage) {
  shares_.resize(std::max(shares_.size(), hypothesis_.size()));
  std::vector<std::vector<std::int32_t>> shared_by(reference_.size());
  for (const auto& c : hypothesis_keys_) {
    shares_[c.position].clear();
    poll(8 * static_cast<std::int64_t>(reference_keys_.size()));
    for (const auto& r : reference_keys_) {
      if (!share(stages_[stage], hypothesis_[c.position], reference_[r.position])) continue;
      shares_[c.position].push_back(r.position);
      shared_by[r.position].push_back(c.position);
    }
  }
  std::vector<std::uint8_t> seen(hypothesis_.size(), 0), reached(reference_.size(), 0);
  std::vector<std::int32_t> hypotheses, references;
  for (const auto& c : hypothesis_keys_) {
    if (seen[c.position] || shares_[c.position].empty()) continue;
    hypotheses.assign(1, c.position), references.clear();
    seen[c.position] = 1;
    for (std::size_t k = 0; k < hypotheses.size(); ++k) {
      for (const auto r : shares_[hypotheses[k]]) {
        if (reached[r]) continue;
        reached[r] = 1;
        references.push_back(r);
        for (const auto other : shared_by[r]) {
          if (!seen[other]) hypotheses.push_back(other);
          seen[other] = 1;
        }
      }
    }
    std::size_t links = 0;
    for (const auto i : hypotheses) links += shares_[i].size();
    std::sort(hypotheses.begin(), hypotheses.end());
    std::sort(references.begin(), references.end());
    if (links == hypotheses.size() * references.size()) {
      add_component(stage, hypotheses, references);
      continue;
    }
    for (const auto i : hypotheses) component_of_hypothesis_[i] = static_cast<std::int32_t>(ordered_.size());
    for (const auto j : references) component_of_reference_[j] = static_cast<std::int32_t>(ordered_.size());
    ordered_.push_back(0);
  }
}

// Adds a component in which each hypothesis word may be mapped to each reference word. It keeps its order (see
// `OpenWords`), so if both sides have as many words, there is only one mapping: it is made at once.
void MeteorAligner::add_component(std::int32_t stage, const std::vector<std::int32_t>& hypotheses,
                                  const std::vector<std::int32_t>& references) {
  if (hypotheses.size() == references.size()) {
    for (std::size_t k = 0; k < hypotheses.size(); ++k) map(hypotheses[k], references[k], stage);
    return;
  }
  for (const auto i : hypotheses) component_of_hypothesis_[i] = static_cast<std::int32_t>(ordered_.size());
  for (const auto j : references) component_of_reference_[j] = static_cast<std::int32_t>(ordered_.size());
  ordered_.push_back(1);
}

// Returns whether a choice of this stage can map hypothesis word i to reference word j.
bool MeteorAligner::may_map(std::int32_t i, std::int32_t j) const {
  if (i < 0 || j < 0 || component_of_hypothesis_[i] < 0 || component_of_hypothesis_[i] != component_of_reference_[j])
    return false;
  return ordered_[component_of_hypothesis_[i]] || std::binary_search(shares_[i].begin(), shares_[i].end(), j);
}

// Lists the open words with their links. All other edges of this stage and of those before are certain by now.
void MeteorAligner::lay_out() {
  const auto words = static_cast<std::int32_t>(hypothesis_.size());
  const auto references = static_cast<std::int32_t>(reference_.size());
  open_.clear();
  open_.ordered = ordered_;
  std::vector<std::vector<std::int32_t>> members(ordered_.size());  // numbers of reference words
  for (std::int32_t j = 0; j < references; ++j) {
    const auto component = component_of_reference_[j];
    if (component < 0) continue;
    members[component].push_back(static_cast<std::int32_t>(open_.reference.size()));
    open_.reference.push_back(j);
    open_.reference_component.push_back(component);
  }
  // crossing[j] is the number of certain edges that (i, j) would cross: those from left of i that end right of j, and
  // vice versa.
  std::vector<std::int32_t> crossing(references);
  for (std::int32_t j = 0, count = 0; j < references; ++j) crossing[j] = count, count += source_[j] >= 0;
  for (std::int32_t i = 0; i < words; ++i) {
    if (const auto end = target_[i]; end >= 0) {
      poll(references / 4);
      for (std::int32_t j = 0; j < end; ++j) ++crossing[j];
      for (std::int32_t j = end + 1; j < references; ++j) --crossing[j];
    }
    const auto component = component_of_hypothesis_[i];
    if (component < 0) continue;
    open_.hypothesis.push_back(i);
    open_.hypothesis_component.push_back(component);
    open_.link_begin.push_back(static_cast<std::int64_t>(open_.links.size()));
    for (const auto r : members[component]) {
      const auto j = open_.reference[r];
      if (!may_map(i, j)) continue;
      const bool before = i > 0 && j > 0 && target_[i - 1] == j - 1;
      const bool after = i + 1 < words && j + 1 < references && target_[i + 1] == j + 1;
      open_.links.push_back({unit() * crossing[j] + 1 - before - after, r, may_map(i - 1, j - 1)});
    }
  }
  open_.link_begin.push_back(static_cast<std::int64_t>(open_.links.size()));
}

}  // namespace latticemetric
