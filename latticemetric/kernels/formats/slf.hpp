// HTK standard lattice format: lines of NAME=value fields. Nodes begin with I=, links with J=; all other lines are
// header.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "formats/text.hpp"

namespace latticemetric {

// One named field of all nodes or of all links. Values are views into the text, or into `unescaped`; they are empty in
// rows without the field.
struct SlfColumn {
  std::string_view name;
  std::vector<std::string_view> values;
};

struct SlfTable {
  std::vector<SlfColumn> columns;
  std::vector<std::int64_t> lines;  // by row: its line
};

struct SlfField {
  std::string_view name, value;
  std::int64_t line;
};

struct SlfText {
  std::vector<SlfField> header;
  SlfTable nodes, links;
  std::deque<std::string> unescaped;
};

SlfText parse_slf(std::string_view text);

}  // namespace latticemetric
