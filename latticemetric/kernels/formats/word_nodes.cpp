#include "formats/word_nodes.hpp"

#include <algorithm>
#include <tuple>

#include "memory/budget.hpp"

namespace latticemetric {
namespace {

// An arc of a state: `copy` counts the arcs before it that join the same states with the same word.
struct WordOnArc {
  std::int32_t word, far, arc, copy;
};

// Sorts the arcs of a state so that those with the same word and copy stand together, the first arc first.
void group(std::vector<WordOnArc>& arcs) {
  std::sort(arcs.begin(), arcs.end(), [](const WordOnArc& a, const WordOnArc& b) {
    return std::tie(a.word, a.far, a.arc) < std::tie(b.word, b.far, b.arc);
  });
  for (std::size_t k = 1; k < arcs.size(); ++k)
    if (arcs[k].word == arcs[k - 1].word && arcs[k].far == arcs[k - 1].far) arcs[k].copy = arcs[k - 1].copy + 1;
  std::sort(arcs.begin(), arcs.end(), [](const WordOnArc& a, const WordOnArc& b) {
    return std::tie(a.word, a.copy, a.arc) < std::tie(b.word, b.copy, b.arc);
  });
}

}  // namespace

WordNodes word_nodes(std::size_t states, const std::int32_t* near, const std::int32_t* far, const std::int32_t* word,
                     std::size_t arcs, const std::uint8_t* is_bare) {
  WordNodes nodes;
  nodes.word.assign(states, 0);
  nodes.of_arc.resize(arcs);
  for (std::size_t state = 0; state < states; ++state) nodes.state.push_back(static_cast<std::int32_t>(state));
  // The arcs of each state, in order: `next[a]` follows arc `a`.
  std::vector<std::int32_t> first(states, -1), last(states, -1), next(arcs, -1), order;
  for (std::size_t a = 0; a < arcs; ++a) {
    const std::int32_t state = near[a], arc = static_cast<std::int32_t>(a);
    if (first[state] < 0) {
      first[state] = arc;
      order.push_back(state);
    } else {
      next[last[state]] = arc;
    }
    last[state] = arc;
  }
  std::vector<WordOnArc> here;
  std::vector<std::size_t> groups;  // where each begins in `here`
  for (const std::int32_t state : order) {
    here.clear();
    for (std::int32_t a = first[state]; a >= 0; a = next[a]) here.push_back({word[a], far[a], a, 0});
    poll(static_cast<std::int64_t>(20 * here.size()));
    group(here);
    groups.clear();
    for (std::size_t k = 0; k < here.size(); ++k)
      if (k == 0 || here[k].word != here[k - 1].word || here[k].copy != here[k - 1].copy) groups.push_back(k);
    const bool alone = groups.size() == 1 && !is_bare[state];
    std::sort(groups.begin(), groups.end(), [&here](auto a, auto b) { return here[a].arc < here[b].arc; });
    for (const std::size_t begin : groups) {
      const auto [of_group, far_of_first, arc, copy] = here[begin];
      std::int32_t node = state;
      if (alone || (of_group == 0 && copy == 0)) {
        nodes.word[state] = of_group;
      } else {
        node = static_cast<std::int32_t>(nodes.word.size());
        nodes.word.push_back(of_group);
        nodes.state.push_back(state);
      }
      for (std::size_t k = begin; k < here.size() && here[k].word == of_group && here[k].copy == copy; ++k)
        nodes.of_arc[here[k].arc] = node;
    }
  }
  return nodes;
}

}  // namespace latticemetric
