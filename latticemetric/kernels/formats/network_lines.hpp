// Confusion networks as lines of text: SRILM's word meshes, and the networks of Moses.
//
// Only usual files are read here: meshes in order, without times and other texts, and networks with one probability a
// word. For every other file, these functions return nothing, and the readers in Python read it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "formats/text.hpp"

namespace latticemetric {

struct NetworkLines {
  Words words;
  std::int32_t positions = 0;
  std::vector<std::int32_t> position, word;  // by arc; the number of its word
  std::vector<double> cost;                  // by arc
};

std::optional<NetworkLines> read_mesh(std::string_view text);
std::optional<NetworkLines> read_moses_network(std::string_view text);

}  // namespace latticemetric
