// A lattice unfolded until the n-grams that each arc completes are known.
#pragma once

#include <cstdint>
#include <vector>

#include "ngrams/gain_automaton.hpp"

namespace latticemetric {

// Its states are pairs of a state of the lattice and a state of the automaton of gains, in the order of the lattice's
// states, the start first.
struct GainLattice {
  std::vector<std::int32_t> state;   // of the lattice, for each state
  std::vector<std::int32_t> source, target;
  std::vector<std::int64_t> arc;     // of the lattice, for each arc
  std::vector<double> gain;
};

// The lattice and the gains are those of `search_ngrams`. Arcs are sorted by the state of the lattice they lead to.
GainLattice unfold_gains(std::int32_t states, std::int64_t arcs, const std::int32_t* source,
                         const std::int32_t* target, const std::int32_t* word, const NgramGains& gains);

}  // namespace latticemetric
