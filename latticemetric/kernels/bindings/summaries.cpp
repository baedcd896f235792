// Python bindings of summaries of lattices.
#include <algorithm>
#include <utility>
#include <vector>

#include "bindings/graphs.hpp"
#include "graphs/lattice_summary.hpp"

namespace latticemetric {
namespace {

using namespace nb::literals;

using CostInputs = std::vector<std::pair<Input<double>, Input<double>>>;

// Checks the columns of a sorted lattice. The result is valid as long as they are.
CostedLattice costed_lattice(std::int32_t states, const Input<std::int32_t>& source, const Input<std::int32_t>& target,
                             const Input<std::int32_t>& word, const Input<std::int32_t>& final,
                             const CostInputs& columns, const std::vector<double>& weights, bool ranked) {
  require(states > 0, "a lattice has a start, but this one has no states");
  require_arcs(source, target, states);
  require_aligned(word, final);
  require(word.size() == source.size(), "columns differ in length");
  const auto* const ends = final.data();
  require(final.size() > 0 && ends[0] >= 0 && ends[final.size() - 1] < states, "a final state is not a state");
  require(std::adjacent_find(ends, ends + final.size(), [](auto one, auto next) { return one >= next; }) ==
              ends + final.size(),
          "final states must ascend");
  std::int32_t negative = 0;
  for (std::size_t a = 0; a < word.size(); ++a) negative |= word.data()[a];
  require(negative >= 0, "a word has a negative number");
  require(weights.size() == columns.size(), "every column needs a weight");
  CostedLattice lattice{states,        static_cast<std::int64_t>(source.size()), static_cast<std::int64_t>(final.size()),
                        source.data(), target.data(),                            word.data(),
                        final.data(),  {},                                       ranked};
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const auto& [arc, end] = columns[k];
    require_aligned(arc, end);
    require(arc.size() == source.size() && end.size() == final.size(), "columns differ in length");
    lattice.columns.push_back({arc.data(), end.data(), weights[k]});
  }
  return lattice;
}

nb::object summarize_best(std::int32_t states, Input<std::int32_t> source, Input<std::int32_t> target,
                          Input<std::int32_t> word, Input<std::int32_t> final, CostInputs columns,
                          std::vector<double> weights, bool ranked, double scale) {
  const auto lattice = costed_lattice(states, source, target, word, final, columns, weights, ranked);
  std::optional<BestSummary> best;
  {
    const KernelScope running;
    best = best_summary(lattice, scale);
  }
  if (!best) return nb::none();
  return nb::make_tuple(best->path, best->cost, best->column, column(std::move(best->steps)), best->confidence);
}

nb::object measure_lattice(std::int32_t states, Input<std::int32_t> source, Input<std::int32_t> target,
                           Input<std::int32_t> word, Input<std::int32_t> final, CostInputs columns,
                           std::vector<double> weights, bool ranked) {
  const auto lattice = costed_lattice(states, source, target, word, final, columns, weights, ranked);
  std::optional<LatticeSize> size;
  {
    const KernelScope running;
    size = lattice_size(lattice);
  }
  if (!size) return nb::none();
  nb::object paths = nb::none();
  if (size->paths)
    paths = nb::bytes(reinterpret_cast<const char*>(size->paths->data()), 8 * size->paths->size());
  return nb::make_tuple(paths, size->shortest, size->longest, size->words, size->distinct, size->covered, size->extent,
                        size->best_words, size->best_cost);
}

}  // namespace

void bind_summaries(nb::module_& m) {
  m.def("summarize_best", &summarize_best, "states"_a, "source"_a, "target"_a, "word"_a, "final"_a, "columns"_a,
        "weights"_a, "ranked"_a, "scale"_a);
  m.def("measure_lattice", &measure_lattice, "states"_a, "source"_a, "target"_a, "word"_a, "final"_a, "columns"_a,
        "weights"_a, "ranked"_a);
}

}  // namespace latticemetric
