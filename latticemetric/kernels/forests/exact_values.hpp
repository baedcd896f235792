// Chooses the integers that a search of a forest needs to compute its gains exactly.
#pragma once

#include "forests/tables.hpp"
#include "recognition/automaton.hpp"

namespace latticemetric {

// Returns a bound of the absolute value of any derivation's gain.
inline double largest_value(const ForestRules& rules, std::int32_t size, Gains gains) {
  return largest_gain<double>(gains, rules.most_words(), size);
}

// Calls search(zero) with a zero of the smallest integer type that holds all values. Throws TooLarge if none does.
template <typename Search>
auto with_exact_value(double largest, Search search) {
  if (fits<std::int16_t>(largest, 8)) return search(std::int16_t{0});
  if (fits<std::int32_t>(largest, 8)) return search(std::int32_t{0});
  if (fits<std::int64_t>(largest, 8)) return search(std::int64_t{0});
  if (fits<Int128>(largest, 8)) return search(Int128{0});
  throw TooLarge("derivations are too long for exact gains, since they use shared nodes too often; prune the forest");
}

}  // namespace latticemetric
