// Python bindings of alignments of networks.
#include <algorithm>
#include <cmath>

#include "bindings/binding.hpp"
#include "networks/combination.hpp"
#include "networks/median_text.hpp"
#include "networks/network_alignment.hpp"

using namespace nanobind::literals;

namespace latticemetric {
namespace {

Network checked(const Input<std::int32_t>& source, const Input<std::int32_t>& target, const Input<std::int32_t>& label,
                const Input<std::uint8_t>& is_final) {
  const auto arcs = source.size();
  const auto states = static_cast<std::int32_t>(is_final.size());
  require_aligned(source, target, label);
  require(states > 0, "a network has a start, but this one has no states");
  require(target.size() == arcs && label.size() == arcs, "columns differ in length");
  for (std::size_t a = 0; a < arcs; ++a) {
    require(0 <= source.data()[a] && source.data()[a] < target.data()[a] && target.data()[a] < states,
            "arcs must go from smaller to larger states");
    require(a == 0 || source.data()[a - 1] <= source.data()[a], "arcs must be sorted by source");
  }
  require(std::any_of(is_final.data(), is_final.data() + states, [](std::uint8_t f) { return f != 0; }),
          "a network must have a final state");
  return {states, static_cast<std::int64_t>(arcs), source.data(), target.data(), label.data(), is_final.data()};
}

nb::tuple align(Input<std::int32_t> source, Input<std::int32_t> target, Input<std::int32_t> label,
                Input<std::uint8_t> is_final, Input<std::int32_t> hypothesis_source,
                Input<std::int32_t> hypothesis_target, Input<std::int32_t> hypothesis_label,
                Input<std::uint8_t> hypothesis_final, float substitution, float deletion, float insertion,
                float silence, std::int64_t longest_in_table) {
  const auto reference = checked(source, target, label, is_final);
  const auto hypothesis = checked(hypothesis_source, hypothesis_target, hypothesis_label, hypothesis_final);
  for (const auto cost : {substitution, deletion, insertion, silence})
    require(0 <= cost && std::isfinite(cost), "a cost is negative or too large");
  NetworkAlignment found;
  {
    const KernelScope running;
    found = align_networks(reference, hypothesis, {substitution, deletion, insertion, silence}, longest_in_table);
  }
  return nb::make_tuple(column(std::move(found.reference)), column(std::move(found.hypothesis)), found.edits);
}

nb::tuple align_outputs(Input<std::int64_t> system_begin, Input<std::int64_t> slot_begin, Input<std::int32_t> word,
                        Input<std::int32_t> parts, Input<double> times, const std::vector<std::string>& spelling,
                        bool time_mediated) {
  require_aligned(system_begin, slot_begin);
  require_aligned(word, parts);
  require_aligned(times);
  const auto begins = [](const Input<std::int64_t>& begin, std::size_t end) {
    bool ascends = begin.size() > 0 && begin.data()[0] == 0;
    for (std::size_t k = 1; k < begin.size(); ++k) ascends = ascends && begin.data()[k - 1] <= begin.data()[k];
    require(ascends && begin.data()[begin.size() - 1] == static_cast<std::int64_t>(end),
            "parts do not follow one another");
  };
  require(slot_begin.size() > 0 && system_begin.size() > 1, "there are no systems");
  const auto slots = slot_begin.size() - 1;
  begins(system_begin, slots);
  begins(slot_begin, word.size());
  require(parts.size() == word.size() && times.size() == 2 * slots, "columns differ in length");
  for (std::size_t e = 0; e < word.size(); ++e)
    require(0 <= word.data()[e] && static_cast<std::size_t>(word.data()[e]) < spelling.size() && parts.data()[e] >= 0,
            "an entry is no word with its parts");
  for (std::size_t k = 0; k < slots; ++k) {
    std::int64_t sum = 0;
    for (auto e = slot_begin.data()[k]; e < slot_begin.data()[k + 1]; ++e) sum += parts.data()[e];
    require(sum == whole_slot, "the parts of a slot do not add up");
  }
  const auto systems = static_cast<double>(system_begin.size() - 1);
  require(systems * systems * static_cast<double>(slots + 1) < 1e10, "there are too many systems");
  MultipleAlignment found;
  {
    const KernelScope running;
    found = align_systems({static_cast<std::int32_t>(systems), system_begin.data(), slot_begin.data(), word.data(),
                           parts.data(), times.data()},
                          spelling, time_mediated);
  }
  const auto width = system_begin.size() - 1, rows = found.slot.size() / width;
  return nb::make_tuple(to_numpy(std::move(found.slot), {rows, width}), found.cost, found.distances);
}

nb::tuple median(Input<std::int64_t> begin, Input<std::int32_t> word, Input<double> weight, double known,
                 double tolerance, std::int64_t most_arcs, std::int64_t most_cells) {
  require_aligned(begin, word);
  require_aligned(weight);
  require(begin.size() > 1 && weight.size() == begin.size() - 1, "there is not one weight for each text");
  bool ascends = begin.data()[0] == 0 && begin.data()[weight.size()] == static_cast<std::int64_t>(word.size());
  for (std::size_t k = 0; k < weight.size(); ++k) {
    ascends = ascends && begin.data()[k] <= begin.data()[k + 1];
    require(weight.data()[k] > 0 && weight.data()[k] <= 1, "a weight is not between 0 and 1");
  }
  require(ascends, "texts do not follow one another");
  for (std::size_t k = 0; k < word.size(); ++k) require(word.data()[k] > 0, "a text has no word at a position");
  MedianText found;
  {
    const KernelScope running;
    found = median_text({static_cast<std::int32_t>(weight.size()), begin.data(), word.data(), weight.data()}, known,
                        tolerance, most_arcs, most_cells);
  }
  if (!found.is_better) return nb::make_tuple(nb::none(), found.cost, found.bound);
  return nb::make_tuple(column(std::move(found.word)), found.cost, found.bound);
}

}  // namespace

void bind_networks(nb::module_& m) {
  m.def("align_networks", &align, "source"_a, "target"_a, "label"_a, "is_final"_a, "hypothesis_source"_a,
        "hypothesis_target"_a, "hypothesis_label"_a, "hypothesis_final"_a, "substitution"_a, "deletion"_a, "insertion"_a,
        "silence"_a, "longest_in_table"_a = longest_text_in_table);
  m.attr("whole_slot") = whole_slot;
  m.def("align_systems", &align_outputs, "system_begin"_a, "slot_begin"_a, "word"_a, "parts"_a, "times"_a,
        "spelling"_a, "time_mediated"_a = false);
  m.def("median_text", &median, "begin"_a, "word"_a, "weight"_a, "known"_a, "tolerance"_a, "most_arcs"_a,
        "most_cells"_a);
}

}  // namespace latticemetric
