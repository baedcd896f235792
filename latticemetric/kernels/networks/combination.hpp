// Multiple alignment of the outputs of several systems: one network, each column of which has at most one slot of each
// system.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace latticemetric {

// A system's output is a sequence of slots. A slot is a distribution over words: parts that add up to `whole_slot`;
// word 0 means no word. A plain string has one word in each slot.
constexpr std::int64_t whole_slot = 100;

// The entries of a slot are stored one after the other, as are the slots of a system.
struct SystemOutputs {
  std::int32_t systems;
  const std::int64_t* system_begin;  // the first slot of each system, and the end
  const std::int64_t* slot_begin;    // the first entry of each slot, and the end
  const std::int32_t* word;
  const std::int32_t* parts;
  const double* times;  // begin and end of each slot; NaN if unknown
};

// The cost of a column is the sum over all pairs of systems of the probability that they differ there (sum of pairs). A
// system without a slot there counts as having no word. Among alignments of nearly the same cost, those are better that
// have more pairs of equal words, then those that pair words with the same letters and near in time: all of this takes
// off at most `tie_share` of an error for a pair of slots. Two slots are near if the seconds between their begins and
// those between their ends add up to less than `seconds_near`.
//
// If columns are mediated by time, these seconds are part of what is minimized: a pair of slots also costs their share
// of `seconds_of_error`, but little more than an error. Neighbouring columns without a common system are in the order of
// their times.
struct MultipleAlignment {
  std::vector<std::int64_t> slot;  // by column, then by system: the slot; -1 for none
  double cost = 0;                 // without what equal pairs, letters and times change
  std::int64_t distances = 0;      // the sum over pairs of systems of the edit distance of their likeliest words
};
constexpr double tie_share = 1.0 / 400;
constexpr double seconds_near = 0.5, seconds_of_error = 1;

// Aligns systems. They join the network from the nearest to the farthest one. Then groups of systems are aligned again
// with the rest, until no group can be aligned better. A pair of networks is aligned exactly within a band around the
// alignments of its systems; for short networks, the band is the whole table.
//
// `spelling` has the letters of each word. The order of the systems resolves ties, of distances and of alignments: sort
// the systems if the network must not depend on their order.
MultipleAlignment align_systems(const SystemOutputs& outputs, const std::vector<std::string>& spelling,
                                bool is_time_mediated);

}  // namespace latticemetric
