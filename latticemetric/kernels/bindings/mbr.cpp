// Python bindings of decoding for minimum Bayes risk under word error rate.
#include <cmath>
#include <limits>
#include <vector>

#include "bindings/binding.hpp"
#include "networks/word_mbr.hpp"

namespace latticemetric {
namespace {

using namespace nb::literals;

void require_arcs_by_target(const Input<std::int32_t>& source, const Input<std::int32_t>& target,
                            std::int32_t states) {
  require_aligned(source, target);
  require(source.size() == target.size(), "source and target differ in length");
  for (std::size_t a = 0; a < source.size(); ++a) {
    require(target.data()[a] >= (a > 0 ? target.data()[a - 1] : 0), "arcs must be sorted by target");
    require(0 <= source.data()[a] && source.data()[a] < target.data()[a] && target.data()[a] < states,
            "arcs must go from smaller to larger states");
  }
}

void require_labels(const Input<std::int32_t>& labels, std::int32_t below) {
  require_aligned(labels);
  for (std::size_t k = 0; k < labels.size(); ++k)
    require(0 <= labels.data()[k] && labels.data()[k] < below, "a word is none of the labels");
}

Output<double> shares(Input<std::int32_t> source, Input<std::int32_t> target, Input<double> cost,
                      std::int32_t states) {
  require(states > 0, "a lattice has a start, but this one has no states");
  require_arcs_by_target(source, target, states);
  require_aligned(cost);
  require(cost.size() == source.size(), "columns differ in length");
  require_finite(cost, "a cost is not a finite number");
  std::vector<double> found;
  {
    const KernelScope running;
    found = incoming_shares(states, static_cast<std::int64_t>(source.size()), source.data(), target.data(),
                            cost.data());
  }
  return column(std::move(found));
}

nb::tuple statistics(Input<std::int32_t> source, Input<std::int32_t> target, Input<std::int32_t> label,
                     Input<double> share, Input<double> times, std::int32_t states, std::int32_t labels,
                     Input<std::int32_t> hypothesis, double slack) {
  require(slack == 0 || (slack >= 0.5 && std::isfinite(slack)), "the slack is neither 0 nor 0.5 and more");
  require(states > 0 && labels > 0, "a lattice has a start, and the empty word has a label");
  require_arcs_by_target(source, target, states);
  require_aligned(share, times);
  require(label.size() == source.size() && share.size() == source.size(), "columns differ in length");
  require_finite(share, "a probability is not a finite number");
  for (std::size_t k = 0; k < share.size(); ++k) require(share.data()[k] >= 0, "a probability is negative");
  require(times.size() == 0 || times.size() == static_cast<std::size_t>(states), "every state must have a time");
  require_labels(label, labels);
  require_labels(hypothesis, labels);
  require(hypothesis.size() <= longest_reference, "the hypothesis is too long");
  const EvidenceLattice evidence{states,       static_cast<std::int64_t>(source.size()),
                          source.data(), target.data(),
                          label.data(), share.data(),
                          labels,       times.size() ? times.data() : nullptr};
  MbrStatistics found;
  {
    const KernelScope running;
    found = mbr_statistics(evidence, hypothesis.data(), static_cast<std::int32_t>(hypothesis.size()), slack);
  }
  return nb::make_tuple(found.risk, column(std::move(found.label)), column(std::move(found.position)),
                        column(std::move(found.mass)), column(std::move(found.begin)), column(std::move(found.end)));
}

}  // namespace

void bind_mbr(nb::module_& m) {
  m.def("incoming_shares", &shares, "source"_a, "target"_a, "cost"_a, "states"_a);
  m.def("mbr_statistics", &statistics, "source"_a, "target"_a, "label"_a, "share"_a, "times"_a, "states"_a, "labels"_a,
        "hypothesis"_a, "slack"_a = 0.0);
}

}  // namespace latticemetric
