// The 1-best of a lattice with its probabilities, from the text of an archive.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "blocks/rate_search.hpp"

namespace latticemetric {

// How to find the best path: under which weights of columns; and the factor of costs in probabilities.
struct BestSettings {
  std::array<double, kaldi_columns> weights{};
  double posterior_scale = 1;
};

// What was found in a lattice: its best path, and the probabilities of `BestSummary`.
struct BestFinding {
  bool is_found = false;  // if not, Python must search this lattice, for whatever reason
  PathFields path;
  std::vector<double> steps, confidence;
};

BestFinding find_best(std::string_view bytes, RateTask::Format format, const SymbolTable* table,
                      const BestSettings& settings);

}  // namespace latticemetric
