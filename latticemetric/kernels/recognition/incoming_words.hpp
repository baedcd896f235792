// The words on the arcs into a state: a run of matches there ends with one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "graphs/incoming_arcs.hpp"
#include "graphs/lattice.hpp"
#include "recognition/reference_positions.hpp"

namespace latticemetric {

class IncomingWords {
 public:
  IncomingWords(const Lattice& lattice, const ReferencePositions& positions)
      : last_state_(positions.size() + 2, none) {
    const auto no_symbol = static_cast<std::int32_t>(positions.size()) + 1;  // a symbol that no arc has
    before_.push_back(no_symbol);
    for (const auto symbol : positions.symbols()) before_.push_back(symbol > 0 ? symbol : no_symbol);
    auto in = incoming_arcs(lattice.states, lattice.arcs, lattice.target);
    begin_ = std::move(in.begin);
    symbol_.reserve(in.arc.size());
    for (const auto a : in.arc) symbol_.push_back(lattice.label[a] == 0 ? silent_arc : positions.symbol(a));
  }

  // Selects the state that `may_match_before` is about.
  void select(std::int32_t s) {
    state_ = s;
    is_open_ = false;
    for (auto k = begin_[s]; k < begin_[s + 1]; ++k) {
      if (symbol_[k] == silent_arc)
        is_open_ = true;  // the words before ε are not looked up: any may match
      else
        last_state_[symbol_[k]] = s;
    }
  }

  // Returns whether an arc into the selected state may have matched the word before position i.
  bool may_match_before(std::int32_t i) const {
    return is_open_ ? i > 0 : last_state_[before_[i]] == state_;
  }

 private:
  static constexpr std::int32_t none = -1, silent_arc = -1;

  std::vector<std::int32_t> before_;   // by position: the symbol of the word before it
  std::vector<std::int64_t> begin_;    // by state: where the arcs into it begin, of all arcs by target
  std::vector<std::int32_t> symbol_;   // the symbols of those arcs' words
  std::vector<std::int32_t> last_state_;  // by symbol: the last selected state that an arc with it enters
  std::int32_t state_ = none;
  bool is_open_ = false;
};

}  // namespace latticemetric
