// Python bindings of probabilities in forests: of nodes and edges, of n-grams, and what n-grams gain.
#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "bindings/graphs.hpp"
#include "bindings/ngram_arrays.hpp"
#include "graphs/forest_viterbi.hpp"
#include "graphs/inside_outside.hpp"
#include "ngrams/forest_ngrams.hpp"
#include "ngrams/forest_posteriors.hpp"
#include "ngrams/forest_search.hpp"
#include "ngrams/gain_source.hpp"

using namespace nanobind::literals;

namespace latticemetric {
namespace {

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

void require_probabilities(const NativeForest& forest, const Input<double>& node, const Input<double>& transition,
                           const Input<double>& ending) {
  require_aligned(node, transition, ending);
  require(node.size() == forest.nodes() && ending.size() == forest.nodes(), "columns of nodes differ in length");
  require(transition.size() == forest.edges(), "columns of edges differ in length");
}

// Checks the words of a forest, and their numbers in n-grams.
void require_words(const Input<std::int32_t>& own, const Input<std::int32_t>& known) {
  require_aligned(own, known);
  require(own.size() == known.size() && own.size() < (std::size_t{1} << 31), "columns of words differ in length");
  const auto *const begin = own.data(), *const end = begin + own.size();
  require(std::is_sorted(begin, end) && (begin == end || *begin > 0) && std::adjacent_find(begin, end) == end,
          "words must be ascending");
}

void require_effort(std::int64_t most_items, double seconds) {
  require(most_items >= 1 && seconds >= 0, "a search needs items and time");
}

nb::tuple as_tuple(FoundDerivation found) {
  return nb::make_tuple(column(std::move(found.edges)), found.bound, found.is_proved);
}

nb::tuple py_forest_ngram_posteriors(const NativeForest& forest, Input<double> node, Input<double> transition,
                                     Input<double> ending, std::int32_t order, std::size_t most_bytes) {
  const Forest& graph = forest.view();
  require_probabilities(forest, node, transition, ending);
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

// N-grams of a forest that are counted when searches need them. Keeps the arrays alive.
class NativeForestNgrams {
 public:
  NativeForestNgrams(const NativeForest& forest, Input<double> node, Input<double> transition, Input<double> ending,
                     std::int32_t order, std::size_t most_bytes)
      : forest_(forest), node_(std::move(node)), transition_(std::move(transition)), ending_(std::move(ending)) {
    require_probabilities(forest_, node_, transition_, ending_);
    require(order >= 1, "the order must be positive");
    const KernelScope running;
    spelled_ = words_of(forest_.view());
    rules_ = std::make_unique<ForestRules>(
        forest_.view(), WordClasses(spelled_.data(), static_cast<std::int32_t>(spelled_.size())));
    ngrams_ = std::make_unique<ForestNgrams>(
        *rules_, ForestProbabilities{node_.data(), transition_.data(), ending_.data()}, order, most_bytes);
  }

  std::size_t size() const { return ngrams_->size(); }
  std::int32_t order() const { return ngrams_->order(); }

  // Returns the n-grams of a string as a trie: the columns of `forest_ngram_posteriors`.
  nb::tuple posteriors_of(Input<std::int32_t> words) {
    require_aligned(words);
    NgramTrie trie;
    std::vector<std::int32_t> last{0};
    std::vector<double> posterior{1};
    {
      const KernelScope running;
      const std::lock_guard<std::mutex> locked(mutex_);
      for (std::size_t first = 0; first < words.size(); ++first) {
        std::vector<Symbol> ngram;
        auto at = NgramTrie::root;
        for (auto k = first; k < words.size() && static_cast<std::int32_t>(ngram.size()) < order(); ++k) {
          const auto symbol = symbol_of(words.data()[k]);
          if (symbol == foreign) break;
          ngram.push_back(symbol);
          at = trie.add(at, symbol);
          if (static_cast<std::size_t>(at) < last.size()) continue;
          last.push_back(words.data()[k]);
          posterior.push_back(ngrams_->posterior(ngram));
        }
      }
    }
    return nb::make_tuple(column(trie.parents()), column(std::move(last)), column(std::move(posterior)));
  }

  nb::tuple search(const NativeForest& forest, Input<std::int32_t> own, Input<std::int32_t> known,
                   Input<double> factor, double unit, double word_gain, std::int64_t most_items, double seconds,
                   std::size_t most_bytes) {
    require_words(own, known);
    require_aligned(factor);
    require_finite(factor, "a factor is not a finite number");
    require(std::all_of(factor.data(), factor.data() + factor.size(), [](double one) { return one >= 0; }),
            "a factor is negative");
    require(factor.size() <= static_cast<std::size_t>(order()), "the n-grams are too long");
    require_order(static_cast<std::int32_t>(factor.size()));
    require(unit > 0 && std::isfinite(unit) && std::isfinite(word_gain), "gains must be finite, their unit positive");
    require_effort(most_items, seconds);
    FoundDerivation found;
    {
      const KernelScope running;
      const std::lock_guard<std::mutex> locked(mutex_);
      SearchEffort effort(most_items, seconds);
      std::vector<std::int32_t> symbols;
      for (std::size_t k = 0; k < known.size(); ++k) symbols.push_back(symbol_of(known.data()[k]));
      const ForestRules rules(forest.view(), WordClasses(own.data(), static_cast<std::int32_t>(own.size())));
      const PosteriorGains by{{factor.data(), factor.data() + factor.size()}, word_gain, unit};
      EvidenceGains gains(*ngrams_, by);
      found = search_forest_ngrams(rules, symbols.data(), gains, effort, most_bytes);
    }
    return as_tuple(std::move(found));
  }

 private:
  // Returns the symbol of a word number; `foreign` if the forest does not have the word.
  Symbol symbol_of(std::int32_t word) const {
    const auto at = std::lower_bound(spelled_.begin(), spelled_.end(), word);
    return at == spelled_.end() || *at != word ? foreign : static_cast<Symbol>(at - spelled_.begin()) + 1;
  }

  const NativeForest forest_;
  const Input<double> node_, transition_, ending_;
  std::vector<std::int32_t> spelled_;
  std::unique_ptr<ForestRules> rules_;
  std::unique_ptr<ForestNgrams> ngrams_;
  std::mutex mutex_;
};

nb::tuple py_search_forest_ngrams(const NativeForest& forest, Input<std::int32_t> own, Input<std::int32_t> known,
                                  Input<std::int32_t> parent, Input<std::int32_t> ending, Input<double> gain,
                                  double word_gain, std::int32_t order, std::int64_t most_items, double seconds,
                                  std::size_t most_bytes) {
  require_words(own, known);
  require_aligned(parent, ending);
  require_aligned(gain);
  require(gain.size() == parent.size(), "columns of n-grams differ in length");
  require_order(order);
  require_effort(most_items, seconds);
  FoundDerivation found;
  {
    const KernelScope running;
    SearchEffort effort(most_items, seconds);
    const auto trie = trie_of(parent, ending);
    for (std::int32_t g = 0; g < trie.size(); ++g) require(trie.length(g) <= order, "an n-gram is too long");
    const ForestRules rules(forest.view(), WordClasses(own.data(), static_cast<std::int32_t>(own.size())));
    const auto longest = static_cast<std::int32_t>(std::min(rules.most_words(), order * 1.0));
    GivenGains gains({trie, gain.data(), word_gain, order}, longest);
    found = search_forest_ngrams(rules, known.data(), gains, effort, most_bytes);
  }
  return as_tuple(std::move(found));
}

}  // namespace

void bind_forest_ngrams(nb::module_& m) {
  m.def("inside_outside", &py_inside_outside, "forest"_a);
  m.def("best_costs_through_edges", &py_best_costs_through_edges, "forest"_a);
  m.def("forest_ngram_posteriors", &py_forest_ngram_posteriors, "forest"_a, "node"_a, "transition"_a, "ending"_a,
        "order"_a, "most_bytes"_a);
  m.def("search_forest_ngrams", &py_search_forest_ngrams, "forest"_a, "own"_a, "known"_a, "parent"_a, "ending"_a,
        "gain"_a, "word_gain"_a, "order"_a, "most_items"_a, "seconds"_a, "most_bytes"_a);
  nb::class_<NativeForestNgrams>(m, "ForestNgrams")
      .def(nb::init<const NativeForest&, Input<double>, Input<double>, Input<double>, std::int32_t, std::size_t>(),
           "forest"_a, "node"_a, "transition"_a, "ending"_a, "order"_a, "most_bytes"_a)
      .def("size", &NativeForestNgrams::size)
      .def("order", &NativeForestNgrams::order)
      .def("posteriors_of", &NativeForestNgrams::posteriors_of, "words"_a)
      .def("search", &NativeForestNgrams::search, "forest"_a, "own"_a, "known"_a, "factor"_a, "unit"_a, "word_gain"_a,
           "most_items"_a, "seconds"_a, "most_bytes"_a);
}

}  // namespace latticemetric
