// Forests of cdec in JSON: one object whose keys repeat. They are rules, features, then for each node its edges and the
// node.
#pragma once

#include <string_view>

#include "formats/forest_text.hpp"

namespace latticemetric {

// Reads a forest. The last node is the goal. A node without edges gets one edge without words. Throws NotJson, or a
// ParseError.
ForestText parse_cdec_json(std::string_view text);

}  // namespace latticemetric
