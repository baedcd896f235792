// Derivations with their yields and costs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "forests/texts.hpp"
#include "graphs/derivations.hpp"

namespace latticemetric {

// The words that edges contribute to the strings of the result. These tell apart what the metric does not: wildcards,
// and words that are all foreign to the reference. Tails stand in the order in which `Forest::target` has them.
struct ShownWords {
  const std::int64_t* begin;  // by edge, and the end of the last
  const std::int32_t* words;  // word numbers; negative in place of a tail
};

class DerivationYields {
 public:
  using Number = Derivations::Number;
  using Parts = std::vector<Number>;  // in the order of the target side
  struct Yield {
    double cost;
    std::int64_t words;
    Texts::Number text;  // not set for groups
  };

  explicit DerivationYields(const ShownWords& shown) : shown_(shown) {}

  const Yield& operator[](Number number) const { return yields_[number]; }
  Texts::Number text(Number number) const { return yields_[number].text; }
  std::int64_t words(Texts::Number text) const { return texts_.words(text); }

  // Returns the text of an edge over its parts.
  Texts::Number text(std::int64_t edge, const Parts& parts) {
    pieces_.clear();
    auto next = parts.begin();
    for (auto k = shown_.begin[edge]; k < shown_.begin[edge + 1]; ++k)
      pieces_.push_back(shown_.words[k] < 0 ? yields_[*next++].text : Texts::word(shown_.words[k]));
    return texts_.join(pieces_);
  }

  // Joins two parts into a group, for an edge that is added later.
  Number group(Number left, Number right) {
    pair_.assign({left, right});
    const Number number = derivations_.add(Derivations::no_edge, pair_);
    if (is_new(number))
      yields_.push_back({yields_[left].cost + yields_[right].cost, yields_[left].words + yields_[right].words, Texts::empty});
    return number;
  }
  Number add(std::int64_t edge, double cost, const Parts& parts) {
    if (parts.empty()) return add(edge, cost, nullptr);
    Number all = parts[0];
    for (std::size_t k = 1; k < parts.size(); ++k) all = group(all, parts[k]);
    return add(edge, cost, &all);
  }

  // Adds an edge over a part or a group of parts; `part` is null if the edge has no tails.
  Number add(std::int64_t edge, double cost, const Number* part) {
    parts_.clear();
    if (part) parts_.push_back(*part);
    const Number number = derivations_.add(edge, parts_);
    if (!is_new(number)) return number;
    if (part) ungroup(*part);
    const Texts::Number yield = text(edge, parts_);
    yields_.push_back({part ? cost + yields_[*part].cost : cost, words(yield), yield});
    return number;
  }

  bool less(Number a, Number b) const { return derivations_.less(a, b); }

  std::vector<std::int64_t> preorder(Number number) const { return derivations_.preorder(number); }
  std::size_t bytes() const { return derivations_.bytes() + texts_.bytes() + yields_.size() * sizeof(Yield); }

 private:
  bool is_new(Number number) const { return static_cast<std::size_t>(number) == yields_.size(); }

  // Sets `parts_` to the parts of a group. Groups are made from left to right, so only the left part may be a group.
  void ungroup(Number part) {
    parts_.clear();
    for (; derivations_.is_group(part); part = derivations_.parts(part)[0])
      parts_.push_back(derivations_.parts(part)[1]);
    parts_.push_back(part);
    std::reverse(parts_.begin(), parts_.end());
  }

  const ShownWords shown_;
  Derivations derivations_;
  Texts texts_;
  std::vector<Yield> yields_;
  Parts parts_, pair_;
  std::vector<Texts::Piece> pieces_;
};

}  // namespace latticemetric
