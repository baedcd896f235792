// Symbols of target sides: nodes, and words as one reference distinguishes them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace latticemetric {

using Symbol = std::int32_t;
constexpr Symbol foreign = 0;  // any word that the reference lacks; words of the reference are 1, 2, ...
constexpr Symbol node_symbol(std::int32_t node) { return -node - 1; }
constexpr bool is_node(Symbol symbol) { return symbol < 0; }
constexpr std::int32_t node_of(Symbol symbol) { return -symbol - 1; }

// The words of a reference as symbols 1, 2, ..., and the symbol of each word number.
struct WordClasses {
  std::vector<Symbol> reference;

  WordClasses(const std::int32_t* words, std::int32_t size);
  Symbol of(std::int32_t word) const;

 private:
  std::vector<std::pair<std::int32_t, Symbol>> known_;  // sorted by word
  std::vector<std::uint8_t> filter_;                    // rejects most foreign words quickly
};

}  // namespace latticemetric
