// A lattice unfolded until the n-grams that each arc completes are known.
#pragma once

#include <cstdint>
#include <vector>

#include "ngrams/gain_automaton.hpp"

namespace latticemetric {

// Its states are states of the lattice, each with as much of what was said as can still matter. They come in the order
// of the lattice's, the start first; one of them is never reached in two ways that differ in what can follow.
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
