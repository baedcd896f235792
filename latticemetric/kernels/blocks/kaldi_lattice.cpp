#include "blocks/kaldi_lattice.hpp"

#include <algorithm>

#include "formats/kaldi_order.hpp"

namespace latticemetric {

std::size_t KaldiLattice::row_of(std::int32_t state) const {
  return static_cast<std::size_t>(std::lower_bound(lines.final.begin(), lines.final.end(), state) -
                                  lines.final.begin());
}

bool read_kaldi_lattice(std::string_view text, bool symbols, KaldiLattice& lattice) {
  lattice.lines = parse_kaldi(text, symbols);
  ArcLines& lines = lattice.lines;
  lattice.word = lines.word.take();
  if (may_be_weights(lines)) return false;
  lattice.states = sort_columns(lines, lattice.word, true);
  return lattice.states > 0;
}

}  // namespace latticemetric
