// Python bindings of probabilities in forests: of nodes and edges, of n-grams, and what n-grams gain.
#include <algorithm>
#include <cmath>
#include <vector>

#include "bindings/graphs.hpp"
#include "bindings/ngram_arrays.hpp"
#include "graphs/forest_viterbi.hpp"
#include "graphs/inside_outside.hpp"
#include "ngrams/forest_posteriors.hpp"
#include "ngrams/forest_search.hpp"

using namespace nanobind::literals;

namespace latticemetric {
namespace {

constexpr std::int32_t highest_order = 254;

nb::tuple py_inside_outside(const NativeForest& forest) {
  const Forest& graph = forest.view();
  InsideOutside found;
  {
    const KernelScope running;
    found = inside_outside(graph);
  }
  return nb::make_tuple(found.log_total, column(std::move(found.node)), column(std::move(found.transition)),
                        column(std::move(found.ending)));
}

nb::tuple py_best_costs_through_edges(const NativeForest& forest) {
  const Forest& graph = forest.view();
  BestCostsThroughEdges through;
  {
    const KernelScope running;
    through = best_costs_through_edges(graph);
  }
  return nb::make_tuple(column(std::move(through.edge)), column(std::move(through.ending)));
}

// Returns the distinct words of the target sides, in ascending order.
std::vector<std::int32_t> words_of(const Forest& graph) {
  std::vector<std::int32_t> words(graph.target, graph.target + graph.target_begin[graph.edges]);
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  words.erase(words.begin(), std::upper_bound(words.begin(), words.end(), 0));
  return words;
}

nb::tuple py_forest_ngram_posteriors(const NativeForest& forest, Input<double> node, Input<double> transition,
                                     Input<double> ending, std::int32_t order, std::size_t most_bytes) {
  const Forest& graph = forest.view();
  require_aligned(node, transition, ending);
  require(node.size() == forest.nodes() && ending.size() == forest.nodes(), "columns of nodes differ in length");
  require(transition.size() == forest.edges(), "columns of edges differ in length");
  require(order >= 1, "the order must be positive");
  std::vector<std::int32_t> last;
  NgramPosteriors found;
  {
    const KernelScope running;
    const auto spelled = words_of(graph);
    const ForestRules rules(graph, WordClasses(spelled.data(), static_cast<std::int32_t>(spelled.size())));
    const auto longest = std::max(1.0, std::min(rules.most_words(), static_cast<double>(order)));
    found = forest_ngram_posteriors(rules, {node.data(), transition.data(), ending.data()},
                                    static_cast<std::int32_t>(longest), most_bytes);
    for (const auto symbol : found.ngrams.words()) last.push_back(symbol > 0 ? spelled[symbol - 1] : 0);
  }
  return nb::make_tuple(column(found.ngrams.parents()), column(std::move(last)), column(std::move(found.posterior)));
}

Output<std::int64_t> py_search_forest_ngrams(const NativeForest& forest, Input<std::int32_t> own,
                                             Input<std::int32_t> known, Input<std::int32_t> parent,
                                             Input<std::int32_t> ending, Input<double> gain, double word_gain,
                                             std::int32_t order, std::size_t most_bytes) {
  const Forest& graph = forest.view();
  require_aligned(own, known, parent, ending);
  require_aligned(gain);
  require(own.size() == known.size() && own.size() < (std::size_t{1} << 31), "columns of words differ in length");
  require(std::is_sorted(own.data(), own.data() + own.size()) && (own.size() == 0 || own.data()[0] > 0) &&
          std::adjacent_find(own.data(), own.data() + own.size()) == own.data() + own.size(),
          "words must be ascending");
  require(gain.size() == parent.size(), "columns of n-grams differ in length");
  require(order >= 1 && order <= highest_order, "the order must lie in 1 .. 254");
  std::vector<std::int64_t> edges;
  {
    const KernelScope running;
    const auto trie = trie_of(parent, ending);
    for (std::int32_t g = 0; g < trie.size(); ++g) require(trie.length(g) <= order, "an n-gram is too long");
    const ForestRules rules(graph, WordClasses(own.data(), static_cast<std::int32_t>(own.size())));
    edges = search_forest_ngrams(rules, known.data(), {trie, gain.data(), word_gain, order}, most_bytes);
  }
  return column(std::move(edges));
}

}  // namespace

void bind_forest_ngrams(nb::module_& m) {
  m.def("inside_outside", &py_inside_outside, "forest"_a);
  m.def("best_costs_through_edges", &py_best_costs_through_edges, "forest"_a);
  m.def("forest_ngram_posteriors", &py_forest_ngram_posteriors, "forest"_a, "node"_a, "transition"_a, "ending"_a,
        "order"_a, "most_bytes"_a);
  m.def("search_forest_ngrams", &py_search_forest_ngrams, "forest"_a, "own"_a, "known"_a, "parent"_a, "ending"_a,
        "gain"_a, "word_gain"_a, "order"_a, "most_bytes"_a);
}

}  // namespace latticemetric
