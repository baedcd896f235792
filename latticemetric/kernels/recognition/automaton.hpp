// What an edit adds to the value of an alignment under a recognition rate.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "strings/alignment.hpp"

namespace latticemetric {

// Less than the value of any path that is looked for. An edit can be taken from it, if edits of small values are small.
template <typename Value>
constexpr Value no_value = sizeof(Value) == 2 ? static_cast<Value>(-32000) : std::numeric_limits<Value>::min() / 2;

// A match has m words matched in a row before it. The values of an alignment are its gains, or, at par, what it falls
// short of a match with `order - 1` matches before it for each word of the reference: then no edit adds anything.
template <typename Value>
struct EditValues {
  EditValues(Gains gains, bool at_par)
      : order(gains.order),
        unit(static_cast<Value>(gains.unit)),
        substitution(at_par ? static_cast<Value>(-gains.order * gains.unit) : Value{0}),
        insertion(static_cast<Value>(-gains.alpha)),
        deletion(static_cast<Value>(substitution - gains.beta)) {}

  Value match(std::int32_t m) const { return static_cast<Value>((m + 1) * unit + substitution); }
  std::int32_t longer(std::int32_t m) const { return std::min(m + 1, order - 1); }

  std::int32_t order;
  Value unit, substitution, insertion, deletion;
};

}  // namespace latticemetric
