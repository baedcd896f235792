// HTK lattices of the usual form as sorted lattices: nodes from 0 on, in order; words, times and variants on nodes or
// links; numbers as scores of links. Every other file, above all one with an error, is left to the reader in Python.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/text.hpp"

namespace latticemetric {

struct SlfScores {
  std::string field;
  double weight;
  std::vector<double> cost;  // by arc
};

struct SlfLattice {
  std::int32_t states = 0;
  std::vector<std::int32_t> source, target, final;
  std::vector<std::int32_t> word;  // by arc: the number of its text
  std::vector<std::string> words;
  std::vector<SlfScores> scores;
  double word_penalty = 0;         // the weight of the number of words; 0 if there is none
  std::vector<double> times;       // by state; empty if a node has none
  std::vector<std::int32_t> variant;  // by arc: the number of its text; empty if no line has one
  std::vector<std::string> variants;
};

std::optional<SlfLattice> read_slf(std::string_view text);

}  // namespace latticemetric
