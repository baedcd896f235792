// Forests with one edge per line: hypergraphs of Moses and Joshua, target graphs of cdec.
#pragma once

#include <string_view>

#include "formats/forest_text.hpp"

namespace latticemetric {

// Reads `# target ||| features ||| source-covered`, the numbers of nodes and edges, then for each node the number of
// its edges and one line for each of them. The last node is the goal.
ForestText parse_moses_hypergraph(std::string_view text);

// Reads the same format without the header and without the third field. A node without edges derives the empty string.
ForestText parse_target_graph(std::string_view text);

// Reads `# target ||| features`, the numbers of nodes and edges, then for each node its number and one line for each of
// its edges. Node numbers rise from 1. The goals are the nodes that no edge uses.
ForestText parse_joshua_hypergraph(std::string_view text);

}  // namespace latticemetric
