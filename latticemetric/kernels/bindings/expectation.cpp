// Python bindings of expected costs.
#include <algorithm>
#include <cfloat>
#include <limits>
#include <utility>
#include <vector>

#include "bindings/binding.hpp"
#include "expectation/expectation.hpp"
#include "graphs/forward_backward.hpp"

namespace latticemetric {
namespace {

using namespace nb::literals;

// Checks a graph: arcs go forward and are sorted by source, and every word has a class.
void require_graph(std::int32_t states, std::int64_t arcs, const std::int32_t* source, const std::int32_t* target,
                   const std::int32_t* word, std::int32_t classes) {
  require(states > 0, "a lattice has a start, but this one has no states");
  require(classes >= 0, "the number of classes is negative");
  for (std::int64_t a = 0; a < arcs; ++a) {
    require(0 <= source[a] && source[a] < target[a] && target[a] < states,
            "arcs must go from smaller to larger states");
    require(a == 0 || source[a - 1] <= source[a], "arcs must be sorted by source");
    require(-1 <= word[a] && word[a] <= classes, "a word has no class");
  }
}

void require_references(const ReferenceWords& references) {
  require(!references.words.empty() && references.words.size() == references.sizes.size(),
          "every reference must have a size");
  std::size_t all = 0;
  for (std::size_t k = 0; k < references.words.size(); ++k) {
    require(references.sizes[k] >= 1, "sizes must be positive");
    require((all += references.words[k].size()) <= longest_reference, "the references are too long");
    for (const auto one : references.words[k])
      require(0 <= one && one <= references.classes + 1, "a word of a reference has no class");
  }
}

CostRules checked_rules(Gains gains) {
  require(0 <= gains.order && gains.order < 255, "the order must lie in 0 .. 254");
  require(gains.unit >= 1, "the unit must be positive");
  return {gains.order, gains.unit, gains.alpha, gains.beta};
}

nb::tuple expected_cost(Input<std::int32_t> source, Input<std::int32_t> target, Input<std::int32_t> word,
                        Input<double> transition, Input<double> ending,
                        std::vector<std::vector<std::int32_t>> references, std::vector<std::int64_t> sizes,
                        std::int32_t classes, Gains gains, bool outcomes, bool gradient, bool keeps_bases,
                        std::int64_t few_states, std::int64_t most_states, double seconds, double table_bytes,
                        std::int64_t samples, std::uint64_t seed) {
  const auto states = static_cast<std::int32_t>(ending.size());
  const auto arcs = static_cast<std::int64_t>(source.size());
  require_aligned(source, target, word);
  require_aligned(transition, ending);
  require(target.size() == source.size() && word.size() == source.size() && transition.size() == source.size(),
          "columns differ in length");
  require_graph(states, arcs, source.data(), target.data(), word.data(), classes);
  for (const auto* values : {&transition, &ending})
    for (std::size_t k = 0; k < values->size(); ++k)
      require(0 <= values->data()[k] && values->data()[k] <= 1 + 1e-9, "a probability lies outside of 0 .. 1");
  const ReferenceWords words{std::move(references), std::move(sizes), classes};
  require_references(words);
  const auto rules = checked_rules(gains);
  require(most_states >= 1 && samples >= 1, "most_states and samples must be at least 1");
  require(seconds >= 0, "the time is negative");
  const WeightedGraph graph{states, arcs, source.data(), target.data(), word.data(), transition.data(), ending.data()};
  Expectation found;
  {
    const KernelScope running;
    found = expect(graph, words, rules,
                   {outcomes, gradient, true, keeps_bases, few_states, most_states, seconds, table_bytes, samples, seed});
  }
  return nb::make_tuple(found.is_exact, found.states, found.mean, found.variance, found.low, found.high,
                        found.standard_error, found.samples, column(std::move(found.cost)),
                        column(std::move(found.reference)), column(std::move(found.probability)),
                        column(std::move(found.arc_gradient)), column(std::move(found.end_gradient)));
}

// Takes several graphs, one after the other in all columns. Graph g has the arcs arc_begin[g] .. arc_begin[g + 1] - 1
// and the states state_begin[g] .. state_begin[g + 1] - 1. In `source` and `target`, the states of each graph are
// numbered from 0.
nb::tuple expected_costs(Input<std::int32_t> source, Input<std::int32_t> target, Input<std::int32_t> word,
                         Input<double> cost, Input<double> final_cost, Input<std::int64_t> arc_begin,
                         Input<std::int64_t> state_begin,
                         std::vector<std::vector<std::vector<std::int32_t>>> references,
                         std::vector<std::vector<std::int64_t>> sizes, std::vector<std::int32_t> classes, Gains gains,
                         bool gradient, std::int64_t few_states, std::int64_t most_states, double table_bytes) {
  const auto graphs = references.size();
  const auto arcs = source.size(), states = final_cost.size();
  require_aligned(source, target, word);
  require_aligned(cost, final_cost);
  require_aligned(arc_begin, state_begin);
  require(target.size() == arcs && word.size() == arcs && cost.size() == arcs, "columns differ in length");
  require(sizes.size() == graphs && classes.size() == graphs, "columns of graphs differ in length");
  for (const auto& [begin, last] : {std::pair{&arc_begin, arcs}, {&state_begin, states}}) {
    const auto* at = begin->data();
    require(begin->size() == graphs + 1 && at[0] == 0 && at[graphs] == static_cast<std::int64_t>(last),
            "the graphs do not fill their columns");
    for (std::size_t g = 0; g < graphs; ++g) require(at[g] <= at[g + 1], "the graphs overlap");
  }
  require_finite(cost, "a cost is not finite");
  const auto rules = checked_rules(gains);
  require(most_states >= 1, "most_states must be at least 1");
  std::vector<ReferenceWords> words;
  for (std::size_t g = 0; g < graphs; ++g) {
    const auto first = arc_begin.data()[g], start = state_begin.data()[g], count = state_begin.data()[g + 1] - start;
    require(count < (std::int64_t{1} << 31), "a graph has too many states");
    require_graph(static_cast<std::int32_t>(count), arc_begin.data()[g + 1] - first, source.data() + first,
                  target.data() + first, word.data() + first, classes[g]);
    bool ends = false;
    for (auto s = start; s < start + count; ++s) {
      require(final_cost.data()[s] >= -DBL_MAX, "the cost of an end is NaN or minus infinity");
      ends |= final_cost.data()[s] <= DBL_MAX;
    }
    require(ends, "there is no end of finite cost");
    words.push_back({std::move(references[g]), std::move(sizes[g]), classes[g]});
    require_references(words.back());
  }
  std::vector<std::uint8_t> exact(graphs);
  std::vector<std::int64_t> size(graphs);
  std::vector<double> mean(graphs), arc_slope(gradient ? arcs : 0), end_slope(gradient ? states : 0);
  {
    const KernelScope running;
    for (std::size_t g = 0; g < graphs; ++g) {
      const auto first = arc_begin.data()[g], start = state_begin.data()[g], count = arc_begin.data()[g + 1] - first;
      const auto nodes = static_cast<std::int32_t>(state_begin.data()[g + 1] - start);
      const auto steps = forward_backward(nodes, count, source.data() + first, target.data() + first,
                                          cost.data() + first, final_cost.data() + start);
      const WeightedGraph graph{nodes, count, source.data() + first, target.data() + first, word.data() + first,
                                steps.transition.data(), steps.ending.data()};
      const auto found = expect(graph, words[g], rules,
                                {false, gradient, false, false, few_states, most_states,
                                 std::numeric_limits<double>::infinity(), table_bytes, 1, 1});
      exact[g] = found.is_exact;
      size[g] = found.states;
      mean[g] = found.mean;
      if (!gradient || !found.is_exact) continue;
      std::copy(found.arc_gradient.begin(), found.arc_gradient.end(), arc_slope.begin() + first);
      std::copy(found.end_gradient.begin(), found.end_gradient.end(), end_slope.begin() + start);
    }
  }
  return nb::make_tuple(column(std::move(exact)), column(std::move(size)), column(std::move(mean)),
                        column(std::move(arc_slope)), column(std::move(end_slope)));
}

}  // namespace

void bind_expectations(nb::module_& m) {
  m.def("expected_cost", &expected_cost, "source"_a, "target"_a, "word"_a, "transition"_a, "ending"_a, "references"_a,
        "sizes"_a, "classes"_a, "gains"_a, "outcomes"_a, "gradient"_a, "keeps_bases"_a, "few_states"_a, "most_states"_a,
        "seconds"_a, "table_bytes"_a, "samples"_a, "seed"_a);
  m.def("expected_costs", &expected_costs, "source"_a, "target"_a, "word"_a, "cost"_a, "final_cost"_a, "arc_begin"_a,
        "state_begin"_a, "references"_a, "sizes"_a, "classes"_a, "gains"_a, "gradient"_a, "few_states"_a,
        "most_states"_a, "table_bytes"_a);
}

}  // namespace latticemetric
