// Python bindings of searches in forests.
#include "bindings/graphs.hpp"
#include "forests/best_forest.hpp"
#include "forests/forest_search.hpp"
#include "forests/k_best.hpp"
#include "forests/tables.hpp"
#include "graphs/best_derivation.hpp"

#include <algorithm>

using namespace nanobind::literals;

namespace latticemetric {
namespace {

Output<std::int64_t> best(const NativeForest& forest) {
  const Forest& graph = forest.view();
  std::vector<std::int64_t> edges;
  {
    const KernelScope running;
    edges = best_derivation(graph);
  }
  return column(std::move(edges));
}

double largest(const NativeForest& forest) {
  return largest_cost(forest.view());
}

double longest(const NativeForest& forest) {
  return most_words(forest.view());
}

nb::tuple search(const NativeForest& forest, Input<std::int32_t> reference, Gains gains, std::size_t most_bytes) {
  require_aligned(reference);
  require_gains(gains);
  require_reference(reference.size(), gains.order);
  const Forest& graph = forest.view();
  const auto size = static_cast<std::int32_t>(reference.size());
  BestDerivation best;
  {
    const KernelScope running;
    best = search_forest(graph, reference.data(), size, gains, most_bytes);
  }
  return nb::make_tuple(column(std::move(best.edges)), best.gain);
}

nb::tuple search_for_hope(const NativeForest& forest, Input<std::int32_t> reference, Gains gains,
                          Input<std::int64_t> integer_cost, Input<std::int64_t> integer_goal_cost, Int128 gain_weight,
                          Int128 cost_weight, std::size_t most_bytes) {
  require_aligned(reference);
  require_aligned(integer_cost, integer_goal_cost);
  require_gains(gains);
  require_reference(reference.size(), gains.order);
  require(gain_weight >= 0 && cost_weight >= 0, "a weight is negative");
  const Forest& graph = forest.view();
  require(integer_cost.size() == forest.edges() && integer_goal_cost.size() == forest.nodes(),
          "columns differ in length");
  const HopeWeights weights{gain_weight, cost_weight, integer_cost.data(), integer_goal_cost.data()};
  BestDerivation best;
  {
    const KernelScope running;
    best = search_forest_for_hope(graph, reference.data(), static_cast<std::int32_t>(reference.size()), gains, weights,
                                  most_bytes);
  }
  return nb::make_tuple(column(std::move(best.edges)), best.gain);
}

nb::tuple best_of(const NativeForest& forest, std::vector<std::vector<std::int32_t>> references, Gains gains,
                  std::size_t most_bytes) {
  require_gains(gains);
  for (const auto& reference : references) require_reference(reference.size(), gains.order);
  const Forest& graph = forest.view();
  BestForest found;
  {
    const KernelScope running;
    found = best_forest(graph, references, gains, most_bytes);
  }
  return nb::make_tuple(column(std::move(found.head)), column(std::move(found.edge)),
                        column(std::move(found.tail_begin)), column(std::move(found.tail)),
                        column(std::move(found.goals)), column(std::move(found.goal_of)));
}

// Checks what the words of edges show as text. Parts of a derivation's text are looked for where edges show tails, so
// each edge must show as many tails as its target side has.
ShownWords checked(const Forest& graph, const Input<std::int64_t>& begin, const Input<std::int32_t>& words) {
  require_aligned(begin);
  require_aligned(words);
  require_rows(begin, static_cast<std::size_t>(graph.edges), words.size());
  const auto is_tail = [](std::int32_t symbol) { return symbol < 0; };
  for (std::int64_t e = 0; e < graph.edges; ++e) {
    const auto* const target = graph.target;
    const auto tails = std::count_if(target + graph.target_begin[e], target + graph.target_begin[e + 1], is_tail);
    const auto* const shown = words.data();
    require(tails == std::count_if(shown + begin.data()[e], shown + begin.data()[e + 1], is_tail),
            "shown words must have as many tails as the target side");
  }
  return {begin.data(), words.data()};
}

nb::tuple best_strings(const NativeForest& forest, Input<std::int64_t> shown_begin, Input<std::int32_t> shown,
                       Input<std::int32_t> reference, Gains gains, std::int64_t most, std::size_t few,
                       std::size_t most_bytes) {
  require_aligned(reference);
  require_gains(gains);
  require_reference(reference.size(), gains.order);
  require(most >= 1, "at least one string must be asked for");
  const Forest& graph = forest.view();
  const ShownWords texts = checked(graph, shown_begin, shown);
  std::vector<BestDerivation> found;
  {
    const KernelScope running;
    found = k_best(graph, texts, reference.data(), static_cast<std::int32_t>(reference.size()), gains, most, few,
                   most_bytes);
  }
  std::vector<std::int64_t> edges, begin{0};
  nb::list gain;
  for (const auto& derivation : found) {
    edges.insert(edges.end(), derivation.edges.begin(), derivation.edges.end());
    begin.push_back(static_cast<std::int64_t>(edges.size()));
    gain.append(derivation.gain);
  }
  return nb::make_tuple(column(std::move(edges)), column(std::move(begin)), gain);
}

}  // namespace

void bind_forests(nb::module_& m) {
  nb::exception<TooLarge>(m, "TooLarge", PyExc_MemoryError);
  m.def("best_derivation", &best, "forest"_a);
  m.def("largest_cost", &largest, "forest"_a);
  m.def("most_words", &longest, "forest"_a);
  m.def("search_forest", &search, "forest"_a, "reference"_a, "gains"_a, "most_bytes"_a);
  m.def("search_forest_for_hope", &search_for_hope, "forest"_a, "reference"_a, "gains"_a, "integer_cost"_a,
        "integer_goal_cost"_a, "gain_weight"_a, "cost_weight"_a, "most_bytes"_a);
  m.def("best_forest", &best_of, "forest"_a, "references"_a, "gains"_a, "most_bytes"_a);
  m.def("best_strings", &best_strings, "forest"_a, "shown_begin"_a, "shown"_a, "reference"_a, "gains"_a, "most"_a,
        "few"_a, "most_bytes"_a);
}

}  // namespace latticemetric
