// Python bindings of n-grams in lattices: their posteriors, the path whose n-grams gain most, and the gain of each arc.
#include <vector>

#include "bindings/graphs.hpp"
#include "bindings/ngram_arrays.hpp"
#include "ngrams/gain_lattice.hpp"
#include "ngrams/posteriors.hpp"
#include "ngrams/search.hpp"
#include "ngrams/string_rows.hpp"

namespace latticemetric {
namespace {

using namespace nb::literals;

void require_lattice(const Input<std::int32_t>& source, const Input<std::int32_t>& target,
                     const Input<std::int32_t>& word, std::int32_t states) {
  require(states > 0, "a lattice has a start, but this one has no states");
  require_arcs(source, target, states);
  require_aligned(word);
  require(word.size() == source.size(), "columns of arcs differ in length");
}

// Runs a kernel. If it exceeds its memory, the error says why: states are split by the n-grams that lead to them.
template <typename Kernel>
auto run(Kernel kernel) {
  const KernelScope running;
  try {
    return kernel();
  } catch (const OverBudget&) {
    throw TooLarge("the n-grams of the lattice do not fit into memory");
  }
}

nb::tuple py_ngram_posteriors(Input<std::int32_t> source, Input<std::int32_t> target, Input<std::int32_t> word,
                              Input<double> transition, std::int32_t states, std::int32_t order) {
  require_lattice(source, target, word, states);
  require_aligned(transition);
  require(transition.size() == source.size(), "columns of arcs differ in length");
  require_finite(transition, "a probability is not a finite number");
  require(order >= 1, "the order must be positive");
  auto found = run([&] {
    return ngram_posteriors(states, static_cast<std::int64_t>(source.size()), source.data(), target.data(), word.data(),
                            transition.data(), order);
  });
  return nb::make_tuple(column(found.ngrams.parents()), column(found.ngrams.words()),
                        column(std::move(found.posterior)));
}

nb::tuple py_search_ngrams(const NativeLattice& lattice, Input<std::int32_t> parent, Input<std::int32_t> ending,
                           Input<double> gain, double word_gain) {
  const auto& graph = lattice.whole();
  require_aligned(gain);
  require_aligned(parent, ending);
  require(gain.size() == parent.size(), "columns of n-grams differ in length");
  require_finite(gain, "a gain is not a finite number");
  auto path = run([&] {
    const auto trie = trie_of(parent, ending);
    return search_ngrams(graph.states, graph.arcs, graph.source, graph.target, graph.label, graph.is_word, graph.cost,
                         graph.final_cost, {trie, gain.data(), word_gain});
  });
  return nb::make_tuple(column(std::move(path.arcs)), path.by_numbers);
}

nb::tuple py_unfold_gains(Input<std::int32_t> source, Input<std::int32_t> target, Input<std::int32_t> word,
                          std::int32_t states, Input<std::int32_t> parent, Input<std::int32_t> ending,
                          Input<double> gain, double word_gain) {
  require_lattice(source, target, word, states);
  require_aligned(gain);
  require_aligned(parent, ending);
  require(gain.size() == parent.size(), "columns of n-grams differ in length");
  require_finite(gain, "a gain is not a finite number");
  auto unfolded = run([&] {
    const auto trie = trie_of(parent, ending);
    return unfold_gains(states, static_cast<std::int64_t>(source.size()), source.data(), target.data(), word.data(),
                        {trie, gain.data(), word_gain});
  });
  return nb::make_tuple(column(std::move(unfolded.state)), column(std::move(unfolded.source)),
                        column(std::move(unfolded.target)), column(std::move(unfolded.arc)),
                        column(std::move(unfolded.gain)));
}

// Checks that the parent of each row but the first, which has none, precedes it.
void require_parents_first(const Input<std::int32_t>& parent) {
  require_aligned(parent);
  require(parent.size() > 0, "the first row is the empty n-gram");
  bool precede = true;
  for (std::size_t row = 1; row < parent.size(); ++row)
    precede &= parent.data()[row] >= 0 && static_cast<std::size_t>(parent.data()[row]) < row;
  require(precede, "parents must precede their children");
}

Output<std::int64_t> py_rows_of_string(const std::vector<std::int32_t>& string, Input<std::int32_t> parent,
                                       Input<std::int32_t> ending) {
  require_parents_first(parent);
  require_aligned(ending);
  require(ending.size() == parent.size(), "columns of n-grams differ in length");
  return column(run([&] {
    return rows_of_string(string, static_cast<std::int64_t>(parent.size()), parent.data(), ending.data());
  }));
}

Output<std::int32_t> py_lengths_of_rows(Input<std::int32_t> parent) {
  require_parents_first(parent);
  return column(run([&] { return lengths_of_rows(static_cast<std::int64_t>(parent.size()), parent.data()); }));
}

}  // namespace

void bind_ngrams(nb::module_& m) {
  m.def("ngram_posteriors", &py_ngram_posteriors, "source"_a, "target"_a, "word"_a, "transition"_a, "states"_a,
        "order"_a);
  m.def("rows_of_string", &py_rows_of_string, "string"_a, "parent"_a, "ending"_a);
  m.def("lengths_of_rows", &py_lengths_of_rows, "parent"_a);
  m.def("search_ngrams", &py_search_ngrams, "lattice"_a, "parent"_a, "ending"_a, "gain"_a, "word_gain"_a);
  m.def("unfold_gains", &py_unfold_gains, "source"_a, "target"_a, "word"_a, "states"_a, "parent"_a, "ending"_a,
        "gain"_a, "word_gain"_a);
}

}  // namespace latticemetric
