// Steps 2 and 3 of the tie rule (`engine/ties.py`): of paths with the same score, less cost comes first, then fewer
// words.
//
// All searches compare paths by these functions, whatever type holds a path's `cost` and `words`. Some places rely on
// this order in another way, and change with it:
//
// - `LossKeys` (`search/completion_bounds.hpp`) packs cost and words into one integer that sorts like them;
// - `BestRest` (`ngrams/search.cpp`) begins with an infinite cost and no words, which everything else comes before;
// - the bounds of lists of strings (`forests/string_lists.hpp`) are the least cost and no words.
//
// Other places need the cheapest path, and must keep comparing costs first if the rule changes:
//
// - the model's 1-best and n best: `graphs/best_path.cpp`, `graphs/best_derivation.cpp`, `graphs/n_best.cpp`,
//   `forests/k_best.hpp`;
// - `graphs/forest_rules.cpp`, where the cheapest edge stands for all edges with the same target side.
//
// Step 4, the smallest arcs or edges, follows from the order in which each search visits them.
#pragma once

namespace latticemetric {

template <typename Path>
bool comes_first(const Path& one, const Path& other) {
  return (one.cost < other.cost) | ((one.cost == other.cost) & (one.words < other.words));
}

// Returns whether steps 2 and 3 leave a tie, which step 4 decides.
template <typename Path>
bool costs_as_much(const Path& one, const Path& other) {
  return (one.cost == other.cost) & (one.words == other.words);
}

}  // namespace latticemetric
