// The border to Python of expectations.
#include <utility>
#include <vector>

#include "border.hpp"
#include "expected.hpp"

namespace latticemetric {
namespace {

using namespace nb::literals;

nb::tuple expected_cost(Input<std::int32_t> source, Input<std::int32_t> target, Input<std::int32_t> word,
                        Input<double> transition, Input<double> ending,
                        std::vector<std::vector<std::int32_t>> references, std::vector<std::int64_t> sizes,
                        std::int32_t classes, std::int32_t order, std::int64_t unit, std::int64_t alpha,
                        std::int64_t beta, bool outcomes, bool gradient, bool keeps_bases, std::int64_t few_states,
                        std::int64_t most_states, double seconds, double table_bytes, std::int64_t samples, std::uint64_t seed) {
  const auto states = static_cast<std::int32_t>(ending.size());
  const auto arcs = source.size();
  require_aligned(source, target, word);
  require_aligned(transition, ending);
  require(states > 0, "a lattice has a start");
  require(target.size() == arcs && word.size() == arcs && transition.size() == arcs, "columns differ in length");
  require(classes >= 0, "the number of classes is negative");
  const auto is_share = [](double value) { return 0 <= value && value <= 1 + 1e-9; };
  for (std::size_t a = 0; a < arcs; ++a) {
    require(0 <= source.data()[a] && source.data()[a] < target.data()[a] && target.data()[a] < states,
            "arcs must go from smaller to larger states");
    require(a == 0 || source.data()[a - 1] <= source.data()[a], "arcs must be sorted by source");
    require(-1 <= word.data()[a] && word.data()[a] <= classes, "a word has no class");
    require(is_share(transition.data()[a]), "a probability lies outside of 0 .. 1");
  }
  for (std::int32_t s = 0; s < states; ++s) require(is_share(ending.data()[s]), "a probability lies outside of 0 .. 1");
  require(!references.empty() && references.size() == sizes.size(), "every reference must have a size");
  std::size_t all = 0;
  for (std::size_t k = 0; k < references.size(); ++k) {
    require(sizes[k] >= 1, "sizes must be positive");
    require((all += references[k].size()) < (std::size_t{1} << 24), "the references are too long");
    for (const auto one : references[k]) require(0 <= one && one <= classes + 1, "a word of a reference has no class");
  }
  require(0 <= order && order < 255, "the order must lie in 0 .. 254");
  require(unit >= 1, "the unit must be positive");
  require(most_states >= 1 && samples >= 1, "there must be states and samples");
  require(seconds >= 0, "the time is negative");
  const WeightedGraph graph{states,      static_cast<std::int64_t>(arcs), source.data(), target.data(),
                            word.data(), transition.data(),               ending.data()};
  const ReferenceWords words{std::move(references), std::move(sizes), classes};
  Expectation found;
  {
    const Running running;
    found = expect(graph, words, {order, unit, alpha, beta},
                   {outcomes, gradient, keeps_bases, few_states, most_states, seconds, table_bytes, samples, seed});
  }
  return nb::make_tuple(found.is_exact, found.states, found.mean, found.variance, found.low, found.high,
                        found.standard_error, found.samples, column(std::move(found.cost)),
                        column(std::move(found.reference)), column(std::move(found.probability)),
                        column(std::move(found.arc_gradient)), column(std::move(found.end_gradient)));
}

}  // namespace

void bind_expectations(nb::module_& m) {
  m.def("expected_cost", &expected_cost, "source"_a, "target"_a, "word"_a, "transition"_a, "ending"_a, "references"_a,
        "sizes"_a, "classes"_a, "order"_a, "unit"_a, "alpha"_a, "beta"_a, "outcomes"_a, "gradient"_a, "keeps_bases"_a,
        "few_states"_a, "most_states"_a, "seconds"_a, "table_bytes"_a, "samples"_a, "seed"_a);
}

}  // namespace latticemetric
