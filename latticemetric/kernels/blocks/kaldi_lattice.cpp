#include "blocks/kaldi_lattice.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "formats/arc_lines.hpp"
#include "formats/kaldi_binary.hpp"

namespace latticemetric {
namespace {

// Moves the columns that the parsers of both archives fill.
template <typename Columns>
void move_columns(Columns& parsed, ReadLattice& lattice) {
  lattice.source = std::move(parsed.source);
  lattice.target = std::move(parsed.target);
  lattice.final = std::move(parsed.final);
  lattice.costs.clear();
  for (int k = 0; k < 2; ++k) lattice.costs.push_back({std::move(parsed.cost[k]), std::move(parsed.final_cost[k])});
}

// Gives a lattice with word numbers its words. Returns false if a number has no word.
bool take_numbers(const SymbolTable* table, ReadLattice& lattice) {
  lattice.words = table ? LatticeWords(*table) : LatticeWords();
  const std::int32_t highest = table ? table->highest() : INT32_MAX - 1;
  return std::all_of(lattice.word.begin(), lattice.word.end(),
                     [highest](std::int32_t word) { return word >= 0 && word <= highest; });
}

}  // namespace

bool read_kaldi_lattice(std::string_view text, bool symbols, const SymbolTable* table, ReadLattice& lattice) {
  ArcLines lines = parse_kaldi(text, symbols);
  if (may_be_weights(lines)) return false;
  lattice.word = lines.word.take();
  if (!lines.word.numeric()) {
    if (table != nullptr) return false;
    lattice.words = LatticeWords(lines.word.take_words());
  } else if (!take_numbers(table, lattice)) {
    return false;
  }
  move_columns(lines, lattice);
  return put_in_order(lattice, lines.start);
}

bool read_kaldi_machine(std::string_view bytes, const SymbolTable* table, ReadLattice& lattice) {
  KaldiMachine machine = parse_kaldi_binary(bytes);
  if (!has_valid_numbers(machine)) return false;
  lattice.word = std::move(machine.output);
  if (!take_numbers(table, lattice)) return false;
  move_columns(machine, lattice);
  return put_in_order(lattice, machine.start);
}

}  // namespace latticemetric
