// The words by which paths enter a state: only after one of them may matches be in a row there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphs/lattice.hpp"
#include "recognition/reference_positions.hpp"

namespace latticemetric {

class EnteringWords {
 public:
  EnteringWords(const Lattice& graph, const ReferencePlaces& places)
      : begin_(static_cast<std::size_t>(graph.states) + 1, 0),
        symbol_(static_cast<std::size_t>(graph.arcs)),
        entered_(places.size() + 2, none) {
    const auto nothing = static_cast<std::int32_t>(places.size()) + 1;  // a symbol that enters no state
    before_.push_back(nothing);
    for (const auto symbol : places.symbols()) before_.push_back(symbol > 0 ? symbol : nothing);
    for (std::int64_t a = 0; a < graph.arcs; ++a) ++begin_[graph.target[a] + 1];
    for (std::size_t s = 1; s < begin_.size(); ++s) begin_[s] += begin_[s - 1];
    std::vector<std::int64_t> next(begin_.begin(), begin_.end() - 1);
    for (std::int64_t a = 0; a < graph.arcs; ++a)
      symbol_[next[graph.target[a]]++] = graph.label[a] == 0 ? silent_arc : places.symbol(a);
  }

  // From now on, matches before a place are those before this state.
  void enter(std::int32_t s) {
    state_ = s;
    is_open_ = false;
    for (auto k = begin_[s]; k < begin_[s + 1]; ++k) {
      if (symbol_[k] == silent_arc)
        is_open_ = true;  // the words before ε are not looked for
      else
        entered_[symbol_[k]] = s;
    }
  }

  // Whether the word before a place may have been matched by an arc into the state.
  bool may_match_before(std::int32_t i) const {
    return is_open_ ? i > 0 : entered_[before_[i]] == state_;
  }

 private:
  static constexpr std::int32_t none = -1, silent_arc = -1;

  std::vector<std::int32_t> before_;   // each place, the symbol
  std::vector<std::int64_t> begin_;    // of each state, among the arcs into states
  std::vector<std::int32_t> symbol_;   // what they say
  std::vector<std::int32_t> entered_;  // the state that each symbol was last found to enter
  std::int32_t state_ = none;
  bool is_open_ = false;
};

}  // namespace latticemetric
