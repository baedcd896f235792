// Text formats with an arc a line: Kaldi's lattices and OpenFst's machines.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/label_rows.hpp"
#include "formats/text.hpp"

namespace latticemetric {

// Columns of arcs and of final states. `start` is the first line's source.
struct ArcLines {
  std::vector<std::int32_t> source, target, final;
  std::int32_t start = -1;
  WordColumn word;
  WordColumn input;                     // OpenFst: the input side, where arcs have an output side too
  std::vector<double> cost[2];          // of arcs: Kaldi's graph and acoustic cost, OpenFst's weight
  std::vector<double> final_cost[2];
  std::vector<std::int32_t> transitions, final_transitions;  // Kaldi: numbers of rows of transition_rows
  LabelRows<char> transition_rows;      // UTF-8
  bool weighted = false;                // OpenFst: whether any line has a weight
  bool has_output = false;              // OpenFst: whether arcs have an output side
};

// One lattice of a Kaldi text archive; its first line, the id, is passed over. Compact (`s t word g,a,tids`) or not
// (`s t tid word g,a`). Words are symbols if the archive is known to spell them, else if one of them is no number.
ArcLines parse_kaldi(std::string_view text, bool symbols);

// An OpenFst machine as text: `s t input [output] [weight]`, final `s [weight]`.
ArcLines parse_openfst(std::string_view text);

// Blocks of lines between blank lines, from byte `at` on: for each, its first byte, the byte after it, the lines from
// `at` to its first byte, and those to the byte after it. A block that reaches the end is given only if `at_end`.
std::vector<std::int64_t> split_blocks(std::string_view text, std::size_t at, bool at_end);

}  // namespace latticemetric
