// Python bindings of n-grams in lattices: their posteriors, the path whose n-grams gain most, and the gain of each arc.
#include <vector>

#include "bindings/ngram_arrays.hpp"
#include "ngrams/gain_lattice.hpp"
#include "ngrams/posteriors.hpp"
#include "ngrams/search.hpp"

namespace latticemetric {
namespace {

using namespace nb::literals;

void require_lattice(const Input<std::int32_t>& source, const Input<std::int32_t>& target,
                     const Input<std::int32_t>& word, std::size_t states) {
  const auto arcs = source.size();
  require_aligned(source, target, word);
  require(target.size() == arcs && word.size() == arcs, "columns of arcs differ in length");
  require(states > 0 && states < (std::size_t{1} << 31), "a lattice must have 1 to 2^31 - 1 states");
  for (std::size_t a = 0; a < arcs; ++a) {
    require(source.data()[a] >= (a > 0 ? source.data()[a - 1] : 0), "arcs must be sorted by source");
    require(source.data()[a] < target.data()[a] && static_cast<std::size_t>(target.data()[a]) < states,
            "arcs must go to larger states");
  }
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
  require(states > 0, "a lattice has a start, but this one has no states");
  require_lattice(source, target, word, static_cast<std::size_t>(states));
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

Output<std::int64_t> py_search_ngrams(Input<std::int32_t> source, Input<std::int32_t> target,
                                      Input<std::int32_t> word, Input<std::uint8_t> is_word, Input<double> cost,
                                      Input<double> final_cost, Input<std::int32_t> parent,
                                      Input<std::int32_t> ending, Input<double> gain, double word_gain) {
  require_lattice(source, target, word, final_cost.size());
  require_aligned(cost, final_cost, gain);
  require_aligned(parent, ending);
  require_aligned(is_word);
  require(cost.size() == source.size() && is_word.size() == source.size(), "columns of arcs differ in length");
  require_finite(cost, "a cost is not a finite number");
  require_ends(final_cost);
  require(gain.size() == parent.size(), "columns of n-grams differ in length");
  require_finite(gain, "a gain is not a finite number");
  return column(run([&] {
    const auto trie = trie_of(parent, ending);
    return search_ngrams(static_cast<std::int32_t>(final_cost.size()), static_cast<std::int64_t>(source.size()),
                         source.data(), target.data(), word.data(), is_word.data(), cost.data(), final_cost.data(),
                         {trie, gain.data(), word_gain});
  }));
}

nb::tuple py_unfold_gains(Input<std::int32_t> source, Input<std::int32_t> target, Input<std::int32_t> word,
                          std::int32_t states, Input<std::int32_t> parent, Input<std::int32_t> ending,
                          Input<double> gain, double word_gain) {
  require(states > 0, "a lattice has a start, but this one has no states");
  require_lattice(source, target, word, static_cast<std::size_t>(states));
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

}  // namespace

void bind_ngrams(nb::module_& m) {
  m.def("ngram_posteriors", &py_ngram_posteriors, "source"_a, "target"_a, "word"_a, "transition"_a, "states"_a,
        "order"_a);
  m.def("search_ngrams", &py_search_ngrams, "source"_a, "target"_a, "word"_a, "is_word"_a, "cost"_a, "final_cost"_a,
        "parent"_a, "ending"_a, "gain"_a, "word_gain"_a);
  m.def("unfold_gains", &py_unfold_gains, "source"_a, "target"_a, "word"_a, "states"_a, "parent"_a, "ending"_a,
        "gain"_a, "word_gain"_a);
}

}  // namespace latticemetric
