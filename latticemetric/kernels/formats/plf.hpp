// Python lattice format (Moses, cdec): one lattice a line. Parsed with a fixed depth of nesting, never evaluated.
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
  // Named scores as they are written (log probabilities); 0 on arcs without them. Positional ones are named
  // `score`, or `score_0`, `score_1`, … where an arc has several.
  std::vector<std::pair<std::string, std::vector<double>>> scores;
  std::deque<std::string> unescaped;  // texts that the words point into, where they are not in the line itself
};

PlfLattice parse_plf(std::string_view line);

}  // namespace latticemetric
