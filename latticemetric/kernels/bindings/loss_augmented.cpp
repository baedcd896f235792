// Python bindings of loss-augmented searches: strings by metric and cost together.
#include <cstdlib>
#include <utility>

#include "bindings/binding.hpp"
#include "search/loss_augmented_search.hpp"

namespace latticemetric {
namespace {

using namespace nb::literals;

LossLattice checked(const Input<std::int32_t>& source, const Input<std::int32_t>& target,
                    const Input<std::int32_t>& label, const Input<std::int32_t>& shown,
                    const Input<std::int64_t>& cost, const Input<std::int64_t>& final_cost,
                    const Input<std::uint8_t>& is_final, std::vector<std::uint8_t>& is_word,
                    std::vector<double>& ends) {
  const auto arcs = source.size();
  const auto states = final_cost.size();
  require_aligned(source, target, label, shown);
  require_aligned(cost, final_cost);
  require(states > 0 && states < (std::size_t{1} << 31) && is_final.size() == states, "states must number 1 to 2^31-1");
  require(target.size() == arcs && label.size() == arcs && shown.size() == arcs && cost.size() == arcs,
          "columns differ in length");
  std::vector<std::uint8_t> goes_on(states, 0);
  for (std::size_t a = 0; a < arcs; ++a) {
    require(source.data()[a] >= (a > 0 ? source.data()[a - 1] : 0), "arcs must be sorted by source");
    require(source.data()[a] < target.data()[a] && static_cast<std::size_t>(target.data()[a]) < states,
            "arcs must go to larger states");
    require(label.data()[a] >= 0 && shown.data()[a] >= 0, "words must have numbers");
    goes_on[source.data()[a]] = 1;
  }
  for (std::size_t v = 0; v < states; ++v) require(goes_on[v] || is_final.data()[v], "a state leads nowhere");
  for (std::size_t a = 0; a < arcs; ++a) is_word.push_back(shown.data()[a] != 0);
  for (std::size_t v = 0; v < states; ++v) ends.push_back(is_final.data()[v] ? 0 : HUGE_VAL);
  return {{static_cast<std::int32_t>(states), static_cast<std::int64_t>(arcs), source.data(), target.data(),
           label.data(), is_word.data(), nullptr, ends.data()},
          {cost.data(), final_cost.data()}, shown.data()};
}

nb::tuple py_loss_augmented_strings(Input<std::int32_t> source, Input<std::int32_t> target, Input<std::int32_t> label,
                                    Input<std::int32_t> shown, Input<std::int64_t> cost, Input<std::int64_t> final_cost,
                                    Input<std::uint8_t> is_final, std::vector<std::vector<std::int32_t>> references,
                                    std::vector<Halves> weights,
                                    Halves cost_weight, bool penalize, std::int32_t order,
                                    std::int64_t unit, std::int64_t alpha, std::int64_t beta, std::int64_t most,
                                    std::int64_t most_steps, std::size_t most_bytes, const std::string& method,
                                    std::size_t part_bytes, std::vector<std::int64_t> starts) {
  std::vector<std::uint8_t> is_word;
  std::vector<double> ends;
  const LossLattice input = checked(source, target, label, shown, cost, final_cost, is_final, is_word, ends);
  if (starts.empty()) starts.assign(references.size(), 0);
  require(!references.empty() && references.size() == weights.size() && references.size() == starts.size(),
          "references must have weights and starts");
  require(cost_weight.first >= 0, "a weight is negative");
  LossFunction loss_function{{}, checked_gains(order, unit, alpha, beta), to_int128(cost_weight), penalize};
  std::size_t words = 0;  // of all references: their states share columns
  for (std::size_t r = 0; r < references.size(); ++r) {
    require_reference(words += references[r].size() + (r > 0), order);
    require(weights[r].first >= 0, "a weight is negative");
    require(std::abs(starts[r]) < (std::int64_t{1} << 62), "a start is too large");
    loss_function.references.push_back({std::move(references[r]), to_int128(weights[r]), starts[r]});
  }
  require(most >= 1 && most_steps >= 1 && most_steps < (std::int64_t{1} << 30), "strings or steps are out of range");
  const auto search_method = checked_method(method, part_bytes);
  LossAugmentedStrings found;
  {
    const KernelScope running;
    found = loss_augmented_strings(input, loss_function, {most, most_steps, most_bytes, search_method});
  }
  nb::list losses;
  for (const Int128 loss : found.losses) losses.append(halves(loss));
  return nb::make_tuple(found.arcs, found.exact, losses, halves(found.bound));
}

}  // namespace

void bind_loss_augmented(nb::module_& m) {
  m.def("loss_augmented_strings", &py_loss_augmented_strings, "source"_a, "target"_a, "label"_a, "shown"_a, "cost"_a,
        "final_cost"_a, "is_final"_a, "references"_a, "weights"_a, "cost_weight"_a, "penalize"_a, "order"_a, "unit"_a,
        "alpha"_a, "beta"_a, "most"_a, "most_steps"_a, "most_bytes"_a, "method"_a = "automatic",
        "part_bytes"_a = latticemetric::SearchMethod().part_bytes, "starts"_a = std::vector<std::int64_t>());
}

}  // namespace latticemetric
