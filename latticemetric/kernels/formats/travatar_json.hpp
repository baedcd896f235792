// Forests of Travatar in JSON: an object with nodes, edges, and the words of the source sentence.
#pragma once

#include <string_view>

#include "formats/forest_text.hpp"

namespace latticemetric {

// Node 0 is the goal. Nodes are numbered from the last one, so that tails, which follow their heads in the file, come
// first. Throws NotJson.
ForestText parse_travatar_json(std::string_view text);

}  // namespace latticemetric
