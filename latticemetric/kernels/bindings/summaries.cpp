// Python bindings of summaries of lattices.
#include <algorithm>
#include <utility>
#include <vector>

#include "bindings/graphs.hpp"
#include "graphs/lattice_summary.hpp"
#include "graphs/pairwise_sum.hpp"

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

nb::object summarize_best(double scale, std::int32_t states, Input<std::int32_t> source, Input<std::int32_t> target,
                          Input<std::int32_t> word, Input<std::int32_t> final, CostInputs columns,
                          std::vector<double> weights, bool ranked) {
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

// Returns the cost of each complete path, and its sum of each column. Path k has the arcs begin[k] .. begin[k + 1] - 1
// of `arcs`.
nb::list sum_paths(Input<std::int32_t> target, Input<std::int32_t> final, CostInputs columns, Input<double> cost,
                   Input<double> final_cost, Input<std::int64_t> begin, Input<std::int64_t> arcs) {
  require_aligned(target, final);
  require_aligned(cost, final_cost);
  require_aligned(begin, arcs);
  require(begin.size() > 0, "rows must begin with the first value");
  latticemetric::require_rows(begin, begin.size() - 1, arcs.size());
  require(cost.size() == target.size(), "columns differ in length");
  for (const auto& [arc, end] : columns) {
    require_aligned(arc, end);
    require(arc.size() == target.size() && end.size() == final.size(), "columns differ in length");
  }
  const auto* const ends = final.data();
  nb::list found;
  std::vector<double> values;
  for (std::size_t k = 0; k + 1 < begin.size(); ++k) {
    const std::vector<std::int64_t> path(arcs.data() + begin.data()[k], arcs.data() + begin.data()[k + 1]);
    for (const auto a : path)
      require(0 <= a && static_cast<std::size_t>(a) < target.size(), "a path has an arc that does not exist");
    const auto state = path.empty() ? 0 : target.data()[path.back()];
    const auto row = static_cast<std::size_t>(std::lower_bound(ends, ends + final.size(), state) - ends);
    require(row < final.size() && ends[row] == state && state >= 0 &&
                static_cast<std::size_t>(state) < final_cost.size(),
            "a path does not end in a final state");
    nb::list sums;
    for (const auto& [arc, end] : columns) sums.append(sum_along(path, arc.data(), end.data()[row], values));
    found.append(nb::make_tuple(sum_along(path, cost.data(), final_cost.data()[state], values), sums));
  }
  return found;
}

}  // namespace

void bind_summaries(nb::module_& m) {
  m.def("summarize_best", &summarize_best, "scale"_a, "states"_a, "source"_a, "target"_a, "word"_a, "final"_a,
        "columns"_a, "weights"_a, "ranked"_a);
  m.def("measure_lattice", &measure_lattice, "states"_a, "source"_a, "target"_a, "word"_a, "final"_a, "columns"_a,
        "weights"_a, "ranked"_a);
  m.def("sum_paths", &sum_paths, "target"_a, "final"_a, "columns"_a, "cost"_a, "final_cost"_a, "begin"_a, "arcs"_a);
}

}  // namespace latticemetric
