// The best path of a lattice under a recognition rate: the metric's automaton fused with the search.
#pragma once

#include <cstdint>
#include <vector>

#include "alignment.hpp"

namespace latticemetric {

// A lattice as it is searched. Arcs are sorted by source and go from smaller to larger states; 0 is the start.
struct Graph {
  std::int32_t states;
  std::int64_t arcs;
  const std::int32_t* source;
  const std::int32_t* target;
  const std::int32_t* label;     // what an arc counts as; 0 for ε
  const std::uint8_t* is_word;   // which arcs carry a word in the result
  const double* cost;
  const double* final_cost;      // a state; infinite where it is not final
};

struct Best {
  std::vector<std::int64_t> arcs;
  Wide gain = 0;
};

// Best gain; ties: least cost, fewest words, lexicographically smallest arcs. Gains are exact integers.
Best search_lattice(const Graph& graph, const std::int32_t* reference, std::int32_t reference_words, Gains gains);

}  // namespace latticemetric
