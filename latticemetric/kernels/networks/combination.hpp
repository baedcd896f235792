// Multiple alignment of the outputs of several systems: one network whose columns hold a slot of each system.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace latticemetric {

// A system's output is a sequence of slots. A slot is a distribution over words, in parts of `whole_slot` that add up
// to it; word 0 is no word. A string has one word a slot.
constexpr std::int64_t whole_slot = 100;

// Entries of a slot stand one after the other, slots of a system too.
struct SystemOutputs {
  std::int32_t systems;
  const std::int64_t* system_begin;  // the first slot of each system, and the end
  const std::int64_t* slot_begin;    // the first entry of each slot, and the end
  const std::int32_t* word;
  const std::int32_t* parts;
  const double* times;  // begin and end of each slot; NaN if not known
};

// The cost of a column is the sum over pairs of systems of the probability that they differ there; a system without a
// slot there says nothing (sum of pairs). Of alignments of nearly the same cost, those are better that pair words with
// the same letters and the same times: together, that counts at most `tie_share` of an error a pair of slots.
struct MultipleAlignment {
  std::vector<std::int64_t> slot;  // of each column, for each system; -1 for none
  double cost = 0;                 // without the share for letters and times
  std::int64_t distances = 0;      // the edit distances of all pairs of systems, each by its likeliest words
};
constexpr double tie_share = 1.0 / 1024;

// Systems join the network from the nearest to the farthest one; then groups of systems are aligned again with the
// rest, until no group can be aligned better. A pair of networks is aligned exactly within a band around the alignments
// of its systems, which is the whole table for short ones.
//
// `spelling` has the letters of each word. Systems in another order give the same network if ties of their distances
// and lengths are resolved by the order in which they stand here.
MultipleAlignment align_systems(const SystemOutputs& outputs, const std::vector<std::string>& spelling);

}  // namespace latticemetric
