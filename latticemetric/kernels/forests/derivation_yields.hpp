// Derivations with what they say and cost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "forests/texts.hpp"
#include "graphs/derivations.hpp"

namespace latticemetric {

// What the edges of a forest show, which is more than what the metric reads: wildcards, and words that are all foreign
// to the reference. Tails stand in the order in which `Forest::said` has them.
struct Shown {
  const std::int64_t* begin;  // an edge, and one more
  const std::int32_t* words;  // word numbers, and something negative where a tail's words stand
  const std::int64_t* rank;   // of edges, where derivations are paths: they are compared along paths; or null
};

class SaidDerivations {
 public:
  using Number = Derivations::Number;
  using Parts = std::vector<Number>;  // in the order in which they are said
  struct Said {
    double cost;
    std::int64_t words;
    Texts::Number text;  // not of groups
  };

  explicit SaidDerivations(const Shown& shown) : shown_(shown) {}

  const Said& operator[](Number number) const { return said_[number]; }
  Texts::Number text(Number number) const { return said_[number].text; }
  std::int64_t words(Texts::Number text) const { return texts_.words(text); }

  // What an edge says with its parts.
  Texts::Number text(std::int64_t edge, const Parts& parts) {
    pieces_.clear();
    auto next = parts.begin();
    for (auto k = shown_.begin[edge]; k < shown_.begin[edge + 1]; ++k)
      pieces_.push_back(shown_.words[k] < 0 ? said_[*next++].text : Texts::word(shown_.words[k]));
    return texts_.join(pieces_);
  }

  // Parts of an edge that is still to come, as one.
  Number group(Number left, Number right) {
    pair_.assign({left, right});
    const Number number = derivations_.add(Derivations::no_edge, pair_);
    if (is_new(number))
      said_.push_back({said_[left].cost + said_[right].cost, said_[left].words + said_[right].words, Texts::empty});
    return number;
  }
  Number add(std::int64_t edge, double cost, const Parts& parts) {
    if (parts.empty()) return add(edge, cost, nullptr);
    Number all = parts[0];
    for (std::size_t k = 1; k < parts.size(); ++k) all = group(all, parts[k]);
    return add(edge, cost, &all);
  }

  // An edge over a part or a group of them, if it has tails.
  Number add(std::int64_t edge, double cost, const Number* part) {
    parts_.clear();
    if (part) parts_.push_back(*part);
    const Number number = derivations_.add(edge, parts_);
    if (!is_new(number)) return number;
    if (part) ungroup(*part);
    const Texts::Number said = text(edge, parts_);
    said_.push_back({part ? cost + said_[*part].cost : cost, words(said), said});
    return number;
  }

  bool less(Number a, Number b) const {
    return shown_.rank ? derivations_.less_along(a, b, shown_.rank) : derivations_.less(a, b);
  }

  std::vector<std::int64_t> preorder(Number number) const { return derivations_.preorder(number); }
  std::size_t bytes() const { return derivations_.bytes() + texts_.bytes() + said_.size() * sizeof(Said); }

 private:
  bool is_new(Number number) const { return static_cast<std::size_t>(number) == said_.size(); }

  // Groups are made from left to right.
  void ungroup(Number part) {
    parts_.clear();
    for (; derivations_.is_group(part); part = derivations_.parts(part)[0])
      parts_.push_back(derivations_.parts(part)[1]);
    parts_.push_back(part);
    std::reverse(parts_.begin(), parts_.end());
  }

  const Shown shown_;
  Derivations derivations_;
  Texts texts_;
  std::vector<Said> said_;
  Parts parts_, pair_;
  std::vector<Texts::Piece> pieces_;
};

}  // namespace latticemetric
