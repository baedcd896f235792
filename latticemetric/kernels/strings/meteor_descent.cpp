#include "strings/meteor_descent.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "memory/budget.hpp"
#include "strings/prefix_counts.hpp"

namespace latticemetric {
namespace {

constexpr std::int64_t beyond_all = std::numeric_limits<std::int64_t>::max() / 4;

}  // namespace

MappingDescent::MappingDescent(const OpenWords& open, std::int64_t unit) : open_(open), unit_(unit) {
  std::vector<Component> all(open.ordered.size());
  for (std::size_t k = 0; k < open.hypothesis.size(); ++k)
    all[open.hypothesis_component[k]].words.push_back(static_cast<std::int32_t>(k));
  for (std::size_t r = 0; r < open.reference.size(); ++r)
    all[open.reference_component[r]].references.push_back(static_cast<std::int32_t>(r));
  for (std::size_t c = 0; c < all.size(); ++c)
    if (open.ordered[c]) components_.push_back(std::move(all[c]));
  std::stable_sort(components_.begin(), components_.end(), [](const Component& a, const Component& b) {
    return a.words.size() + a.references.size() < b.words.size() + b.references.size();
  });
  target_.assign(open.hypothesis.size(), -1);
}

std::vector<std::int32_t> MappingDescent::find() {
  auto near_diagonal = start([&](std::int32_t word, std::int32_t reference, const Link&) {
    const std::int64_t words = open_.hypothesis.back() + 1, references = open_.reference.back() + 1;
    return std::abs(open_.hypothesis[word] * references - open_.reference[reference] * words);
  });
  auto alone = start([](std::int32_t, std::int32_t, const Link& link) { return link.cost; });
  return improved(cost_of(alone) < cost_of(near_diagonal) ? alone : near_diagonal);
}

// Maps each component for itself, so that the costs of its pairs have the least sum.
template <typename Cost>
std::vector<std::int32_t> MappingDescent::start(Cost cost) {
  std::fill(target_.begin(), target_.end(), -1);
  std::vector<std::size_t> skips;
  for (const auto& component : components_) {
    cost_.clear();
    each_pair(component, [&](std::size_t, std::size_t word, std::size_t reference) {
      cost_.push_back(cost(component.words[word], component.references[reference], link(component, word, reference)));
    });
    find_best(component, skips);
    apply(component, skips);
  }
  return target_;
}

std::vector<std::int32_t> MappingDescent::improved(const std::vector<std::int32_t>& mapping) {
  target_ = mapping;
  std::vector<std::size_t> skips, best;
  for (bool changes = true; changes;) {
    changes = false;
    for (const auto& component : components_) {
      remove(component, skips);
      evaluate(component);
      const bool is_better = find_best(component, best) < cost_of(component, skips);
      apply(component, is_better ? best : skips);
      changes = changes || is_better;
    }
  }
  return target_;
}

const Link& MappingDescent::link(const Component& component, std::size_t word, std::size_t reference) const {
  return open_.links[static_cast<std::size_t>(open_.link_begin[component.words[word]]) + reference];
}

// Returns whether a pair continues the chunk of the pair before it, if both have the same skip.
bool MappingDescent::is_next(const Component& component, std::size_t pair, std::size_t skip) const {
  if (pair == 0) return false;
  const auto word = component.word_of(pair, skip), reference = component.reference_of(pair, skip);
  return open_.hypothesis[component.words[word - 1]] + 1 == open_.hypothesis[component.words[word]] &&
         open_.reference[component.references[reference - 1]] + 1 == open_.reference[component.references[reference]];
}

// Calls `visit(entry, word, reference)` for each pair of words of a component that a mapping can make.
template <typename Visit>
void MappingDescent::each_pair(const Component& component, Visit visit) const {
  for (std::size_t pair = 0, entry = 0; pair < component.pairs(); ++pair) {
    poll(static_cast<std::int64_t>(component.skips()) * 4);
    for (std::size_t skip = 0; skip < component.skips(); ++skip, ++entry)
      visit(entry, component.word_of(pair, skip), component.reference_of(pair, skip));
  }
}

// Computes what each pair of a component costs beside the words of all others. Few pairs count their crossings one by
// one, which takes a pass of vector instructions each.
void MappingDescent::evaluate(const Component& component) {
  constexpr std::size_t few = 100;
  cost_.resize(component.pairs() * component.skips());
  if (cost_.size() < few)
    count_crossings_one_by_one(component);
  else
    count_crossings_together(component);
  each_pair(component, [&](std::size_t entry, std::size_t word, std::size_t reference) {
    const auto k = component.words[word], r = component.references[reference];
    const bool before = k > 0 && r > 0 && target_[k - 1] == r - 1 && are_adjacent(k - 1, r - 1);
    const bool after = static_cast<std::size_t>(k) + 1 < target_.size() && target_[k + 1] == r + 1 && are_adjacent(k, r);
    cost_[entry] = cost_[entry] * unit_ + link(component, word, reference).cost - before - after;
  });
}

// Returns whether a word and a reference word are each followed at once by the next open one.
bool MappingDescent::are_adjacent(std::int32_t word, std::int32_t reference) const {
  return open_.hypothesis[word] + 1 == open_.hypothesis[word + 1] &&
         open_.reference[reference] + 1 == open_.reference[reference + 1];
}

void MappingDescent::count_crossings_one_by_one(const Component& component) {
  const auto words = static_cast<std::int32_t>(target_.size());
  each_pair(component, [&](std::size_t entry, std::size_t word, std::size_t reference) {
    poll(words / 4);
    const auto k = component.words[word], r = component.references[reference];
    std::int32_t count = 0;
    for (std::int32_t w = 0; w < k; ++w) count += target_[w] > r;
    // As an unsigned number, an unmapped word is larger than all others.
    for (std::int32_t w = k + 1; w < words; ++w)
      count += static_cast<std::uint32_t>(target_[w]) < static_cast<std::uint32_t>(r);
    cost_[entry] = count;
  });
}

// Goes through the words once, with the counts of what lies to the left of each.
void MappingDescent::count_crossings_together(const Component& component) {
  std::vector<std::int32_t> below(open_.reference.size() + 1, 0);  // mapped reference words below each
  for (const auto r : target_)
    if (r >= 0) ++below[r + 1];
  std::partial_sum(below.begin(), below.end(), below.begin());
  PrefixCounts left(open_.reference.size());
  std::int32_t left_count = 0, w = 0;
  for (std::size_t word = 0; word < component.words.size(); ++word) {
    const auto k = component.words[word];
    poll(30 * (k - w));
    for (; w < k; ++w)
      if (target_[w] >= 0) left.add(target_[w]), ++left_count;
    // The pairs of this word: one pair with any skip, or pairs with one skip each.
    const auto first = component.has_more_words() ? word - std::min(word, component.skips() - 1) : word;
    const auto last = component.has_more_words() ? std::min(word, component.pairs() - 1) : word;
    for (auto pair = first; pair <= last; ++pair) {
      const auto first_skip = component.has_more_words() ? word - pair : 0;
      const auto last_skip = component.has_more_words() ? word - pair : component.skips() - 1;
      poll(30 * static_cast<std::int64_t>(last_skip - first_skip + 1));
      for (auto skip = first_skip; skip <= last_skip; ++skip) {
        const auto r = component.references[component.reference_of(pair, skip)];
        const auto left_below = left.below(r);
        cost_[pair * component.skips() + skip] = (left_count - left_below) + (below[r] - left_below);
      }
    }
  }
}

// Finds the skips of all pairs that cost the least, by `cost_`. Returns this cost.
std::int64_t MappingDescent::find_best(const Component& component, std::vector<std::size_t>& best) {
  const auto pairs = component.pairs(), skips = component.skips();
  previous_.resize(pairs * skips);
  std::vector<std::int64_t> here(skips, 0), before(skips, 0);
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    poll(static_cast<std::int64_t>(skips) * 4);
    before.swap(here);
    std::size_t least = 0;
    for (std::size_t skip = 0; skip < skips; ++skip) {
      if (before[skip] < before[least]) least = skip;
      const auto entry = pair * skips + skip;
      const auto continued = before[skip] - is_next(component, pair, skip);
      const bool continues = continued < before[least];
      here[skip] = cost_[entry] + (continues ? continued : before[least]);
      previous_[entry] = static_cast<std::int32_t>(continues ? skip : least);
    }
  }
  auto skip = static_cast<std::size_t>(std::min_element(here.begin(), here.end()) - here.begin());
  const auto cost = here[skip];
  best.assign(pairs, 0);
  for (auto pair = pairs; pair-- > 0;) {
    best[pair] = skip;
    skip = static_cast<std::size_t>(previous_[pair * skips + skip]);
  }
  return cost;
}

std::int64_t MappingDescent::cost_of(const Component& component, const std::vector<std::size_t>& skips) const {
  std::int64_t cost = 0;
  for (std::size_t pair = 0; pair < component.pairs(); ++pair) {
    cost += cost_[pair * component.skips() + skips[pair]];
    cost -= pair > 0 && skips[pair] == skips[pair - 1] && is_next(component, pair, skips[pair]);
  }
  return cost;
}

// Unmaps the words of a component. Sets `skips` to what they were mapped by.
void MappingDescent::remove(const Component& component, std::vector<std::size_t>& skips) {
  skips.clear();
  for (std::size_t k = 0; k < component.words.size(); ++k) {
    auto& target = target_[component.words[k]];
    if (target < 0) continue;
    const auto at = std::lower_bound(component.references.begin(), component.references.end(), target);
    skips.push_back(component.skip_of(k, static_cast<std::size_t>(at - component.references.begin())));
    target = -1;
  }
}

void MappingDescent::apply(const Component& component, const std::vector<std::size_t>& skips) {
  for (std::size_t pair = 0; pair < component.pairs(); ++pair)
    target_[component.words[component.word_of(pair, skips[pair])]] =
        component.references[component.reference_of(pair, skips[pair])];
}

std::int64_t MappingDescent::cost_of(const std::vector<std::int32_t>& mapping) const {
  std::int64_t cost = 0, count = 0;
  PrefixCounts mapped(open_.reference.size());
  for (std::size_t k = 0; k < mapping.size(); ++k) {
    poll(30);
    const auto r = mapping[k];
    if (r < 0) continue;
    auto at = open_.links.begin() + static_cast<std::ptrdiff_t>(open_.link_begin[k]);
    const auto end = open_.links.begin() + static_cast<std::ptrdiff_t>(open_.link_begin[k + 1]);
    at = std::lower_bound(at, end, r, [](const Link& link, std::int32_t number) { return link.reference < number; });
    const bool continues = at->follows && k > 0 && r > 0 && mapping[k - 1] == r - 1;
    cost += at->cost + unit_ * (count - mapped.below(r)) - continues;
    mapped.add(r);
    ++count;
  }
  return cost;
}

std::int64_t MappingDescent::least_crossings() const {
  const auto many = components_.size();
  std::int64_t total = 0;  // twice the crossings: those with other components are shared by both
  std::vector<std::int32_t> words_before, references_before;
  std::vector<std::int64_t> here, before;
  for (const auto& component : components_) {
    // By word (or reference word), then by component: how many words of the component come before.
    const auto count = [&](const std::vector<std::int32_t>& own, auto numbers, std::vector<std::int32_t>& counts) {
      counts.resize(own.size() * many);
      for (std::size_t c = 0; c < many; ++c) {
        const auto& others = numbers(components_[c]);
        poll(static_cast<std::int64_t>(own.size() + others.size()));
        std::size_t at = 0;
        for (std::size_t k = 0; k < own.size(); ++k) {
          while (at < others.size() && others[at] < own[k]) ++at;
          counts[k * many + c] = static_cast<std::int32_t>(at);
        }
      }
    };
    count(component.words, [](const Component& c) -> const auto& { return c.words; }, words_before);
    count(component.references, [](const Component& c) -> const auto& { return c.references; }, references_before);
    here.assign(component.skips(), 0);
    for (std::size_t pair = 0; pair < component.pairs(); ++pair) {
      before.swap(here);
      here.resize(component.skips());
      std::int64_t least = beyond_all;
      for (std::size_t skip = 0; skip < component.skips(); ++skip) {
        least = std::min(least, before[skip]);
        const auto word = component.word_of(pair, skip), reference = component.reference_of(pair, skip);
        const auto* w = &words_before[word * many];
        const auto* r = &references_before[reference * many];
        poll(static_cast<std::int64_t>(many));
        std::int64_t crossed = 0;
        for (std::size_t c = 0; c < many; ++c) {
          const auto& other = components_[c];
          if (&other == &component) continue;
          const auto spare = static_cast<std::int32_t>(other.skips()) - 1;
          const auto more = other.has_more_words() ? r[c] - w[c] : w[c] - r[c];
          crossed += std::max(0, more) + std::max(0, -more - spare);
        }
        // A cost is unit * crossings + 1, 0 or -1.
        const auto certain = (link(component, word, reference).cost + 1) / unit_;
        here[skip] = least + 2 * certain + crossed;
      }
    }
    total += *std::min_element(here.begin(), here.end());
  }
  return (total + 1) / 2;
}

}  // namespace latticemetric
