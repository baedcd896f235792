// Forests of Travatar in JSON: an object with nodes, edges, and the words of the source sentence.
#pragma once

#include <string_view>

#include "formats/forest_text.hpp"

namespace latticemetric {

// Reads a forest. Node 0 of the file is the goal. Tails follow their heads in the file, so the nodes are numbered
// backwards to put tails first. Throws NotJson, or a ParseError.
ForestText parse_travatar_json(std::string_view text);

}  // namespace latticemetric
