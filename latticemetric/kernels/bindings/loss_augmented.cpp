// Python bindings of loss-augmented searches: strings by metric and cost together.
#include <cstdlib>
#include <utility>

#include "bindings/graphs.hpp"
#include "search/loss_augmented_search.hpp"

namespace latticemetric {
namespace {

using namespace nb::literals;

void require_words(const Lattice& lattice, const Input<std::int32_t>& shown) {
  require_aligned(shown);
  require(shown.size() == static_cast<std::size_t>(lattice.arcs), "columns differ in length");
  std::vector<std::uint8_t> goes_on(static_cast<std::size_t>(lattice.states), 0);
  for (std::int64_t a = 0; a < lattice.arcs; ++a) {
    require(lattice.label[a] >= 0 && shown.data()[a] >= 0, "words must have numbers");
    goes_on[lattice.source[a]] = 1;
  }
  for (std::int32_t v = 0; v < lattice.states; ++v) require(goes_on[v] || lattice.is_final(v), "a state leads nowhere");
}

nb::tuple py_loss_augmented_strings(const NativeLattice& lattice, Input<std::int32_t> shown, Input<std::int64_t> cost,
                                    Input<std::int64_t> final_cost, std::vector<std::vector<std::int32_t>> references,
                                    std::vector<Int128> weights, Int128 cost_weight, bool penalize, Gains gains,
                                    std::int64_t most, std::int64_t most_steps, std::size_t most_bytes,
                                    const std::string& method, std::size_t part_bytes,
                                    std::vector<std::int64_t> starts) {
  Lattice graph = lattice.with_labels();
  require_words(graph, shown);
  require_aligned(cost, final_cost);
  require(cost.size() == lattice.size() && final_cost.size() == static_cast<std::size_t>(graph.states),
          "columns differ in length");
  std::vector<std::uint8_t> is_word;
  for (std::int64_t a = 0; a < graph.arcs; ++a) is_word.push_back(shown.data()[a] != 0);
  graph.is_word = is_word.data();
  const LossLattice input{graph, {cost.data(), final_cost.data()}, shown.data()};
  if (starts.empty()) starts.assign(references.size(), 0);
  require(!references.empty() && references.size() == weights.size() && references.size() == starts.size(),
          "references must have weights and starts");
  require(cost_weight >= 0, "a weight is negative");
  require_gains(gains);
  LossFunction loss_function{{}, gains, cost_weight, penalize};
  std::size_t words = 0;  // of all references: their states share columns
  for (std::size_t r = 0; r < references.size(); ++r) {
    require_reference(words += references[r].size() + (r > 0), gains.order);
    require(weights[r] >= 0, "a weight is negative");
    require(std::abs(starts[r]) < (std::int64_t{1} << 62), "a start is too large");
    loss_function.references.push_back({std::move(references[r]), weights[r], starts[r]});
  }
  require(most >= 1 && most_steps >= 1 && most_steps < (std::int64_t{1} << 30), "strings or steps are out of range");
  const auto search_method = checked_method(method, part_bytes);
  LossAugmentedStrings found;
  {
    const KernelScope running;
    found = loss_augmented_strings(input, loss_function, {most, most_steps, most_bytes, search_method});
  }
  return nb::make_tuple(found.arcs, found.exact, found.losses, found.bound);
}

}  // namespace

void bind_loss_augmented(nb::module_& m) {
  m.def("loss_augmented_strings", &py_loss_augmented_strings, "lattice"_a, "shown"_a, "cost"_a, "final_cost"_a,
        "references"_a, "weights"_a, "cost_weight"_a, "penalize"_a, "gains"_a, "most"_a, "most_steps"_a, "most_bytes"_a,
        "method"_a = "automatic", "part_bytes"_a = latticemetric::SearchMethod().part_bytes,
        "starts"_a = std::vector<std::int64_t>());
}

}  // namespace latticemetric
