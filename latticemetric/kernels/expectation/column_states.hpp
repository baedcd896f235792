// The states of the product of a lattice and its references: one column for each reference.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "expectation/columns.hpp"
#include "expectation/dominance.hpp"
#include "expectation/step_graph.hpp"
#include "memory/int128.hpp"

namespace latticemetric {

// The final cost of a path, against the reference that it scores best against (the first one of equals).
struct PathEnd {
  std::int64_t cost;
  std::int32_t reference;
};

// If all references have the same size, states leave out the common base of their columns. It moves into the weights of
// the product: `start` and `step` return by how much it grows. If sizes differ, costs against different references have
// no common measure, so the bases stay in the states.
template <typename Columns>
class ColumnStates {
 public:
  using T = typename Columns::Value;

  // With `keeps_bases`, the bases stay in the states in any case.
  ColumnStates(std::vector<Columns> references, std::vector<std::int64_t> sizes, bool keeps_bases)
      : references_(std::move(references)), sizes_(std::move(sizes)) {
    for (const auto& columns : references_) {
      offsets_.push_back(width_);
      width_ += columns.width();
    }
    is_relative_ = !keeps_bases &&
                   std::all_of(sizes_.begin(), sizes_.end(), [&](auto size) { return size == sizes_.front(); });
    has_bases_ = references_.size() > 1 || !is_relative_;
    bases_ = width_;
    if (has_bases_) width_ += references_.size();
  }

  // Returns whether weights carry the common base; if so, all references have the same size.
  bool is_relative() const { return is_relative_; }
  std::size_t width() const { return width_; }
  const std::vector<Columns>& references() const { return references_; }
  const std::vector<std::int64_t>& sizes() const { return sizes_; }
  const Dominance<Columns>& dominance(std::size_t k) const { return *dominance_[k]; }
  Merging merging() const { return dominance_.empty() ? Merging::none : dominance_.front()->merging(); }

  void merge(const StepGraph& graph, Merging merging) {
    dominance_.clear();
    for (const auto& columns : references_)
      dominance_.push_back(std::make_unique<Dominance<Columns>>(columns, graph, merging));
  }

  std::int64_t start(PackedColumn* state) const {
    std::int64_t base = 0;
    for (std::size_t k = 0; k < references_.size(); ++k)
      set_base(state, k, base = references_[k].start(state + offsets_[k]));
    return has_bases_ ? rebase(state) : base;
  }

  // Reads a word. Returns by how much the common base grows.
  std::int64_t step(PackedColumn* state, std::int32_t word) const {
    if (word == no_word) return 0;
    if (!has_bases_) return references_.front().step(state, word);
    for (std::size_t k = 0; k < references_.size(); ++k)
      set_base(state, k, base(state, k) + references_[k].step(state + offsets_[k], word));
    return rebase(state);
  }

  // Changes the entries of all columns: `change(k, entry)` gets the entries of reference k, without their base. Returns
  // by how much the common base grows.
  template <typename Change>
  std::int64_t changed(PackedColumn* state, Change change) const {
    std::int64_t grown = 0;
    for (std::size_t k = 0; k < references_.size(); ++k) {
      const auto& columns = references_[k];
      entry_.resize(static_cast<std::size_t>(columns.entries()));
      columns.unpack(state + offsets_[k], entry_.data());
      change(k, entry_.data());
      grown = columns.pack(entry_.data(), state + offsets_[k]);
      set_base(state, k, base(state, k) + grown);
    }
    return has_bases_ ? rebase(state) : grown;
  }

  // Lowers entries, as far as the bounds allow, so that states that nothing after `node` can tell apart become equal.
  // Returns by how much the common base grows.
  std::int64_t lower(PackedColumn* state, std::int32_t node) const {
    return changed(state, [&](std::size_t k, T* entry) { dominance_[k]->lower(node, entry); });
  }

  PathEnd end(const PackedColumn* state) const {
    PathEnd best{base(state, 0) + references_[0].end(state + offsets_[0]), 0};
    for (std::size_t k = 1; k < references_.size(); ++k) {
      const std::int64_t cost = base(state, k) + references_[k].end(state + offsets_[k]);
      if (static_cast<Int128>(cost) * sizes_[best.reference] < static_cast<Int128>(best.cost) * sizes_[k])
        best = {cost, static_cast<std::int32_t>(k)};
    }
    return best;
  }

  // Returns what an end adds to the expectation: its rate or, if weights carry the base, its cost above the base.
  double value(PathEnd end) const {
    return static_cast<double>(end.cost) / (is_relative_ ? 1.0 : static_cast<double>(sizes_[end.reference]));
  }
  // Returns the factor that turns a value into a rate.
  double share() const { return is_relative_ ? 1 / static_cast<double>(sizes_.front()) : 1.0; }

  // Returns the base of a column above the common base.
  std::int64_t base(const PackedColumn* state, std::size_t k) const {
    return has_bases_ ? static_cast<std::int64_t>(state[bases_ + k]) : 0;
  }

  const PackedColumn* column(const PackedColumn* state, std::size_t k) const { return state + offsets_[k]; }

 private:
  void set_base(PackedColumn* state, std::size_t k, std::int64_t base) const {
    if (has_bases_) state[bases_ + k] = static_cast<PackedColumn>(base);
  }

  std::int64_t rebase(PackedColumn* state) const {
    if (!is_relative_) return 0;
    const auto common = base(state, 0);
    for (std::size_t k = 0; k < references_.size(); ++k) set_base(state, k, base(state, k) - common);
    return common;
  }

  std::vector<Columns> references_;
  std::vector<std::int64_t> sizes_;
  std::vector<std::size_t> offsets_;
  std::vector<std::unique_ptr<Dominance<Columns>>> dominance_;
  std::size_t width_ = 0, bases_ = 0;
  bool is_relative_, has_bases_;
  mutable std::vector<T> entry_;
};

}  // namespace latticemetric
