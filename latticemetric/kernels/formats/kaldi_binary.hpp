// A lattice of a Kaldi binary archive: an OpenFst `vector` machine whose weights are pairs of costs, in the compact
// form with transition ids.
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
  std::vector<std::int32_t> transitions, final_transitions;  // numbers of rows, from 1; 0 for none
  LabelRows<std::int32_t> transition_rows;                   // ids; the input side where it is not compact
};

// Reads one machine, to the last byte.
KaldiMachine parse_kaldi_binary(std::string_view bytes);

// How many bytes the machine at the beginning of some bytes has; 0 where they end before it does.
std::size_t kaldi_binary_size(std::string_view bytes);

}  // namespace latticemetric
