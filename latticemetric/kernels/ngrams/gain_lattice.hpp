// A lattice whose states are split until it is known which n-grams each arc completes.
#pragma once

#include <cstdint>
#include <vector>

#include "ngrams/gain_automaton.hpp"

namespace latticemetric {

// A state is a pair of a lattice state and a state of the gain automaton. States are in the order of their lattice
// states; the start is first.
struct GainLattice {
  std::vector<std::int32_t> state;   // by state: the lattice state
  std::vector<std::int32_t> source, target;
  std::vector<std::int64_t> arc;     // by arc: the lattice arc
  std::vector<double> gain;
};

// Takes the lattice and the gains of `search_ngrams`. The arcs returned are sorted by the lattice state that they lead
// to.
GainLattice unfold_gains(std::int32_t states, std::int64_t arcs, const std::int32_t* source,
                         const std::int32_t* target, const std::int32_t* word, const NgramGains& gains);

}  // namespace latticemetric
