// Which integers a search of a forest needs so that its gains are exact.
#pragma once

#include <cmath>
#include <limits>

#include "forests/tables.hpp"
#include "strings/alignment.hpp"

namespace latticemetric {

// No value is larger in size than this: every reference word matched or deleted, every word inserted.
inline double largest_value(const ForestRules& rules, std::int32_t size, Gains gains) {
  const double words = size + 1.0;
  return gains.order * static_cast<double>(gains.unit) * words +
         std::fabs(static_cast<double>(gains.alpha)) * (rules.most_words() + 1) +
         std::fabs(static_cast<double>(gains.beta)) * words;
}

template <typename Value>
bool fits(double largest) {
  return largest < static_cast<double>(std::numeric_limits<Value>::max()) / 8;
}

template <typename Value>
Pay<Value> pay(Gains gains) {
  return {gains.order, static_cast<Value>(gains.unit), static_cast<Value>(gains.alpha), static_cast<Value>(gains.beta)};
}

// Calls search(zero) with a zero of the smallest integers that hold all values.
template <typename Search>
auto with_exact_value(double largest, Search search) {
  if (fits<std::int16_t>(largest)) return search(std::int16_t{0});
  if (fits<std::int32_t>(largest)) return search(std::int32_t{0});
  if (fits<std::int64_t>(largest)) return search(std::int64_t{0});
  if (fits<Wide>(largest)) return search(Wide{0});
  throw TooLarge("derivations are too long for exact gains, since they use shared nodes too often; prune the forest");
}

}  // namespace latticemetric
