// The border to Python of what aligns networks.
#include <algorithm>
#include <cmath>

#include "border.hpp"
#include "network_alignment.hpp"

using namespace nanobind::literals;

namespace latticemetric {
namespace {

Network checked(const Input<std::int32_t>& source, const Input<std::int32_t>& target, const Input<std::int32_t>& label,
                const Input<std::uint8_t>& is_final) {
  const auto arcs = source.size();
  const auto states = static_cast<std::int32_t>(is_final.size());
  require_aligned(source, target, label);
  require(states > 0, "a network has a start");
  require(target.size() == arcs && label.size() == arcs, "columns differ in length");
  for (std::size_t a = 0; a < arcs; ++a) {
    require(0 <= source.data()[a] && source.data()[a] < target.data()[a] && target.data()[a] < states,
            "arcs must go from smaller to larger states");
    require(a == 0 || source.data()[a - 1] <= source.data()[a], "arcs must be sorted by source");
  }
  require(std::any_of(is_final.data(), is_final.data() + states, [](std::uint8_t f) { return f != 0; }),
          "a network has an end");
  return {states, static_cast<std::int64_t>(arcs), source.data(), target.data(), label.data(), is_final.data()};
}

nb::tuple align(Input<std::int32_t> source, Input<std::int32_t> target, Input<std::int32_t> label,
                Input<std::uint8_t> is_final, Input<std::int32_t> candidate_source,
                Input<std::int32_t> candidate_target, Input<std::int32_t> candidate_label,
                Input<std::uint8_t> candidate_final, float substitution, float deletion, float insertion,
                float silence) {
  const auto reference = checked(source, target, label, is_final);
  const auto candidate = checked(candidate_source, candidate_target, candidate_label, candidate_final);
  for (const auto cost : {substitution, deletion, insertion, silence})
    require(0 <= cost && std::isfinite(cost), "a cost is negative or too large");
  NetworkAlignment found;
  {
    const Running running;
    found = align_networks(reference, candidate, {substitution, deletion, insertion, silence});
  }
  return nb::make_tuple(column(std::move(found.reference)), column(std::move(found.candidate)), found.edits);
}

}  // namespace

void bind_networks(nb::module_& m) {
  m.def("align_networks", &align, "source"_a, "target"_a, "label"_a, "is_final"_a, "candidate_source"_a,
        "candidate_target"_a, "candidate_label"_a, "candidate_final"_a, "substitution"_a, "deletion"_a, "insertion"_a,
        "silence"_a);
}

}  // namespace latticemetric
