#include "graphs/lattice_summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "graphs/best_path.hpp"
#include "graphs/forward_backward.hpp"
#include "graphs/pairwise_sum.hpp"
#include "memory/budget.hpp"

namespace latticemetric {
namespace {

// Returns the model's cost; nothing if the costs of paths cannot be added up.
std::optional<TotalCost> cost_of(const CostedLattice& lattice) {
  std::vector<CostColumn> used;
  for (const CostColumn& one : lattice.columns)
    if (one.scale != 0) used.push_back(one);
  TotalCost cost = total_cost(used, lattice.arcs, lattice.states, lattice.final, lattice.finals);
  return cost.can_be_added ? std::optional(std::move(cost)) : std::nullopt;
}

std::vector<std::int64_t> best_path_of(const CostedLattice& lattice, const TotalCost& cost) {
  std::vector<std::uint8_t> is_word(static_cast<std::size_t>(lattice.arcs), 0);
  if (!lattice.is_ranked)
    std::transform(lattice.word, lattice.word + lattice.arcs, is_word.begin(), [](auto word) { return word != 0; });
  return best_path(lattice.states, lattice.arcs, lattice.source, lattice.target, cost.arc.data(), is_word.data(),
                   cost.ends.data());
}

std::int32_t end_of(const CostedLattice& lattice, const std::vector<std::int64_t>& path) {
  return path.empty() ? 0 : lattice.target[path.back()];
}

// Returns the costs times a factor; nothing if one is not finite.
std::optional<TotalCost> scaled(const CostedLattice& lattice, TotalCost cost, double scale) {
  bool are_finite = true;
  for (double& value : cost.arc) are_finite &= std::isfinite(value *= scale);
  for (std::int64_t k = 0; k < lattice.finals; ++k)
    are_finite &= std::isfinite(cost.ends[static_cast<std::size_t>(lattice.final[k])] *= scale);
  return are_finite ? std::optional(std::move(cost)) : std::nullopt;
}

constexpr std::size_t most_digits = 512;  // of a number of paths

// Adds another number of paths.
void add(NumberOfPaths& sum, const NumberOfPaths& other) {
  if (!sum || !other) {
    sum.reset();
    return;
  }
  auto& digits = *sum;
  if (digits.size() < other->size()) digits.resize(other->size(), 0);
  bool carry = false;
  for (std::size_t k = 0; k < digits.size() && (carry || k < other->size()); ++k) {
    const std::uint64_t added = k < other->size() ? (*other)[k] : 0;
    const std::uint64_t half = digits[k] + added, whole = half + carry;
    carry = half < added || whole < half;
    digits[k] = whole;
  }
  if (!carry) return;
  digits.push_back(1);
  if (digits.size() > most_digits) sum.reset();
}

std::int64_t distinct_words(const CostedLattice& lattice) {
  const std::int32_t* const end = lattice.word + lattice.arcs;
  const std::int64_t highest = lattice.arcs > 0 ? *std::max_element(lattice.word, end) : 0;
  if (highest <= 4 * lattice.arcs + 4096) {
    std::vector<std::uint8_t> is_used(static_cast<std::size_t>(std::max<std::int64_t>(highest, 0)) + 1, 0);
    for (const auto* word = lattice.word; word < end; ++word) is_used[static_cast<std::size_t>(*word)] = 1;
    return std::count(is_used.begin() + 1, is_used.end(), 1);
  }
  std::vector<std::int32_t> words(lattice.word, end);
  std::sort(words.begin(), words.end());
  const auto last = std::unique(words.begin(), words.end());
  return last - std::upper_bound(words.begin(), last, 0);
}

// Finds the number of paths, and their smallest and largest number of words, in one sweep from the ends.
void count_paths(const CostedLattice& lattice, LatticeSize& size) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max() / 2;
  const auto states = static_cast<std::size_t>(lattice.states);
  std::vector<NumberOfPaths> paths(states, std::vector<std::uint64_t>{});
  std::vector<std::int64_t> shortest(states, none), longest(states, -none);
  for (std::int64_t k = 0; k < lattice.finals; ++k) {
    const auto state = static_cast<std::size_t>(lattice.final[k]);
    paths[state] = std::vector<std::uint64_t>{1};
    shortest[state] = longest[state] = 0;
  }
  for (std::int64_t a = lattice.arcs - 1; a >= 0; --a) {
    const auto here = static_cast<std::size_t>(lattice.source[a]), there = static_cast<std::size_t>(lattice.target[a]);
    const std::int64_t word = lattice.word[a] != 0;
    add(paths[here], paths[there]);
    poll(8 + (paths[here] ? static_cast<std::int64_t>(paths[here]->size()) : 0));
    shortest[here] = std::min(shortest[here], shortest[there] + word);
    longest[here] = std::max(longest[here], longest[there] + word);
    size.words += word;
  }
  size.paths = std::move(paths[0]);
  size.shortest = shortest[0];
  size.longest = longest[0];
}

void measure_depth(const CostedLattice& lattice, LatticeSize& size) {
  std::vector<std::int64_t> place(static_cast<std::size_t>(lattice.states), 0);
  for (std::int64_t a = 0; a < lattice.arcs; ++a) {
    auto& there = place[static_cast<std::size_t>(lattice.target[a])];
    there = std::max(there, place[static_cast<std::size_t>(lattice.source[a])] + 1);
  }
  for (std::int64_t a = 0; a < lattice.arcs; ++a)
    size.covered += place[static_cast<std::size_t>(lattice.target[a])] -
                    place[static_cast<std::size_t>(lattice.source[a])];
  size.extent = *std::max_element(place.begin(), place.end());
}

}  // namespace

std::optional<BestSummary> best_summary(const CostedLattice& lattice, double scale) {
  const auto cost = cost_of(lattice);
  if (!cost) return std::nullopt;
  const auto weighed = scaled(lattice, *cost, scale);
  if (!weighed) return std::nullopt;
  const ForwardBackward found = forward_backward(lattice.states, lattice.arcs, lattice.source, lattice.target,
                                                 weighed->arc.data(), weighed->ends.data());
  if (!std::isfinite(found.log_total)) return std::nullopt;
  BestSummary best;
  best.path = best_path_of(lattice, *cost);
  const auto end = static_cast<std::size_t>(end_of(lattice, best.path));
  const auto row = std::lower_bound(lattice.final, lattice.final + lattice.finals, end) - lattice.final;
  std::vector<double> values;
  best.cost = sum_along(best.path, cost->arc.data(), cost->ends[end], values);
  for (const CostColumn& one : lattice.columns)
    best.column.push_back(sum_along(best.path, one.arc, one.final[row], values));
  for (const auto a : best.path) {
    const double step = found.transition[static_cast<std::size_t>(a)];
    best.steps.push_back(step);
    if (lattice.word[a] != 0)
      best.confidence.push_back(std::min(found.forward[static_cast<std::size_t>(lattice.source[a])] * step, 1.0));
  }
  const double passes = found.forward[end], ends = passes * found.ending[end];
  best.steps.push_back(passes > 0 ? ends / passes : 0.0);
  return best;
}

std::optional<LatticeSize> lattice_size(const CostedLattice& lattice) {
  const auto cost = cost_of(lattice);
  if (!cost) return std::nullopt;
  LatticeSize size;
  count_paths(lattice, size);
  measure_depth(lattice, size);
  size.distinct = distinct_words(lattice);
  const auto path = best_path_of(lattice, *cost);
  for (const auto a : path) size.best_words += lattice.word[a] != 0;
  std::vector<double> values;
  size.best_cost =
      sum_along(path, cost->arc.data(), cost->ends[static_cast<std::size_t>(end_of(lattice, path))], values);
  return size;
}

}  // namespace latticemetric
