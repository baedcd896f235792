// Lattices and forests from Python, checked once. They keep the arrays alive.
#pragma once

#include <cstdint>

#include "bindings/binding.hpp"
#include "graphs/forest_rules.hpp"
#include "graphs/lattice.hpp"
#include "search/reference_graph_search.hpp"

namespace latticemetric {

// Checks that the arcs of states 0 .. `states` - 1 go to larger states and are sorted by source.
void require_arcs(const Input<std::int32_t>& source, const Input<std::int32_t>& target, std::int32_t states);

// Checks the values of rows, and where the rows begin.
void require_rows(const Input<std::int64_t>& begin, std::size_t rows, std::size_t values);

class NativeLattice {
 public:
  NativeLattice(Input<std::int32_t> source, Input<std::int32_t> target, Input<double> cost, Input<double> final_cost,
                Input<std::int32_t> label, Input<std::uint8_t> is_word);

  // The lattice without labels and words.
  const Lattice& arcs() const { return lattice_; }
  const Lattice& with_words() const {
    require(is_word_.is_valid(), "the lattice does not say which arcs have words");
    return lattice_;
  }
  const Lattice& with_labels() const {
    require(label_.is_valid(), "the lattice has no labels");
    return lattice_;
  }
  const Lattice& whole() const {
    with_labels();
    return with_words();
  }
  std::size_t size() const { return source_.size(); }

 private:
  const Input<std::int32_t> source_, target_;
  const Input<double> cost_, final_cost_;
  const Input<std::int32_t> label_;    // invalid if there are none
  const Input<std::uint8_t> is_word_;  // likewise
  Lattice lattice_{};
};

class NativeReferenceGraph {
 public:
  NativeReferenceGraph(Input<std::int32_t> source, Input<std::int32_t> target, Input<std::int32_t> label,
                       Input<std::int32_t> size, Input<std::uint8_t> is_final);

  // Returns the graph for n-grams up to this order.
  const ReferenceGraph& of_order(std::int32_t order) const;

 private:
  const Input<std::int32_t> source_, target_, label_, size_;
  const Input<std::uint8_t> is_final_;
  ReferenceGraph graph_{};
  std::int32_t largest_size_ = 0;
};

class NativeForest {
 public:
  NativeForest(Input<std::int32_t> head, Input<std::int64_t> tail_begin, Input<std::int32_t> tail,
               Input<std::int64_t> target_begin, Input<std::int32_t> target, Input<double> cost,
               Input<std::int64_t> words, Input<double> goal_cost);

  // The same forest with other costs.
  NativeForest with_cost(Input<double> cost, Input<double> goal_cost) const;

  const Forest& view() const { return forest_; }
  std::size_t edges() const { return head_.size(); }
  std::size_t nodes() const { return goal_cost_.size(); }

 private:
  void set_cost(Input<double> cost, Input<double> goal_cost);

  Input<std::int32_t> head_, tail_, target_;
  Input<std::int64_t> tail_begin_, target_begin_, words_;
  Input<double> cost_, goal_cost_;
  Forest forest_{};
};

}  // namespace latticemetric
