#include "gain_lattice.hpp"

#include <cstddef>
#include <limits>
#include <stdexcept>

#include "budget.hpp"
#include "incoming.hpp"

namespace latticemetric {

GainLattice unfold_gains(std::int32_t states, std::int64_t arcs, const std::int32_t* source,
                         const std::int32_t* target, const std::int32_t* word, const NgramGains& gains) {
  const GainAutomaton automaton(gains);
  const auto in = incoming_arcs(states, arcs, target);
  GainLattice unfolded;
  std::vector<std::int32_t> read;   // the automaton's state, for each state
  std::vector<std::int64_t> begin{0}, made_at(static_cast<std::size_t>(automaton.size()), -1);
  const auto reach = [&](std::int32_t t, std::int32_t state) {
    auto& at = made_at[state];
    if (at < begin.back()) {
      if (read.size() == static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw std::length_error("the lattice has too many states when its histories are kept apart");
      at = static_cast<std::int64_t>(read.size());
      read.push_back(state);
      unfolded.state.push_back(t);
    }
    return static_cast<std::int32_t>(at);
  };
  for (std::int32_t t = 0; t < states; ++t) {
    if (t == 0) reach(t, NgramTrie::root);
    for (auto k = in.begin[t]; k < in.begin[t + 1]; ++k) {
      const auto a = in.arc[k];
      for (auto i = begin[source[a]]; i < begin[source[a] + 1]; ++i) {
        poll(20);
        const auto ngram = word[a] == 0 ? NgramTrie::none : automaton.said(read[i], word[a]);
        unfolded.source.push_back(static_cast<std::int32_t>(i));
        unfolded.target.push_back(reach(t, word[a] == 0 ? read[i] : automaton.state(ngram)));
        unfolded.arc.push_back(a);
        unfolded.gain.push_back(word[a] == 0 ? 0 : automaton.gain(ngram));
      }
    }
    begin.push_back(static_cast<std::int64_t>(read.size()));
  }
  return unfolded;
}

}  // namespace latticemetric
