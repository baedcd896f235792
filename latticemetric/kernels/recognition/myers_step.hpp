// A step of the bit-vector algorithm for edit distances (Myers 1999, "A fast bit-vector algorithm for approximate
// string matching based on dynamic programming"; in blocks, Hyyrö 2003).
#pragma once

#include <type_traits>

namespace latticemetric {

// What a step says of the cells of a block.
template <typename Bits>
struct MyersStep {
  Bits level;  // whether the cell is equal to the one before it in the previous row and column
  Bits right;  // whether the cell is one more than the one before it in its row
};

// Computes a block of the next column. Neighbours differ by at most 1: `up` and `down` say where the column rises and
// falls. `equal` says where the reference has the word that is read. `more_above` and `less_above` say, in their lowest
// bit, whether the row above the block rises or falls from column to column, and afterwards the same of the last row of
// the block. Above the first row, words are inserted: it rises.
//
// `Bits` is an unsigned integer, or a vector of them: each lane is a column of its own.
template <typename Bits>
inline MyersStep<Bits> myers_step(Bits& up, Bits& down, Bits equal, Bits& more_above, Bits& less_above) {
  constexpr auto last = [] {
    if constexpr (std::is_integral_v<Bits>)
      return 8 * sizeof(Bits) - 1;
    else
      return 8 * sizeof(Bits{}[0]) - 1;
  }();
  equal |= less_above;
  const Bits level = (((equal & up) + up) ^ up) | equal | down;
  const Bits right = down | ~(level | up), left = up & level;
  const Bits right_before = (right + right) | more_above, left_before = (left + left) | less_above;
  more_above = right >> last;
  less_above = left >> last;
  up = left_before | ~(level | right_before);
  down = right_before & level;
  return {level, right};
}

}  // namespace latticemetric
