#include "ngrams/search.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "graphs/tie_order.hpp"
#include "ngrams/gain_product.hpp"

namespace latticemetric {
namespace {

// The best way to complete a path, among those with the best gain.
struct BestRest {
  double cost = std::numeric_limits<double>::infinity();
  std::int64_t words = 0;
  std::int64_t arc = -1;   // -1: the path ends
  std::int64_t next = -1;  // item

  bool beats(const BestRest& other) const {
    return costs_as_much(*this, other) ? arc < other.arc : comes_first(*this, other);
  }
};

}  // namespace

// Computes gains first, which takes one number per item. Then resolves ties, among the items of best paths only.
GainPath search_ngrams(std::int32_t states, std::int64_t arcs, const std::int32_t* source, const std::int32_t* target,
                       const std::int32_t* word, const std::uint8_t* is_word, const double* cost,
                       const double* final_cost, const NgramGains& gains) {
  GainProduct product(states, arcs, source, target, word, gains);
  const auto items = static_cast<std::size_t>(product.items());
  // The best gain from each item on. Going backwards, everything that follows a state is settled before it.
  auto best = filled(items, -std::numeric_limits<double>::infinity());
  const auto may_end = [&](std::int32_t t,
                           std::int64_t item) { return std::isfinite(final_cost[t]) && best[item] == 0; };
  const auto keeps_best = [&](std::int64_t item, std::int64_t next, double gain) {
    return gain + best[next] == best[item];
  };
  for (auto t = states; t-- > 0;) {
    if (std::isfinite(final_cost[t]))
      for (auto i = product.begin(t); i < product.begin(t + 1); ++i) best[i] = std::max(best[i], 0.0);
    product.each_step_into(t, [&](std::int64_t, std::int64_t item, std::int64_t next, double gain) {
      best[item] = std::max(best[item], gain + best[next]);
    });
  }
  // Numbers the items of best paths.
  constexpr std::int64_t none = -1;
  auto number = filled(items, none);
  std::int64_t optimal = 0;
  number[0] = optimal++;
  for (std::int32_t t = 1; t < states; ++t)
    product.each_step_into(t, [&](std::int64_t, std::int64_t item, std::int64_t next, double gain) {
      if (number[item] >= 0 && number[next] < 0 && keeps_best(item, next, gain)) number[next] = optimal++;
    });
  auto rest = filled(static_cast<std::size_t>(optimal), BestRest{});
  GainPath path;
  const auto offer = [&](BestRest& best_rest, const BestRest& found) {
    path.by_numbers |= std::isfinite(found.cost) && costs_as_much(found, best_rest);
    if (found.beats(best_rest)) best_rest = found;
  };
  for (auto t = states; t-- > 0;) {
    for (auto i = product.begin(t); i < product.begin(t + 1); ++i) {
      const BestRest here{final_cost[t], 0, -1, -1};
      if (number[i] >= 0 && may_end(t, i)) offer(rest[number[i]], here);
    }
    product.each_step_into(t, [&](std::int64_t a, std::int64_t item, std::int64_t next, double gain) {
      if (number[item] < 0 || !keeps_best(item, next, gain)) return;
      const BestRest& after = rest[number[next]];
      const BestRest found{cost[a] + after.cost, is_word[a] + after.words, a, next};
      offer(rest[number[item]], found);
    });
  }
  for (std::int64_t i = 0; rest[number[i]].arc >= 0; i = rest[number[i]].next) path.arcs.push_back(rest[number[i]].arc);
  return path;
}

}  // namespace latticemetric
