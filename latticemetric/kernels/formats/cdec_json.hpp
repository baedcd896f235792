// Forests of cdec in JSON: one object, whose keys repeat: rules, features, then for each node its edges and itself.
#pragma once

#include <string_view>

#include "formats/forest_text.hpp"

namespace latticemetric {

// The last node is the goal; a node without edges gets one without words. Throws NotJson.
ForestText parse_cdec_json(std::string_view text);

}  // namespace latticemetric
