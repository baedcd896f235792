#include "strings/meteor_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "memory/budget.hpp"
#include "strings/meteor_descent.hpp"

namespace latticemetric {
namespace {

constexpr std::int64_t infinite = std::numeric_limits<std::int64_t>::max() / 4;
constexpr std::int64_t first_width = 32, wider[] = {256, 4096, infinite};

template <typename Cell>
std::uint64_t hash_of(const Cell* cells, std::int32_t size, std::int32_t next) {
  std::uint64_t hash = 0x9E3779B97F4A7C15u ^ static_cast<std::uint32_t>(next);
  for (std::int32_t k = 0; k < size; ++k) hash = (hash ^ cells[k]) * 0x100000001B3u;
  return hash ^ (hash >> 29);
}

}  // namespace

void OpenWords::clear() {
  hypothesis.clear(), reference.clear(), hypothesis_component.clear(), reference_component.clear();
  ordered.clear(), link_begin.clear(), links.clear();
}

void StageSearch::Layer::clear() {
  cells.clear(), next.clear(), parent.clear(), choice.clear(), cost.clear(), promise.clear(), bound.clear();
}

// Begins with a good mapping and a bound of the best one. Unless these are far apart, beams of growing width find and
// prove the best. No mapping that a beam drops costs less than `dropped_`: if the beam's result costs less than that, it
// is the best. Otherwise its cost prunes the next, wider beam; the last beam drops nothing.
bool StageSearch::solve(const OpenWords& open, std::int64_t unit, std::int64_t cap,
                        std::vector<std::int32_t>& mapping) {
  open_ = &open, unit_ = unit;
  words_ = static_cast<std::int32_t>(open.hypothesis.size());
  references_ = static_cast<std::int32_t>(open.reference.size());
  upper_ = infinite, least_crossings_ = 0;
  MappingDescent descent(open, unit);
  const bool is_ordered = std::all_of(open.ordered.begin(), open.ordered.end(), [](auto ordered) { return ordered; });
  if (is_ordered) {
    take(descent, descent.find(), mapping);
    if (is_out_of_reach(cap)) return false;
  }
  prepare();
  sweep(narrow_enough(cap), infinite);
  if (below_.size() > 0) keep_best(mapping);
  if (is_proved()) return true;
  if (!is_ordered) take(descent, descent.improved(mapping), mapping);  // other components stay as the beam left them
  std::int64_t budget = cap - made_;
  for (const auto width : wider) {
    if (budget <= 0 || !sweep(width, budget)) return false;
    budget -= made_;
    if (below_.size() > 0) keep_best(mapping);
    if (is_proved()) return true;
  }
  return false;
}

// Takes a mapping of a descent if it is better, and the descent's bound.
void StageSearch::take(const MappingDescent& descent, const std::vector<std::int32_t>& found,
                       std::vector<std::int32_t>& mapping) {
  const auto cost = descent.cost_of(found);
  if (cost < upper_) {
    upper_ = cost;
    mapping = found;
  }
  least_crossings_ = std::max(least_crossings_, descent.least_crossings());
}

// Returns whether the best mapping may cross so many fewer edges that no search within `cap` can prove a mapping to be
// the best. With a million states, it has proved differences of up to 80 crossings; here the limit is 200.
bool StageSearch::is_out_of_reach(std::int64_t cap) const {
  return static_cast<double>(crossings() - least_crossings_) > 10 * std::log2(static_cast<double>(cap));
}

// Returns whether the last beam has proved that its result is the best. A beam that is not cut short bounds the cost of
// all mappings, and so their crossings: at most one chunk is saved or begun for each word.
bool StageSearch::is_proved() {
  if (dropped_ > upper_) {
    least_crossings_ = crossings();
    return true;
  }
  least_crossings_ = std::max(least_crossings_, (dropped_ - words_ + unit_ - 1) / unit_);
  return false;
}

// Returns the width of the first beam, which must find a mapping whatever it takes. In long strings of few words, a
// state has very many children: then it is narrower, so that it makes not many times more states than `cap`.
std::int64_t StageSearch::narrow_enough(std::int64_t cap) const {
  const std::int64_t states = static_cast<std::int64_t>(open_->links.size()) + 1;
  return std::clamp<std::int64_t>(8 * (cap / (states * state_size())), 1, first_width);
}

// Sets the mapping of the best last state, and its cost as a bound for wider beams.
void StageSearch::keep_best(std::vector<std::int32_t>& mapping) {
  upper_ = below_.cost[0];
  mapping.assign(words_, -1);
  std::int32_t state = 0;
  for (std::int32_t word = words_ - 1; word >= 0; --word) {
    mapping[word] = steps_[word][state].choice;
    state = steps_[word][state].parent;
  }
}

void StageSearch::prepare() {
  components_ = static_cast<std::int32_t>(open_->ordered.size());
  component_words_.assign(components_, {});
  component_references_.assign(components_, {});
  ordinal_.resize(words_);
  last_use_.assign(references_, -1);
  for (std::int32_t word = 0; word < words_; ++word) {
    auto& members = component_words_[open_->hypothesis_component[word]];
    ordinal_[word] = static_cast<std::int32_t>(members.size());
    members.push_back(word);
    for (auto k = open_->link_begin[word]; k < open_->link_begin[word + 1]; ++k)
      last_use_[open_->links[k].reference] = word;
  }
  for (std::int32_t r = 0; r < references_; ++r) component_references_[open_->reference_component[r]].push_back(r);
  remaining_.assign(static_cast<std::size_t>(words_ + 1) * components_, 0);
  for (std::int32_t word = words_ - 1; word >= 0; --word) {
    const auto row = remaining_.begin() + static_cast<std::ptrdiff_t>(word) * components_;
    std::copy(row + components_, row + 2 * components_, row);
    ++row[open_->hypothesis_component[word]];
  }
  promise_.resize(components_);
  for (std::int32_t c = 0; c < components_; ++c) bound_component(c);
  steps_.resize(words_);
}

// Computes the least that the rest of a component costs by itself, if every chunk is saved that may be. In an ordered
// component, this is known after k words and p reference words, at [k * (references + 1) + p]. In others, each word
// takes its cheapest link.
void StageSearch::bound_component(std::int32_t component) {
  const auto& words = component_words_[component];
  const auto size = words.size();
  auto& promise = promise_[component];
  if (!open_->ordered[component]) {
    promise.assign(size + 1, 0);
    for (auto k = size; k-- > 0;) {
      std::int64_t least = 0;  // a word may stay unmapped, and links can cost less than nothing
      const auto begin = open_->link_begin[words[k]], end = open_->link_begin[words[k] + 1];
      std::int64_t cheapest = infinite;
      for (auto l = begin; l < end; ++l)
        cheapest = std::min(cheapest, open_->links[l].cost - open_->links[l].follows);
      least = std::min(least, cheapest);
      promise[k] = promise[k + 1] + least;
    }
    return;
  }
  const auto references = component_references_[component].size(), width = references + 1;
  const bool all_words = size < references;
  promise.assign((size + 1) * width, 0);
  for (auto k = size + 1; k-- > 0;) {
    poll(static_cast<std::int64_t>(width));
    for (auto p = width; p-- > 0;) {
      if (all_words ? k == size : p == references) continue;
      std::int64_t least = infinite;
      if (k < size && p < references) {
        const auto& link = open_->links[open_->link_begin[words[k]] + static_cast<std::int64_t>(p)];
        least = link.cost - link.follows + promise[(k + 1) * width + p + 1];
      }
      if (all_words && p < references) least = std::min(least, promise[k * width + p + 1]);
      if (!all_words && k < size) least = std::min(least, promise[(k + 1) * width + p]);
      promise[k * width + p] = std::min(least, infinite);
    }
  }
}

// Returns the least cost of the rest of a component, if `word` is the next of all words.
std::int64_t StageSearch::promise_of(std::int32_t component, std::int32_t word, const Cell* cells) const {
  const auto left = remaining_[static_cast<std::size_t>(word) * components_ + component];
  const auto done = static_cast<std::int32_t>(component_words_[component].size()) - left;
  if (!open_->ordered[component]) return promise_[component][done];
  const auto& references = component_references_[component];
  std::size_t passed = 0;
  if (left == 0) return 0;
  while (passed < references.size() && (cells[references[passed]] & 1)) ++passed;
  return promise_[component][done * (references.size() + 1) + passed];
}

// Makes one pass over the hypothesis words. Returns false if it would make more than `budget` states.
bool StageSearch::sweep(std::int64_t width, std::int64_t budget) {
  dropped_ = infinite, made_ = 0;
  below_.clear();
  child_.assign(references_, 0);
  std::int64_t promise = 0;
  for (std::int32_t c = 0; c < components_; ++c) promise += promise_of(c, 0, child_.data());
  below_.cells = child_;
  below_.next = {-1}, below_.cost = {0}, below_.promise = {promise}, below_.bound = {promise};
  below_.parent = {-1}, below_.choice = {-1};
  for (std::int32_t word = 0; word < words_; ++word) {
    std::swap(here_, below_);
    below_.clear();
    slots_.assign(64, -1);
    for (std::int32_t state = 0; state < here_.size(); ++state) {
      poll(100 + references_);
      if (made_ > budget) return false;
      expand(word, state);
    }
    finish_layer(width);
    steps_[word].resize(below_.size());
    for (std::int32_t s = 0; s < below_.size(); ++s) steps_[word][s] = {below_.parent[s], below_.choice[s]};
  }
  return true;
}

// Adds a state. Of equal states it keeps the cheaper one; of equally cheap ones the first, whose words come first in
// order.
void StageSearch::insert(std::int32_t next, std::int64_t cost, std::int64_t promise, std::int64_t bound, Step step) {
  if (static_cast<std::size_t>(below_.size()) * 2 >= slots_.size()) rehash(slots_.size() * 2);
  const auto mask = slots_.size() - 1;
  auto slot = hash_of(child_.data(), references_, next) & mask;
  for (; slots_[slot] >= 0; slot = (slot + 1) & mask) {
    const auto state = slots_[slot];
    const auto cells = below_.cells.begin() + static_cast<std::ptrdiff_t>(state) * references_;
    if (below_.next[state] != next || !std::equal(child_.begin(), child_.end(), cells)) continue;
    if (cost < below_.cost[state]) {
      below_.cost[state] = cost, below_.bound[state] = bound;
      below_.parent[state] = step.parent, below_.choice[state] = step.choice;
      replaced_ = true;
    }
    return;
  }
  slots_[slot] = below_.size();
  below_.cells.insert(below_.cells.end(), child_.begin(), child_.end());
  below_.next.push_back(next), below_.cost.push_back(cost), below_.promise.push_back(promise);
  below_.bound.push_back(bound), below_.parent.push_back(step.parent), below_.choice.push_back(step.choice);
}

void StageSearch::rehash(std::size_t slots) {
  slots_.assign(slots, -1);
  for (std::int32_t state = 0; state < below_.size(); ++state) {
    auto slot = hash_of(below_.cells.data() + static_cast<std::size_t>(state) * references_, references_,
                        below_.next[state]) &
                (slots - 1);
    while (slots_[slot] >= 0) slot = (slot + 1) & (slots - 1);
    slots_[slot] = state;
  }
}

// Drops all but the `width` states of least bound, and sorts the others by their words.
void StageSearch::finish_layer(std::int64_t width) {
  if (!replaced_ && below_.size() <= width) return;
  replaced_ = false;
  order_.resize(below_.cost.size());
  std::iota(order_.begin(), order_.end(), 0);
  const auto by_words = [&](std::int32_t a, std::int32_t b) {
    // An unmapped word, -1, comes after all that are mapped.
    const auto key = [&](std::int32_t s) {
      return std::make_pair(below_.parent[s], static_cast<std::uint32_t>(below_.choice[s]));
    };
    return key(a) < key(b);
  };
  if (below_.size() > width) {
    std::nth_element(order_.begin(), order_.begin() + width, order_.end(), [&](std::int32_t a, std::int32_t b) {
      return below_.bound[a] != below_.bound[b] ? below_.bound[a] < below_.bound[b] : by_words(a, b);
    });
    for (auto at = order_.begin() + width; at != order_.end(); ++at)
      dropped_ = std::min(dropped_, below_.bound[*at]);
    order_.resize(static_cast<std::size_t>(width));
  }
  std::sort(order_.begin(), order_.end(), by_words);
  below_.pick(order_, references_, here_);
}

void StageSearch::Layer::pick(const std::vector<std::int32_t>& states, std::int32_t references, Layer& into) {
  into.clear();
  for (const auto s : states) {
    const auto from = cells.begin() + static_cast<std::ptrdiff_t>(s) * references;
    into.cells.insert(into.cells.end(), from, from + references);
    into.next.push_back(next[s]), into.parent.push_back(parent[s]), into.choice.push_back(choice[s]);
    into.cost.push_back(cost[s]), into.promise.push_back(promise[s]), into.bound.push_back(bound[s]);
  }
  std::swap(*this, into);
}

}  // namespace latticemetric
