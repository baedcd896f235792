// Words on nodes, for formats whose arcs have none: the words of arcs move to nodes of their states.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace latticemetric {

struct WordNodes {
  std::vector<std::int32_t> word;    // by node: its word, 0 for none; the nodes of the states come first, in order
  std::vector<std::int32_t> state;   // by node: its state
  std::vector<std::int32_t> of_arc;  // by arc: the node that has its word
};

// Assigns the word of each arc to a node of its near state, whose number is below `states`.
//
// Each state has its own node. This node gets a word under three conditions: all arcs of the state have this word, no two
// of these arcs join the same states, and the state is not bare. Otherwise, it gets none. All other words get new nodes.
// If several arcs join the same states with the same word, each gets a different node, since readers of these formats
// keep only one arc between two nodes. States, and the words of a state, come in the order of their first arcs.
WordNodes word_nodes(std::size_t states, const std::int32_t* near, const std::int32_t* far, const std::int32_t* word,
                     std::size_t arcs, const std::uint8_t* is_bare);

}  // namespace latticemetric
