// The choices for a word in each state of the search, and what they cost.
#include <algorithm>

#include "memory/budget.hpp"
#include "strings/meteor_search.hpp"

namespace latticemetric {

void StageSearch::expand(std::int32_t word, std::int32_t state) {
  if (open_->ordered[open_->hypothesis_component[word]])
    expand_ordered(word, state);
  else
    expand_general(word, state);
}

// Adds the choices for a word of an ordered component. If no more words are left than reference words, all of them must
// be mapped. Otherwise all reference words must be used, so only the first of them can be next.
void StageSearch::expand_ordered(std::int32_t word, std::int32_t state) {
  const auto component = open_->hypothesis_component[word];
  const auto& references = component_references_[component];
  const auto* cells = here_.cells.data() + static_cast<std::size_t>(state) * references_;
  const auto total = static_cast<std::int32_t>(references.size());
  std::int32_t passed = 0;
  while (passed < total && (cells[references[passed]] & 1)) ++passed;
  const auto words = remaining_[static_cast<std::size_t>(word) * components_ + component];
  const auto spare = total - passed - words;
  const Link* links = open_->links.data() + open_->link_begin[word];
  for (std::int32_t t = 0; t <= std::max(spare, 0) && passed + t < total; ++t)
    add_child(word, state, links + passed + t);
  if (spare < 0) add_child(word, state, nullptr);
}

// Adds the choices for a word of any other component. A choice is possible if what is left can still complete a mapping
// of the largest size. One largest matching of what is left tells: without the word and the reference word of the
// choice it lacks one edge at most, which one augmenting path must bring back (Kuhn), from whichever word then has no
// edge.
void StageSearch::expand_general(std::int32_t word, std::int32_t state) {
  const auto* cells = here_.cells.data() + static_cast<std::size_t>(state) * references_;
  match(word, cells);
  const auto largest = matched_;
  const auto own = std::find(largest.begin(), largest.end(), word) - largest.begin();
  const bool is_matched = own < references_;
  const auto completes_without = [&](std::int32_t reference) {
    matched_ = largest;
    matched_[own] = -1;
    visited_.assign(references_, 0);
    if (reference >= 0) matched_[reference] = -1, visited_[reference] = 1;
    const auto& words = component_words_[open_->hypothesis_component[word]];
    return std::any_of(words.begin(), words.end(), [&](std::int32_t other) {
      return other > word && std::find(matched_.begin(), matched_.end(), other) == matched_.end() &&
             augment(other, cells);
    });
  };
  for (auto k = open_->link_begin[word]; k < open_->link_begin[word + 1]; ++k) {
    const Link& link = open_->links[k];
    const auto r = link.reference;
    if (cells[r] & 1) continue;
    if (is_matched && own != r && largest[r] >= 0 && !completes_without(r)) continue;
    add_child(word, state, &link);
  }
  if (is_matched && !completes_without(-1)) return;
  add_child(word, state, nullptr);
}

// Finds a largest matching in the component of `word`, of its words from `word` on and the reference words that are not
// taken.
void StageSearch::match(std::int32_t word, const Cell* cells) {
  matched_.assign(references_, -1);
  for (const auto other : component_words_[open_->hypothesis_component[word]]) {
    if (other < word) continue;
    visited_.assign(references_, 0);
    augment(other, cells);
  }
}

bool StageSearch::augment(std::int32_t word, const Cell* cells) {
  const auto begin = open_->link_begin[word], end = open_->link_begin[word + 1];
  poll(4 * (end - begin));
  const auto is_open = [&](std::int32_t r) { return !(cells[r] & 1) && !visited_[r]; };
  for (auto k = begin; k < end; ++k) {
    const auto r = open_->links[k].reference;
    if (!is_open(r) || matched_[r] >= 0) continue;
    matched_[r] = word;
    return true;
  }
  for (auto k = begin; k < end; ++k) {
    const auto r = open_->links[k].reference;
    if (!is_open(r)) continue;
    visited_[r] = 1;
    if (!augment(matched_[r], cells)) continue;
    matched_[r] = word;
    return true;
  }
  return false;
}

// Adds the state after mapping `word` by a link, or leaving it unmapped if there is none. In an ordered component,
// reference words that were passed are out of reach.
void StageSearch::add_child(std::int32_t word, std::int32_t state, const Link* link) {
  const auto* cells = here_.cells.data() + static_cast<std::size_t>(state) * references_;
  const auto component = open_->hypothesis_component[word];
  poll(2 * references_);
  child_.assign(cells, cells + references_);
  auto cost = here_.cost[state];
  std::int32_t choice = -1, next = -1;
  if (link) {
    choice = link->reference;
    std::int64_t above = 0;
    for (auto r = choice; r < references_; ++r) above += cells[r] >> 1;
    cost += link->cost + unit_ * above - (here_.next[state] == choice);
    child_[choice] = static_cast<Cell>(child_[choice] + 2);
    if (open_->ordered[component]) {
      const auto& references = component_references_[component];
      auto at = std::lower_bound(references.begin(), references.end(), choice);
      while (at != references.begin() && !(child_[*(at - 1)] & 1)) child_[*--at] |= 1;
    }
    child_[choice] |= 1;
    if (continues(word, choice)) next = choice + 1;
  }
  const auto crossings = settle(word + 1);
  const auto promise = here_.promise[state] - promise_of(component, word, cells) +
                       promise_of(component, word + 1, child_.data());
  made_ += state_size();
  const auto bound = cost + promise + unit_ * crossings;
  if (bound <= upper_) insert(next, cost, promise, bound, {state, choice});
}

// Returns whether the next open word may continue the chunk of a word that is mapped to `choice`.
bool StageSearch::continues(std::int32_t word, std::int32_t choice) const {
  if (word + 1 == words_ || open_->hypothesis[word + 1] != open_->hypothesis[word] + 1) return false;
  if (choice + 1 == references_ || open_->reference[choice + 1] != open_->reference[choice] + 1) return false;
  if (child_[choice + 1] & 1) return false;
  for (auto k = open_->link_begin[word + 1]; k < open_->link_begin[word + 2]; ++k)
    if (open_->links[k].reference == choice + 1) return true;
  return false;
}

// A cell is 2 * (number of used reference words from here to the next one in reach) + (1 if it is out of reach). Makes
// states equal whose differences no later edge can see: a reference word that is out of reach hands its count down to
// the nearest word before it that is in reach, or drops it if there is none. Returns a lower bound of the crossings of
// later edges with those already made: at best, the words left in an ordered component use its last reference words.
std::int64_t StageSearch::settle(std::int32_t word) {
  Cell* nearest = nullptr;
  for (std::int32_t r = 0; r < references_; ++r) {
    auto& cell = child_[r];
    if (!(cell & 1) && last_use_[r] >= word) {
      nearest = &cell;
      continue;
    }
    if (nearest) *nearest = static_cast<Cell>(*nearest + (cell & ~1u));
    cell = 1;
  }
  const auto row = remaining_.begin() + static_cast<std::ptrdiff_t>(word) * components_;
  needed_.assign(row, row + components_);
  std::int64_t above = 0, crossings = 0;
  for (auto r = references_; r-- > 0;) {
    above += child_[r] >> 1;
    const auto component = open_->reference_component[r];
    if (child_[r] & 1 || !open_->ordered[component] || needed_[component] == 0) continue;
    --needed_[component];
    crossings += above;
  }
  return crossings;
}

}  // namespace latticemetric
