// A lattice of a Kaldi binary archive: an OpenFst `vector` machine whose weights are pairs of costs. In the compact
// form, weights also hold transition ids.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/label_rows.hpp"

namespace latticemetric {

struct KaldiMachine {
  std::int64_t start = -1;
  std::vector<std::int32_t> source, target, output, final;
  std::vector<double> cost[2], final_cost[2];                // graph and acoustic
  std::vector<std::int32_t> transitions, final_transitions;  // row numbers, from 1; 0 for none
  LabelRows<std::int32_t> transition_rows;                   // transition ids; if not compact, the input labels
};

// Reads one machine, which must end with the last byte. Throws a ParseError.
KaldiMachine parse_kaldi_binary(std::string_view bytes);

// Returns whether a lattice can have all costs and words; the parser takes any 32 bits.
bool has_valid_numbers(const KaldiMachine& machine);

// Returns the size in bytes of the machine that some bytes begin with; 0 if they end before the machine does.
std::size_t kaldi_binary_size(std::string_view bytes);

// Weights to write: two costs, and the transition ids `ids[begin[k] .. begin[k + 1])`.
struct KaldiWeights {
  const float *graph, *acoustic;
  const std::int64_t* begin;
  const std::int32_t* ids;
};

// A machine to write, without its header. Arcs are sorted by source, final states ascend.
struct WrittenKaldiMachine {
  std::int32_t states = 0;
  std::size_t arcs = 0, ends = 0;
  const std::int32_t *source, *target, *word, *final;
  KaldiWeights arc, end;
};

// Returns the states and arcs of a machine of type `vector` with arcs `compactlattice44`.
std::string write_kaldi_binary(const WrittenKaldiMachine& machine);

}  // namespace latticemetric
