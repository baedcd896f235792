#include "formats/forest_text.hpp"

namespace latticemetric {

CostColumns Features::columns(std::size_t edges, std::size_t text_size, std::int64_t line) const {
  // Columns are dense: many columns that few edges use would take far more memory than the text.
  constexpr std::size_t most_cells_a_byte = 16;
  if (names_.size() * edges > most_cells_a_byte * text_size + 1000)
    throw ParseError(line, std::to_string(names_.size()) + " features of " + std::to_string(edges) +
                     " arcs are too sparse to be kept as columns; leave out the features that few arcs have");
  CostColumns columns;
  if (twice_ >= 0) return columns;
  for (std::size_t k = 0; k < names_.size(); ++k) columns.emplace_back(names_[k], filled(edges, 0.0));
  for (std::size_t edge = 0; edge + 1 < begin_.size(); ++edge) {
    poll(10);
    for (std::size_t k = begin_[edge]; k < begin_[edge + 1]; ++k) columns[column_[k]].second[edge] = cost_[k];
  }
  return columns;
}

}  // namespace latticemetric
