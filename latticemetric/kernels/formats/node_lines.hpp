// Lattices with words on nodes as lines of text: SRILM's PFSG, and the lattices of Sphinx.
//
// Only usual files are read here. Everything else, errors above all, is left to the readers in Python: for such a file,
// these functions return nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/text.hpp"

namespace latticemetric {

struct NodeLattice {
  Words words;
  std::vector<std::int32_t> word;  // by node: the number of its text
  std::int32_t initial = 0, final = 0;
  std::vector<std::int32_t> source, target;
  std::vector<double> score;  // in PFSG: costs
  double frames = 0;          // in Sphinx: of the lattice
  std::vector<double> frame;  // in Sphinx: by node, where it begins
};

std::optional<NodeLattice> read_pfsg(std::string_view text);

// Leaves out the comments, which have the base of the scores.
std::optional<NodeLattice> read_sphinx(std::string_view text);

// Returns the cost of a score of a PFSG, -score / 10000.5: the exact quotient is rounded to 30 digits, then to a double.
// Returns nothing for what is no number, and for numbers of more than 30 digits or of extreme size.
std::optional<double> pfsg_cost(std::string_view score);

// Texts one after the other: text k ends at `end[k]`.
struct WrittenScores {
  std::string text;
  std::vector<std::int64_t> end;
};

// Returns scores of a PFSG whose costs are these, exactly: whole numbers where they have this cost, then the nearest
// double, then the product rounded to 30 digits. Returns nothing if a cost has none of these, or is of extreme size.
std::optional<WrittenScores> pfsg_scores(const double* costs, std::size_t count);

}  // namespace latticemetric
