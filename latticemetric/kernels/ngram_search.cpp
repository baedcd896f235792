#include "ngram_search.hpp"

#include <cmath>
#include <cstddef>
#include <limits>

#include "budget.hpp"
#include "incoming.hpp"

namespace latticemetric {
namespace {

struct Prospect {
  double gain = -std::numeric_limits<double>::infinity();
  double cost = 0;
  std::int64_t words = 0;
  std::int64_t arc = -1;   // -1: the path ends
  std::int64_t next = -1;

  bool beats(const Prospect& other) const {
    if (gain != other.gain) return gain > other.gain;
    if (cost != other.cost) return cost < other.cost;
    if (words != other.words) return words < other.words;
    return arc < other.arc;
  }
};

// A step from an item, which is a state of the lattice with one of the automaton: an arc read in it.
struct Step {
  std::int64_t next;
  double gain;
};

}  // namespace

std::vector<std::int64_t> search_ngrams(std::int32_t states, std::int64_t arcs, const std::int32_t* source,
                                        const std::int32_t* target, const std::int32_t* word, const double* cost,
                                        const double* final_cost, const NgramGains& gains) {
  const GainAutomaton automaton(gains);
  const auto in = incoming_arcs(states, arcs, target);
  std::vector<std::int64_t> begin{0}, item_at(static_cast<std::size_t>(automaton.size()), -1);
  std::vector<std::int32_t> items;
  std::vector<Step> steps;
  const auto item = [&](std::int32_t state) {
    auto& at = item_at[state];
    if (at < begin.back()) {
      at = static_cast<std::int64_t>(items.size());
      items.push_back(state);
    }
    return at;
  };
  for (std::int32_t t = 0; t < states; ++t) {
    if (t == 0) item(NgramTrie::root);
    for (auto k = in.begin[t]; k < in.begin[t + 1]; ++k) {
      const auto a = in.arc[k];
      for (auto i = begin[source[a]]; i < begin[source[a] + 1]; ++i) {
        poll(20);
        if (word[a] == 0) {
          steps.push_back({item(items[i]), 0});
        } else {
          const auto ngram = automaton.said(items[i], word[a]);
          steps.push_back({item(automaton.state(ngram)), automaton.gain(ngram)});
        }
      }
    }
    begin.push_back(static_cast<std::int64_t>(items.size()));
  }
  // Backwards over the steps as they were made: whatever follows a state is settled before it.
  std::vector<Prospect> best(items.size());
  auto step = steps.end();
  for (auto t = states; t-- > 0;) {
    if (std::isfinite(final_cost[t])) {
      const Prospect here{0, final_cost[t], 0, -1, -1};
      for (auto i = begin[t]; i < begin[t + 1]; ++i)
        if (here.beats(best[i])) best[i] = here;
    }
    for (auto k = in.begin[t + 1]; k-- > in.begin[t];) {
      const auto a = in.arc[k];
      for (auto i = begin[source[a] + 1]; i-- > begin[source[a]];) {
        poll(10);
        const auto& [next, gain] = *--step;
        const Prospect& rest = best[next];
        const Prospect found{gain + rest.gain, cost[a] + rest.cost, (word[a] != 0) + rest.words, a, next};
        if (found.beats(best[i])) best[i] = found;
      }
    }
  }
  std::vector<std::int64_t> path;
  for (std::int64_t i = 0; best[i].arc >= 0; i = best[i].next) path.push_back(best[i].arc);
  return path;
}

}  // namespace latticemetric
