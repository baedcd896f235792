// Steps 2 and 3 of the tie rule (`engine/ties.py`): of paths with the same score, less cost comes first, then fewer
// words.
//
// All searches compare paths by these functions, whatever type holds a path's `cost` and `words`. Four places rely on
// this order in another way, and change with it:
//
// - `LossKeys` (`search/completion_bounds.hpp`) packs cost and words into one integer that sorts like them;
// - `best_path` (`graphs/best_path.cpp`) takes the smaller cost without a branch;
// - the bounds of lists of strings (`forests/string_lists.hpp`) are the least cost and no words;
// - `keep_better` (`forests/all_strings.cpp`) compares derivations of one string, which have equal words.
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
