// Search graphs of Moses without features and source phrases, as `-output-search-graph` writes them. Every other file,
// above all one with an error, is left to the reader in Python.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/text.hpp"

namespace latticemetric {

// The arcs of a graph: a hypothesis with several words becomes a chain, and has its cost and label on the first arc.
struct SearchGraph {
  Words words, spans;
  std::vector<std::int32_t> source, target, final;
  std::vector<std::int32_t> word, span;  // by arc: numbers of words, and of texts like 0-2
  std::vector<double> cost;              // by arc
};

std::optional<SearchGraph> read_search_graph(std::string_view text);

}  // namespace latticemetric
