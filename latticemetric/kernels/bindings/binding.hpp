// What all bindings share: arrays from and to Python, and checks of arguments.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cfloat>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bindings/gil.hpp"
#include "bindings/interruption.hpp"
#include "bindings/numbers.hpp"
#include "memory/budget.hpp"
#include "recognition/automaton.hpp"
#include "search/lattice_search.hpp"

namespace latticemetric {

namespace nb = nanobind;

template <typename T>
using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename T>
using Output = nb::ndarray<nb::numpy, T>;

template <typename T>
Output<T> to_numpy(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* data = owned->data();
  nb::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Output<T>(data, shape, owner);
}

// Asks Python how much memory a call may take.
inline std::size_t most_bytes() {
  const TakenGil taken;
  return nb::cast<std::size_t>(nb::module_::import_("latticemetric.memory").attr("most_bytes")());
}

// The scope in which a kernel runs. Other Python threads may run meanwhile (the GIL is released), allocations of this
// thread are held to a memory budget, and signals can end the kernel.
class KernelScope {
 public:
  KernelScope() : budget_(most_bytes, check_signals) {}

 private:
  ReleasedGil released_;
  Budget budget_;
};

inline void require(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

// Refuses arrays that are not aligned to their type: NumPy can make them, but the machine need not be able to read
// them.
template <typename... T>
void require_aligned(const Input<T>&... arrays) {
  require(((reinterpret_cast<std::uintptr_t>(arrays.data()) % alignof(T) == 0) && ...), "an array is not aligned");
}

// Returns whether all values are finite. Comparisons and sums of NaN and infinities would mislead the kernels.
inline bool are_finite(const Input<double>& values) {
  const auto *const begin = values.data(), *const end = begin + values.size();
  std::int64_t others = 0;  // no early exit, so that the loop is vectorised
  for (const double* value = begin; value < end; ++value) others |= !(std::fabs(*value) <= DBL_MAX);
  return !others;
}

inline void require_finite(const Input<double>& values, const char* message) { require(are_finite(values), message); }

// Checks the costs of ending in each state or node: no cost is NaN or minus infinity, and if there are any, one is
// finite. The cost is infinite where no path or derivation ends.
inline void require_ends(const Input<double>& cost) {
  bool is_cost = true, any = cost.size() == 0;
  for (std::size_t k = 0; k < cost.size(); ++k) {
    is_cost &= cost.data()[k] >= -DBL_MAX;
    any |= cost.data()[k] <= DBL_MAX;
  }
  require(is_cost, "the cost of an end is NaN or minus infinity");
  require(any, "there is no end of finite cost");
}

template <typename T>
Output<T> column(std::vector<T> values) {
  const auto size = values.size();
  return to_numpy(std::move(values), {size});
}

inline void require_order(std::int32_t order) { require(order >= 1 && order < 255, "the order must lie in 1 .. 254"); }

inline void require_gains(Gains gains) {
  require_order(gains.order);
  require(gains.unit >= 1, "the unit must be positive");
}

// The states of a metric's automaton have 32-bit numbers: at most `order + 1` for each position in the reference.
inline constexpr std::size_t longest_reference = (std::size_t{1} << 24) - 1, most_states = (std::size_t{1} << 31) - 1;

inline void require_reference(std::size_t words, std::int32_t order) {
  require_order(order);
  require(words <= longest_reference && (words + 1) * (static_cast<std::size_t>(order) + 1) <= most_states,
          "the reference is too long");
}

// Returns the search method of a name.
inline SearchMethod checked_method(const std::string& name, std::size_t part_bytes) {
  for (const auto& [known, kind] : {std::pair{"automatic", SearchMethod::automatic},
                                    {"table", SearchMethod::table},
                                    {"band", SearchMethod::band}})
    if (name == known) return {kind, part_bytes};
  throw std::invalid_argument("the method must be automatic, table or band");
}

// Graphs that are checked once, bound in `graphs.cpp`.
void bind_graphs(nb::module_& m);

// Lattices, bound in `lattices.cpp`.
void bind_lattices(nb::module_& m);

// Summaries of lattices, bound in `summaries.cpp`.
void bind_summaries(nb::module_& m);

// The formats' parsers, bound in `formats.cpp`.
void bind_formats(nb::module_& m);

// Rows of text that the formats' writers write, bound in `written_rows.cpp`.
void bind_written_rows(nb::module_& m);

// Lines of records that tables of results write, bound in `record_lines.cpp`.
void bind_record_lines(nb::module_& m);

// Metrics of strings, bound in `strings.cpp`.
void bind_strings(nb::module_& m);

// Searches of forests, bound in `forests.cpp`.
void bind_forests(nb::module_& m);

// Probabilities and n-grams in forests, bound in `forest_ngrams.cpp`.
void bind_forest_ngrams(nb::module_& m);

// N-grams in lattices, bound in `ngrams.cpp`.
void bind_ngrams(nb::module_& m);

// METEOR's alignment, bound in `meteor.cpp`.
void bind_meteor(nb::module_& m);

// Minimum Bayes risk under word error rate, bound in `mbr.cpp`.
void bind_mbr(nb::module_& m);

// Lists of strings as lattices, bound in `string_lattices.cpp`.
void bind_string_lattices(nb::module_& m);

// Strings by metric and cost together, bound in `loss_augmented.cpp`.
void bind_loss_augmented(nb::module_& m);

// Expectations over the paths of lattices, bound in `expectation.cpp`.
void bind_expectations(nb::module_& m);

// Searches of many graphs at a time, bound in `blocks.cpp`.
void bind_blocks(nb::module_& m);

// Searches for the best weights, bound in `tuning.cpp`.
void bind_tuning(nb::module_& m);

// Alignments of networks, bound in `networks.cpp`.
void bind_networks(nb::module_& m);

}  // namespace latticemetric
