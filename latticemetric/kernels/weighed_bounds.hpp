// What completing a path loses at least, by the state of the lattice and of the metric's automaton.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "budget.hpp"
#include "forest_rules.hpp"
#include "weighed_strings.hpp"

namespace latticemetric {

// What answers are ordered by, before their arcs: smaller is better. They add up.
struct Loss {
  Wide value;
  std::int64_t cost;
  std::int64_t words;

  friend bool operator<(const Loss& a, const Loss& b) {
    if (a.value != b.value) return a.value < b.value;
    return a.cost != b.cost ? a.cost < b.cost : a.words < b.words;
  }
  friend Loss operator+(const Loss& a, const Loss& b) {
    return {a.value + b.value, a.cost + b.cost, a.words + b.words};
  }
};

// The automata of all references side by side. State (i, m) of a reference: i of its words are behind, the last m of
// them matched in a row.
class WeighedAutomata {
 public:
  struct Part {
    std::int32_t first;  // state
    std::int32_t size;   // words
    Wide weight;         // what a gain adds to the loss
    Wide insertion, deletion;
    std::vector<Symbol> reference;
    std::vector<Symbol> of_arc;  // what each arc says; 0 for ε, too
    std::vector<Wide> match;     // with m matches before it
  };

  WeighedAutomata(const WeighedLattice& lattice, const Weighing& weighing)
      : order_(weighing.gains.order), ill_(weighing.ill), cost_weight_(weighing.cost_weight) {
    for (const auto& reference : weighing.references) {
      const auto size = static_cast<std::int32_t>(reference.words.size());
      const WordClasses classes(reference.words.data(), size);
      const Wide weight = ill_ ? reference.weight : -reference.weight;
      Part part{states_, size, weight, -weight * weighing.gains.alpha, -weight * weighing.gains.beta,
                classes.reference, {}, {}};
      for (std::int64_t a = 0; a < lattice.arcs; ++a)
        part.of_arc.push_back(lattice.label[a] == 0 ? foreign : classes.of(lattice.label[a]));
      for (std::int32_t m = 0; m < order_; ++m) part.match.push_back(weight * weighing.gains.unit * (m + 1));
      states_ += (size + 1) * order_;
      parts_.push_back(std::move(part));
    }
  }

  std::int32_t order() const { return order_; }
  std::int32_t states() const { return states_; }
  const std::vector<Part>& parts() const { return parts_; }

  // Alignments gain what they can: of what they may choose, they take what gains more.
  void choose(Loss& chosen, const Loss& other) const {
    if (ill_ ? chosen < other : other < chosen) chosen = other;
  }
  Loss price(std::int64_t cost, bool is_word) const { return {cost_weight_ * cost, cost, is_word ? 1 : 0}; }

 private:
  const std::int32_t order_;
  const bool ill_;
  const Wide cost_weight_;
  std::int32_t states_ = 0;
  std::vector<Part> parts_;
};

// A game between one who chooses arcs, and wants the least loss, and one who chooses an edit for each arc, and wants
// the largest gain. With arcs a : v -> t,
//
//   L(v, s) = min of   price of ending in v, the rest of the reference deleted       v final
//                      price(a) + L(t, s)                                            a is ε
//                      price(a) + best edit for a's word from s, and L from there    otherwise
//
// where the best edit is of the least loss, if strings are to score well: then both want the same, and L is what the
// best completion loses. If strings are to score ill, it is the one of the largest loss. Then L is a lower bound:
// whoever chooses arcs sees the edits chosen so far, which a string has to be chosen without, and whoever chooses
// edits does not see the words to come, which an alignment may be chosen with.
class CompletionBounds {
 public:
  CompletionBounds(const WeighedLattice& lattice, const WeighedAutomata& automata)
      : lattice_(lattice), automata_(automata), states_(static_cast<std::size_t>(automata.states())),
        bounds_(filled(static_cast<std::size_t>(lattice.states) * states_, Loss{})), said_(states_) {
    std::int64_t end = lattice.arcs;
    for (std::int32_t v = lattice.states - 1; v >= 0; --v) {
      bool is_first = true;
      if (lattice.is_final[v]) {
        add_ending(v);
        is_first = false;
      }
      for (; end > 0 && lattice.source[end - 1] == v; --end, is_first = false) add_arc(v, end - 1, is_first);
    }
  }

  const Loss* at(std::int32_t v) const { return bounds_.data() + static_cast<std::size_t>(v) * states_; }

 private:
  void add_ending(std::int32_t v) {
    Loss* const row = bounds_.data() + static_cast<std::size_t>(v) * states_;
    const Loss ending = automata_.price(lattice_.final_cost[v], false);
    for (const auto& part : automata_.parts())
      for (std::int32_t s = 0; s < (part.size + 1) * automata_.order(); ++s)
        row[part.first + s] = plus(ending, part.deletion * (part.size - s / automata_.order()));
  }

  void add_arc(std::int32_t v, std::int64_t arc, bool is_first) {
    poll(static_cast<std::int64_t>(10 * states_));
    Loss* const row = bounds_.data() + static_cast<std::size_t>(v) * states_;
    const Loss* after = at(lattice_.target[arc]);
    if (lattice_.label[arc] != 0) {
      for (const auto& part : automata_.parts())
        say(part, part.of_arc[arc], after + part.first, said_.data() + part.first);
      after = said_.data();
    }
    const Loss price = automata_.price(lattice_.cost[arc], lattice_.shown[arc] != 0);
    for (std::size_t s = 0; s < states_; ++s) {
      const Loss loss = price + after[s];
      if (is_first || loss < row[s]) row[s] = loss;
    }
  }

  // A word, and what comes after it.
  void say(const WeighedAutomata::Part& part, Symbol word, const Loss* after, Loss* before) const {
    const std::int32_t order = automata_.order();
    for (std::int32_t i = part.size, s = i * order; i >= 0; --i, s -= order) {
      Loss other = plus(after[s], part.insertion);
      if (i < part.size) {
        automata_.choose(other, after[s + order]);
        automata_.choose(other, plus(before[s + order], part.deletion));
      }
      const bool matches = i < part.size && part.reference[i] == word;
      for (std::int32_t m = 0; m < order; ++m) {
        before[s + m] = other;
        if (!matches) continue;
        automata_.choose(before[s + m], plus(after[s + order + std::min(m + 1, order - 1)], part.match[m]));
      }
    }
  }

  static Loss plus(const Loss& loss, Wide value) { return {loss.value + value, loss.cost, loss.words}; }

  const WeighedLattice& lattice_;
  const WeighedAutomata& automata_;
  const std::size_t states_;
  std::vector<Loss> bounds_;
  std::vector<Loss> said_;
};

}  // namespace latticemetric
