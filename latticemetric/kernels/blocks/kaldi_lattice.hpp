// Lattices of Kaldi's archives, read and put in order in one go.
#pragma once

#include <string_view>

#include "blocks/read_lattice.hpp"

namespace latticemetric {

// Read a lattice, whose columns are the graph cost and the acoustic cost. `table` maps word numbers to words, if it is
// not null. Return false if the lattice has no order, or needs other treatment: then the reader of Python reads it, or
// says what is wrong.

// Reads a lattice of a text archive, whose first line is its id, as `parse_kaldi` does.
bool read_kaldi_lattice(std::string_view text, bool symbols, const SymbolTable* table, ReadLattice& lattice);

// Reads a machine of a binary archive.
bool read_kaldi_machine(std::string_view bytes, const SymbolTable* table, ReadLattice& lattice);

}  // namespace latticemetric
