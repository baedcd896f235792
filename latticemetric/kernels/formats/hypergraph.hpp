// Forests with an edge a line: hypergraphs of Moses and Joshua, target graphs of cdec.
#pragma once

#include <string_view>

#include "formats/forest_text.hpp"

namespace latticemetric {

// `# target ||| features ||| source-covered`, the numbers of nodes and edges; for each node the number of its edges,
// and a line for each of them. The last node is the goal.
ForestText parse_moses_hypergraph(std::string_view text);

// The same without the header and the third field; a node without edges has no words.
ForestText parse_target_graph(std::string_view text);

// `# target ||| features`, the numbers of nodes and edges; above the edges of a node, its number. Numbers rise from 1.
// The goals are the nodes that no edge uses.
ForestText parse_joshua_hypergraph(std::string_view text);

}  // namespace latticemetric
