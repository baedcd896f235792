// Python bindings of graphs that are checked once, and then searched by one kernel after the other.
#include "bindings/graphs.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace latticemetric {

void require_arcs(const Input<std::int32_t>& source, const Input<std::int32_t>& target, std::int32_t states) {
  const auto arcs = source.size();
  require_aligned(source, target);
  require(target.size() == arcs, "source and target differ in length");
  const auto *const from = source.data(), *const to = target.data();
  std::int32_t turned = arcs > 0 && from[0] < 0, unsorted = 0;  // no early exit, so that loops are vectorised
  for (std::size_t a = 0; a < arcs; ++a) turned |= (from[a] >= to[a]) | (to[a] >= states);
  for (std::size_t a = 1; a < arcs; ++a) unsorted |= from[a - 1] > from[a];
  require(!turned, "arcs must go from smaller to larger states");
  require(!unsorted, "arcs must be sorted by source");
}

void require_rows(const Input<std::int64_t>& begin, std::size_t rows, std::size_t values) {
  require(begin.size() == rows + 1 && begin.data()[0] == 0, "rows must begin with the first value");
  for (std::size_t e = 0; e < rows; ++e)
    require(begin.data()[e] <= begin.data()[e + 1], "rows must follow one another");
  require(static_cast<std::size_t>(begin.data()[rows]) == values, "rows must end with the last value");
}

NativeLattice::NativeLattice(Input<std::int32_t> source, Input<std::int32_t> target, Input<double> cost,
                             Input<double> final_cost, Input<std::int32_t> label, Input<std::uint8_t> is_word)
    : source_(std::move(source)), target_(std::move(target)), cost_(std::move(cost)),
      final_cost_(std::move(final_cost)), label_(std::move(label)), is_word_(std::move(is_word)) {
  const auto arcs = source_.size(), states = final_cost_.size();
  require(states > 0, "a lattice has a start, but this one has no states");
  require(states < std::size_t{1} << 31, "a lattice has too many states");
  require_arcs(source_, target_, static_cast<std::int32_t>(states));
  require_aligned(cost_, final_cost_);
  require(cost_.size() == arcs, "columns differ in length");
  require_finite(cost_, "a cost is not a finite number");
  require_ends(final_cost_);
  if (label_.is_valid()) {
    require_aligned(label_);
    require(label_.size() == arcs, "columns differ in length");
  }
  require(!is_word_.is_valid() || is_word_.size() == arcs, "columns differ in length");
  lattice_ = {static_cast<std::int32_t>(states),
              static_cast<std::int64_t>(arcs),
              source_.data(),
              target_.data(),
              label_.is_valid() ? label_.data() : nullptr,
              is_word_.is_valid() ? is_word_.data() : nullptr,
              cost_.data(),
              final_cost_.data()};
}

NativeReferenceGraph::NativeReferenceGraph(Input<std::int32_t> source, Input<std::int32_t> target,
                                           Input<std::int32_t> label, Input<std::int32_t> size,
                                           Input<std::uint8_t> is_final)
    : source_(std::move(source)), target_(std::move(target)), label_(std::move(label)), size_(std::move(size)),
      is_final_(std::move(is_final)) {
  const auto arcs = source_.size(), states = is_final_.size();
  require(states > 0, "a reference graph has a start, but this one has no states");
  require(states < std::size_t{1} << 30, "the reference is too large");
  require_aligned(label_, size_);
  require_arcs(source_, target_, static_cast<std::int32_t>(states));
  require(label_.size() == arcs && size_.size() == arcs, "columns differ in length");
  const auto* const ends = is_final_.data();
  require(std::any_of(ends, ends + states, [](auto is_end) { return is_end != 0; }),
          "the reference graph has no final state");
  for (std::size_t a = 0; a < arcs; ++a) {
    require(size_.data()[a] >= 0, "a word adds nothing negative to the denominator");
    largest_size_ = std::max(largest_size_, size_.data()[a]);
  }
  graph_ = {static_cast<std::int32_t>(states), static_cast<std::int64_t>(arcs), source_.data(), target_.data(),
            label_.data(),                     size_.data(),                    ends};
}

const ReferenceGraph& NativeReferenceGraph::of_order(std::int32_t order) const {
  require(graph_.states < (1 << 30) / order, "the reference is too large");
  require(largest_size_ <= order, "a word adds at most the order to the denominator");
  return graph_;
}

NativeForest::NativeForest(Input<std::int32_t> head, Input<std::int64_t> tail_begin, Input<std::int32_t> tail,
                           Input<std::int64_t> target_begin, Input<std::int32_t> target, Input<double> cost,
                           Input<std::int64_t> words, Input<double> goal_cost)
    : head_(std::move(head)), tail_(std::move(tail)), target_(std::move(target)), tail_begin_(std::move(tail_begin)),
      target_begin_(std::move(target_begin)), words_(std::move(words)) {
  const auto nodes = goal_cost.size();
  const auto edges = head_.size();
  require_aligned(head_, tail_, target_);
  require_aligned(tail_begin_, target_begin_, words_);
  require(nodes < static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()), "there are too many nodes");
  require(words_.size() == edges, "edges must have costs and words");
  require_rows(tail_begin_, edges, tail_.size());
  require_rows(target_begin_, edges, target_.size());
  for (std::size_t e = 0; e < edges; ++e) {
    require(head_.data()[e] >= (e > 0 ? head_.data()[e - 1] : 0) && head_.data()[e] < static_cast<std::int64_t>(nodes),
            "edges must be sorted by head");
    const auto tails = tail_begin_.data()[e + 1] - tail_begin_.data()[e];
    for (auto k = tail_begin_.data()[e]; k < tail_begin_.data()[e + 1]; ++k)
      require(tail_.data()[k] >= 0 && tail_.data()[k] < head_.data()[e], "tails must come before heads");
    for (auto k = target_begin_.data()[e]; k < target_begin_.data()[e + 1]; ++k)
      require(target_.data()[k] != 0 && target_.data()[k] >= -tails,
              "a target side must hold words and tails of its edge only");
  }
  forest_ = {static_cast<std::int32_t>(nodes), static_cast<std::int64_t>(edges), head_.data(),   tail_begin_.data(),
             tail_.data(),                     target_begin_.data(),             target_.data(), nullptr,
             words_.data(),                    nullptr};
  set_cost(std::move(cost), std::move(goal_cost));
}

NativeForest NativeForest::with_cost(Input<double> cost, Input<double> goal_cost) const {
  require(goal_cost.size() == nodes(), "nodes must have costs");
  NativeForest other = *this;
  other.set_cost(std::move(cost), std::move(goal_cost));
  return other;
}

void NativeForest::set_cost(Input<double> cost, Input<double> goal_cost) {
  require_aligned(cost, goal_cost);
  require(cost.size() == edges(), "edges must have costs and words");
  require_finite(cost, "a cost is not a finite number");
  require_ends(goal_cost);
  cost_ = std::move(cost);
  goal_cost_ = std::move(goal_cost);
  forest_.cost = cost_.data();
  forest_.goal_cost = goal_cost_.data();
}

void bind_graphs(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<NativeLattice>(m, "Lattice")
      .def(nb::init<Input<std::int32_t>, Input<std::int32_t>, Input<double>, Input<double>,
                    Input<std::int32_t>, Input<std::uint8_t>>(),
           "source"_a, "target"_a, "cost"_a, "final_cost"_a, "label"_a.none() = nb::none(),
           "is_word"_a.none() = nb::none());
  nb::class_<NativeReferenceGraph>(m, "ReferenceGraph")
      .def(nb::init<Input<std::int32_t>, Input<std::int32_t>, Input<std::int32_t>, Input<std::int32_t>,
                    Input<std::uint8_t>>(),
           "source"_a, "target"_a, "label"_a, "size"_a, "is_final"_a);
  nb::class_<NativeForest>(m, "Forest")
      .def(nb::init<Input<std::int32_t>, Input<std::int64_t>, Input<std::int32_t>, Input<std::int64_t>,
                    Input<std::int32_t>, Input<double>, Input<std::int64_t>, Input<double>>(),
           "head"_a, "tail_begin"_a, "tail"_a, "target_begin"_a, "target"_a, "cost"_a, "words"_a, "goal_cost"_a)
      .def("with_cost", &NativeForest::with_cost, "cost"_a, "goal_cost"_a);
}

}  // namespace latticemetric
