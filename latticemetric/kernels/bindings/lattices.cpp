// Python bindings of lattices: the order of their states, their best paths by cost and by metric, their posteriors.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "bindings/graphs.hpp"
#include "graphs/best_path.hpp"
#include "graphs/canonical_order.hpp"
#include "graphs/cost_columns.hpp"
#include "graphs/determinization.hpp"
#include "graphs/forest_order.hpp"
#include "graphs/forward_backward.hpp"
#include "graphs/n_best.hpp"
#include "graphs/topology.hpp"
#include "graphs/viterbi.hpp"
#include "search/best_lattice.hpp"
#include "search/lattice_search.hpp"
#include "search/reference_graph_search.hpp"
#include "search/spelled_search.hpp"
#include "strings/alignment.hpp"

using namespace nanobind::literals;

namespace {

namespace nb = nanobind;
using latticemetric::Input;
using latticemetric::Output;
using latticemetric::checked_method;
using latticemetric::column;
using latticemetric::longest_reference;
using latticemetric::Gains;
using latticemetric::NativeLattice;
using latticemetric::Ratio;
using latticemetric::require;
using latticemetric::require_aligned;
using latticemetric::require_gains;
using latticemetric::require_reference;
using latticemetric::to_numpy;

void require_ids(const Input<std::int32_t>& ids, std::int64_t below, const char* message) {
  const auto *const begin = ids.data(), *const end = begin + ids.size();
  require(std::all_of(begin, end, [=](std::int32_t id) { return id >= 0 && id < below; }), message);
}

nb::tuple order_states(Input<std::int32_t> source, Input<std::int32_t> target, std::int32_t start,
                       Input<std::uint8_t> is_final) {
  const auto states = static_cast<std::int32_t>(is_final.size());
  require_aligned(source, target, is_final);
  require(source.size() == target.size(), "source and target differ in length");
  require(start >= 0 && start < states, "the start is not a state");
  require_ids(source, states, "a source is not a state");
  require_ids(target, states, "a target is not a state");
  latticemetric::Topology topology;
  {
    const latticemetric::KernelScope running;
    topology = latticemetric::order_states(states, source.data(), target.data(),
                                           static_cast<std::int64_t>(source.size()), start, is_final.data());
  }
  const auto size = topology.rank.size();
  return nb::make_tuple(to_numpy(std::move(topology.rank), {size}), topology.kept, topology.in_order,
                        topology.on_cycle);
}

// Returns whether all values are numbers of states or words: not negative, and less than the largest integer, which is
// reserved for ★.
bool are_numbers(Input<std::int32_t> values) {
  require_aligned(values);
  std::int32_t others = 0;  // no early exit, so that the loop is vectorised
  for (const auto *value = values.data(), *end = value + values.size(); value < end; ++value)
    others |= (*value < 0) | (*value == INT32_MAX);
  return !others;
}

std::int32_t ordered_states(Input<std::int32_t> source, Input<std::int32_t> target, Input<std::int32_t> final) {
  require_aligned(source, target, final);
  require(source.size() == target.size(), "source and target differ in length");
  const latticemetric::KernelScope running;
  return latticemetric::ordered_states(source.data(), target.data(), static_cast<std::int64_t>(source.size()),
                                       final.data(), static_cast<std::int64_t>(final.size()));
}

nb::tuple canonical_order(Input<std::int32_t> source, Input<std::int32_t> target, Input<std::int32_t> rank,
                          std::int32_t states, Input<std::int32_t> final,
                          const std::vector<std::pair<Input<double>, Input<double>>>& columns,
                          Input<double> times) {
  require_aligned(source, target, rank, final);
  require(source.size() == target.size() && source.size() == rank.size(), "source, target and rank differ in length");
  require_ids(final, states, "a final state is not a state");
  latticemetric::require_arcs(source, target, states);
  latticemetric::LatticeContent lattice{states, static_cast<std::int64_t>(source.size()), source.data(), target.data(),
                                        rank.data(), final.data(), static_cast<std::int64_t>(final.size()), {},
                                        nullptr};
  for (const auto& [arc, ends] : columns) {
    require_aligned(arc, ends);
    require(arc.size() == source.size() && ends.size() == final.size(), "columns differ in length");
    lattice.columns.push_back({arc.data(), ends.data(), 1});
  }
  if (times.is_valid()) {
    require_aligned(times);
    require(times.size() == static_cast<std::size_t>(states), "every state needs a time");
    lattice.times = times.data();
  }
  latticemetric::CanonicalOrder order;
  {
    const latticemetric::KernelScope running;
    order = latticemetric::canonical_order(lattice);
  }
  return nb::make_tuple(column(std::move(order.number)), column(std::move(order.arcs)));
}

bool are_finite(Input<double> values) {
  require_aligned(values);
  return latticemetric::are_finite(values);
}

nb::tuple total_cost(const std::vector<std::pair<Input<double>, Input<double>>>& columns,
                     const std::vector<double>& weights, std::int64_t arcs, std::int32_t states,
                     Input<std::int32_t> final) {
  require(weights.size() == columns.size(), "every column needs a weight");
  require(arcs >= 0 && states >= 0, "the number of arcs or states is negative");
  require_aligned(final);
  require_ids(final, states, "a final state is not a state");
  std::vector<latticemetric::CostColumn> weighted;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const auto& [arc, ends] = columns[k];
    require_aligned(arc, ends);
    require(arc.size() == static_cast<std::size_t>(arcs) && ends.size() == final.size(), "columns differ in length");
    weighted.push_back({arc.data(), ends.data(), weights[k]});
  }
  latticemetric::TotalCost total;
  {
    const latticemetric::KernelScope running;
    total = latticemetric::total_cost(weighted, arcs, states, final.data(), static_cast<std::int64_t>(final.size()));
  }
  return nb::make_tuple(column(std::move(total.arc)), column(std::move(total.ends)), total.can_be_added);
}

nb::tuple order_forest(Input<std::int32_t> head, Input<std::int64_t> tail_begin, Input<std::int32_t> tail,
                       Input<std::uint8_t> is_goal) {
  const auto nodes = static_cast<std::int32_t>(is_goal.size());
  const auto edges = head.size();
  require_aligned(head, tail, is_goal);
  require_aligned(tail_begin);
  require_ids(head, nodes, "a head is not a node");
  require_ids(tail, nodes, "a tail is not a node");
  require(tail_begin.size() == edges + 1 && tail_begin.data()[0] == 0, "the tails of the first edge must begin at 0");
  for (std::size_t e = 0; e < edges; ++e)
    require(tail_begin.data()[e] <= tail_begin.data()[e + 1], "tails must follow one another");
  require(static_cast<std::size_t>(tail_begin.data()[edges]) == tail.size(), "tails must fill their column");
  latticemetric::ForestOrder order;
  {
    const latticemetric::KernelScope running;
    order = latticemetric::order_forest(nodes, static_cast<std::int64_t>(edges), head.data(), tail_begin.data(),
                                        tail.data(), is_goal.data());
  }
  return nb::make_tuple(column(std::move(order.rank)), column(std::move(order.edges)), order.kept, order.on_cycle);
}

Output<std::int64_t> best_path(const NativeLattice& lattice) {
  const auto& graph = lattice.with_words();
  std::vector<std::int64_t> path;
  {
    const latticemetric::KernelScope running;
    path = latticemetric::best_path(graph.states, graph.arcs, graph.source, graph.target, graph.cost, graph.is_word,
                                    graph.final_cost);
  }
  return column(std::move(path));
}

double largest_path_cost(const NativeLattice& lattice) {
  const auto& graph = lattice.arcs();
  const latticemetric::KernelScope running;
  return latticemetric::largest_path_cost(graph);
}

nb::tuple best_costs_through_arcs(const NativeLattice& lattice) {
  const auto& graph = lattice.arcs();
  latticemetric::BestCostsThroughArcs through;
  {
    const latticemetric::KernelScope running;
    through = latticemetric::best_costs_through_arcs(graph.states, graph.arcs, graph.source, graph.target, graph.cost,
                                                     graph.final_cost);
  }
  return nb::make_tuple(column(std::move(through.arc)), column(std::move(through.ending)));
}

nb::tuple rows(latticemetric::NBest best) {
  return nb::make_tuple(column(std::move(best.arcs)), column(std::move(best.begin)));
}

nb::tuple n_best_strings(const NativeLattice& lattice, std::int64_t most) {
  const auto& graph = lattice.with_labels();
  require(most >= 1, "at least one string must be asked for");
  latticemetric::NBest best;
  {
    const latticemetric::KernelScope running;
    best = latticemetric::n_best_strings(graph, most);
  }
  return rows(std::move(best));
}

nb::tuple n_best_paths(const NativeLattice& lattice, std::int64_t most) {
  const auto& graph = lattice.arcs();
  require(most >= 1, "at least one path must be asked for");
  latticemetric::NBest best;
  {
    const latticemetric::KernelScope running;
    best = latticemetric::n_best_paths(graph, most);
  }
  return rows(std::move(best));
}

nb::tuple determinize(const NativeLattice& lattice, double unit) {
  const auto& graph = lattice.with_labels();
  require(unit > 0 && std::isfinite(unit), "the unit must be a positive number");
  latticemetric::WeightedArcs found;
  {
    const latticemetric::KernelScope running;
    found = latticemetric::determinize(graph, unit);
  }
  return nb::make_tuple(column(std::move(found.source)), column(std::move(found.target)),
                        column(std::move(found.word)), column(std::move(found.cost)),
                        column(std::move(found.final_cost)));
}

nb::tuple search_lattice(const NativeLattice& lattice, Input<std::int32_t> reference, Gains gains,
                         const std::string& method, std::size_t part_bytes) {
  const auto search_method = checked_method(method, part_bytes);
  require_aligned(reference);
  require_gains(gains);
  require_reference(reference.size(), gains.order);
  const auto& graph = lattice.whole();
  latticemetric::BestPath best;
  {
    const latticemetric::KernelScope running;
    best = latticemetric::search_lattice(graph, reference.data(), static_cast<std::int32_t>(reference.size()), gains,
                                         search_method);
  }
  return nb::make_tuple(column(std::move(best.arcs)), best.gain);
}

nb::tuple best_lattice(const NativeLattice& lattice, const std::vector<std::vector<std::int32_t>>& references,
                       Gains gains, const std::string& method, std::size_t part_bytes) {
  const auto search_method = checked_method(method, part_bytes);
  require_gains(gains);
  for (const auto& reference : references) require_reference(reference.size(), gains.order);
  const auto& graph = lattice.whole();
  latticemetric::BestLattice best;
  {
    const latticemetric::KernelScope running;
    best = latticemetric::best_lattice(graph, references, gains, search_method);
  }
  return nb::make_tuple(column(std::move(best.state)), column(std::move(best.ends)), column(std::move(best.source)),
                        column(std::move(best.target)), column(std::move(best.arc)));
}

nb::tuple search_spelled_lattice(const NativeLattice& lattice, Input<std::int64_t> begin, Input<std::int32_t> units,
                                 std::int32_t separator, Input<std::int32_t> reference) {
  require_aligned(units, reference);
  require_aligned(begin);
  const auto& graph = lattice.whole();
  require_reference(reference.size(), 1);
  require(begin.size() >= 1 && begin.size() < (std::size_t{1} << 31) && begin.data()[0] == 0,
          "words must be spelled from the first unit on");
  const auto words = static_cast<std::int32_t>(begin.size() - 1);
  for (std::int32_t w = 0; w < words; ++w)
    require(begin.data()[w] <= begin.data()[w + 1], "words must follow one another");
  require(static_cast<std::size_t>(begin.data()[words]) == units.size(), "words must end at the last unit");
  require(std::all_of(units.data(), units.data() + units.size(), [](auto unit) { return unit > 0; }) && separator >= 0,
          "a unit has no number");
  require(std::all_of(graph.label, graph.label + graph.arcs, [=](auto label) { return 0 <= label && label <= words; }),
          "an arc has a word without spelling");
  const latticemetric::Spelling spelling{words, begin.data(), units.data(), separator};
  latticemetric::FewestErrors best;
  {
    const latticemetric::KernelScope running;
    best = latticemetric::search_spelled_lattice(graph, spelling, reference.data(),
                                                 static_cast<std::int32_t>(reference.size()));
  }
  return nb::make_tuple(column(std::move(best.arcs)), best.errors);
}

void require_rate(Ratio rate) {
  require(rate.total >= 1 && rate.total <= std::numeric_limits<std::int64_t>::max(),
          "a rate's denominator must be positive");
}

nb::tuple to_tuple(latticemetric::PathAtRate best) {
  return nb::make_tuple(column(std::move(best.arcs)), best.reached.gain, best.reached.total);
}

// Searches a lattice at a rate; its arcs add up to the denominator.
nb::tuple search_at_rate(const NativeLattice& lattice, Input<std::int32_t> size, Input<std::int32_t> reference,
                         Gains gains, Ratio rate, const std::string& method, std::size_t part_bytes) {
  const auto search_method = checked_method(method, part_bytes);
  const auto& graph = lattice.whole();
  require_aligned(size, reference);
  require(size.size() == static_cast<std::size_t>(graph.arcs), "columns differ in length");
  require_gains(gains);
  require_reference(reference.size(), gains.order);
  require(std::all_of(size.data(), size.data() + size.size(), [&](auto one) { return 0 <= one && one <= gains.order; }),
          "a word adds at most the order to the denominator");
  require_rate(rate);
  latticemetric::PathAtRate best;
  {
    const latticemetric::KernelScope running;
    best = latticemetric::search_at_rate(graph, size.data(), reference.data(),
                                         static_cast<std::int32_t>(reference.size()), gains, rate, search_method);
  }
  return to_tuple(std::move(best));
}

// Searches a lattice against a reference graph at a rate; the arcs of the reference add up to the denominator.
nb::tuple search_reference_graph(const NativeLattice& lattice, const latticemetric::NativeReferenceGraph& reference,
                                 Gains gains, Ratio rate, double most_bytes) {
  require_gains(gains);
  require_rate(rate);
  const auto& graph = lattice.whole();
  const auto& expected = reference.of_order(gains.order);
  latticemetric::PathAtRate best;
  {
    const latticemetric::KernelScope running;
    best = latticemetric::search_reference_graph(graph, expected, gains, rate, most_bytes);
  }
  return to_tuple(std::move(best));
}

nb::tuple forward_backward(const NativeLattice& lattice) {
  const auto& graph = lattice.arcs();
  latticemetric::ForwardBackward found;
  {
    const latticemetric::KernelScope running;
    found = latticemetric::forward_backward(graph.states, graph.arcs, graph.source, graph.target, graph.cost,
                                            graph.final_cost);
  }
  return nb::make_tuple(found.log_total, column(std::move(found.forward)), column(std::move(found.transition)),
                        column(std::move(found.ending)));
}

// Returns the number of each word. A new word gets the next number.
std::vector<std::int32_t> numbered(const nb::tuple& words, const nb::dict& numbers) {
  std::vector<std::int32_t> found;
  found.reserve(words.size());
  for (const auto word : words) {
    const nb::int_ next(numbers.size());
    PyObject* const number = PyDict_SetDefault(numbers.ptr(), word.ptr(), next.ptr());
    if (number == nullptr) throw nb::python_error();
    found.push_back(static_cast<std::int32_t>(PyLong_AsLong(number)));
  }
  return found;
}

std::string align(nb::tuple hypothesis, nb::tuple reference, Gains gains, std::size_t most_bytes,
                  std::int64_t longest_in_table) {
  require_gains(gains);
  require(std::max(hypothesis.size(), reference.size()) <= longest_reference, "a string is too long");
  latticemetric::Aligner aligner(gains, most_bytes, longest_in_table);
  const nb::dict numbers;
  const auto words = numbered(hypothesis, numbers), expected = numbered(reference, numbers);
  const latticemetric::KernelScope running;
  return aligner.align({words.data(), static_cast<std::int64_t>(words.size())},
                       {expected.data(), static_cast<std::int64_t>(expected.size())});
}

nb::tuple count_edits(const std::string& edits, std::int32_t order) {
  latticemetric::require_order(order);
  const auto counts = latticemetric::count_edits(edits, order);
  const auto part = [&](std::size_t begin, std::size_t end) {
    nb::list numbers;
    for (auto k = begin; k < end; ++k) numbers.append(counts[k]);
    return nb::tuple(numbers);
  };
  const auto n = static_cast<std::size_t>(order);
  return nb::make_tuple(part(0, n), counts[n], counts[n + 1], counts[n + 2], part(n + 3, counts.size()));
}

}  // namespace

void latticemetric::bind_lattices(nanobind::module_& m) {
  m.def("order_states", &::order_states, "source"_a, "target"_a, "start"_a, "is_final"_a);
  m.def("ordered_states", &::ordered_states, "source"_a, "target"_a, "final"_a);
  m.def("canonical_order", &::canonical_order, "source"_a, "target"_a, "rank"_a, "states"_a, "final"_a, "columns"_a,
        "times"_a.none());
  m.def("are_numbers", &::are_numbers, "values"_a);
  m.def("are_finite", &::are_finite, "values"_a);
  m.def("total_cost", &::total_cost, "columns"_a, "weights"_a, "arcs"_a, "states"_a, "final"_a);
  m.def("order_forest", &::order_forest, "head"_a, "tail_begin"_a, "tail"_a, "is_goal"_a);
  m.def("best_path", &::best_path, "lattice"_a);
  m.def("largest_path_cost", &::largest_path_cost, "lattice"_a);
  m.def("best_costs_through_arcs", &::best_costs_through_arcs, "lattice"_a);
  m.def("n_best_strings", &::n_best_strings, "lattice"_a, "most"_a);
  m.def("n_best_paths", &::n_best_paths, "lattice"_a, "most"_a);
  m.def("determinize", &::determinize, "lattice"_a, "unit"_a);
  m.def("search_lattice", &::search_lattice, "lattice"_a, "reference"_a, "gains"_a, "method"_a = "automatic",
        "part_bytes"_a = latticemetric::SearchMethod().part_bytes);
  m.def("best_lattice", &::best_lattice, "lattice"_a, "references"_a, "gains"_a, "method"_a = "automatic",
        "part_bytes"_a = latticemetric::SearchMethod().part_bytes);
  m.def("search_spelled_lattice", &::search_spelled_lattice, "lattice"_a, "begin"_a, "units"_a, "separator"_a,
        "reference"_a);
  m.def("search_at_rate", &::search_at_rate, "lattice"_a, "size"_a, "reference"_a, "gains"_a, "rate"_a,
        "method"_a = "automatic", "part_bytes"_a = latticemetric::SearchMethod().part_bytes);
  m.def("search_reference_graph", &::search_reference_graph, "lattice"_a, "reference"_a, "gains"_a, "rate"_a,
        "most_bytes"_a);
  m.def("forward_backward", &::forward_backward, "lattice"_a);
  m.def("align", &::align, "hypothesis"_a, "reference"_a, "gains"_a,
        "most_bytes"_a = latticemetric::WordAligner::usual_bytes,
        "longest_in_table"_a = latticemetric::Aligner::longest_in_table);
  m.def("count_edits", &::count_edits, "edits"_a, "order"_a);
}
