#include "ngrams/forest_search.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include "ngrams/gain_chart.hpp"
#include "ngrams/gain_contexts.hpp"

namespace latticemetric {
namespace {

constexpr std::size_t all_items = std::numeric_limits<std::size_t>::max();
constexpr std::size_t few_items = 16;

// Returns the exact gain of a derivation's string.
double gain_of(const std::vector<std::int64_t>& edges, const ForestRules& rules, const std::int32_t* known,
               GainContexts& contexts, std::int32_t order) {
  double gain = 0;
  std::int32_t string = NgramTrie::root;
  std::vector<Symbol> pending;
  const auto open = [&](std::int64_t edge) {
    const Symbol* const symbols = rules.symbols(edge);
    for (auto k = rules.length(edge); k-- > 0;) pending.push_back(symbols[k]);
  };
  auto edge = edges.begin();
  open(*edge++);
  while (!pending.empty()) {
    const Symbol symbol = pending.back();
    pending.pop_back();
    if (is_node(symbol)) {
      open(*edge++);
      continue;
    }
    string = contexts.with(contexts.last(string, order - 1),
                           symbol == foreign ? GainContexts::foreign : known[symbol - 1]);
    gain += contexts.gain(string);
  }
  return gain;
}

}  // namespace

// Searches from coarse to fine (as Petrov & Klein 2007 parse, but here nothing is lost). A level knows only a few words
// at both ends of the strings of a part of the forest, and computes an upper bound of what a derivation can gain around
// that part. The next level knows more words and looks only at parts that may still reach the gain of a derivation
// found before. The last level knows all words that matter, so its best derivation is exact.
std::vector<std::int64_t> search_forest_ngrams(const ForestRules& rules, const std::int32_t* known,
                                               const ForestNgramGains& gains, std::size_t most_bytes) {
  const auto longest = static_cast<std::int32_t>(std::min(rules.most_words(), gains.order * 1.0));
  GainContexts contexts(gains, longest);
  const auto last = std::max(longest - 1, 0);   // an n-gram has no more words before its last one
  double least = -std::numeric_limits<double>::infinity();
  const auto learn = [&](const std::vector<std::int64_t>& edges) {
    if (!edges.empty()) least = std::max(least, gain_of(edges, rules, known, contexts, gains.order));
  };
  std::unique_ptr<GainLevel> before;
  for (std::int32_t words = 0;; words = std::min(2 * words + 1, last)) {
    auto level = std::make_unique<GainLevel>(rules, known, contexts, words, before.get(),
                                             GainLevel::Limits{least, all_items, most_bytes});
    const auto edges = level->best_derivation();
    if (words == last) return edges;
    learn(edges);
    level->compute_outside();
    before = std::move(level);
    learn(GainLevel(rules, known, contexts, last, before.get(), {least, few_items, most_bytes}).best_derivation());
  }
}

}  // namespace latticemetric
