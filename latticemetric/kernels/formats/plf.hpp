// Python lattice format (Moses, cdec): one lattice per line. It is parsed, never evaluated, and the nesting has a fixed
// depth.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/text.hpp"

namespace latticemetric {

struct PlfLattice {
  std::vector<std::int32_t> source, target, word;
  std::int32_t end = 0;  // the node after the last item
  Words words;
  // Named costs: the negated scores (log probabilities), 0 on arcs without them. Scores without a name are named
  // `score`, or `score_0`, `score_1`, … if an arc has several.
  std::vector<std::pair<std::string, std::vector<double>>> costs;
  std::deque<std::string> unescaped;  // texts that words point into, if not into the line itself
};

PlfLattice parse_plf(std::string_view line);

}  // namespace latticemetric
