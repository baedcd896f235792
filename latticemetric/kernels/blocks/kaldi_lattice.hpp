// A lattice of a Kaldi text archive, read and ordered in one go.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/arc_lines.hpp"

namespace latticemetric {

// States and arcs are sorted as `validated` in `lattice/validation.py` sorts them.
struct KaldiLattice {
  static constexpr int costs = 2;  // the graph cost and the acoustic cost

  std::int32_t states = 0;
  ArcLines lines;
  std::vector<std::int32_t> word;  // of each arc: its number, 0 for ε

  std::int64_t arcs() const { return static_cast<std::int64_t>(lines.source.size()); }

  // Returns the row of a final state.
  std::size_t row_of(std::int32_t state) const;
};

// Reads a lattice, whose first line is its id, as `parse_kaldi` does. Returns false if it has no order, or needs other
// treatment: then the reader of Python reads it, or says what is wrong.
bool read_kaldi_lattice(std::string_view text, bool symbols, KaldiLattice& lattice);

}  // namespace latticemetric
