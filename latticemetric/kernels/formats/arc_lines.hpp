// Text formats with one arc per line: Kaldi's lattices and OpenFst's machines.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/label_rows.hpp"
#include "formats/text.hpp"

namespace latticemetric {

// Columns of arcs and of final states. `start` is the source of the first line.
struct ArcLines {
  std::vector<std::int32_t> source, target, final;
  std::int32_t start = -1;
  WordColumn word;
  WordColumn input;                     // OpenFst: the input side, if arcs have an output side, too
  std::vector<double> cost[2];          // of arcs: Kaldi's graph and acoustic cost, OpenFst's weight
  std::vector<double> final_cost[2];
  std::vector<std::int32_t> transitions, final_transitions;  // Kaldi: row numbers in transition_rows, 0 for none
  LabelRows<char> transition_rows;      // UTF-8
  bool weighted = false;                // OpenFst: whether any line has a weight
  bool has_output = false;              // OpenFst: whether arcs have an output side
};

// Reads one lattice of a Kaldi text archive; skips its first line, the id. Lines are compact (`s t word g,a,tids`) or
// not (`s t tid word g,a`). Words are symbols if `symbols` says so or if some word is no number, else they are numbers.
ArcLines parse_kaldi(std::string_view text, bool symbols);

// Returns whether what was read as words of a Kaldi archive may be the weights of OpenFst's machines: `0 1 5 0.3`.
bool may_be_weights(const ArcLines& lattice);

// Reads an OpenFst machine as text: arcs `s t input [output] [weight]`, final states `s [weight]`.
ArcLines parse_openfst(std::string_view text);

// Finds the blocks of lines between blank lines, from byte `at` on. Returns four numbers for each block: its first
// byte, the byte after it, the number of lines from `at` to its first byte, and to the byte after it. A block that
// reaches the end of the text is returned only if `at_end`.
std::vector<std::int64_t> split_blocks(std::string_view text, std::size_t at, bool at_end);

}  // namespace latticemetric
