// Python bindings of lists of strings as lattices.
#include <cstdint>
#include <vector>

#include "bindings/binding.hpp"
#include "graphs/string_lattice.hpp"

namespace latticemetric {
namespace {

using namespace nb::literals;

nb::tuple py_string_trie(Input<std::int64_t> begin, Input<std::int32_t> words) {
  require_aligned(begin);
  require_aligned(words);
  require(begin.size() >= 1 && begin.data()[0] == 0, "the first string must begin at 0");
  for (std::size_t s = 1; s < begin.size(); ++s)
    require(begin.data()[s - 1] <= begin.data()[s], "strings must follow one another");
  require(static_cast<std::size_t>(begin.data()[begin.size() - 1]) == words.size(), "strings must hold all words");
  for (std::size_t k = 0; k < words.size(); ++k) require(words.data()[k] > 0, "words must be positive");
  StringTrie made;
  {
    const KernelScope running;
    made = string_trie(static_cast<std::int64_t>(begin.size()) - 1, begin.data(), words.data());
  }
  return nb::make_tuple(column(made.trie.parents()), column(made.trie.words()), column(std::move(made.end)));
}

nb::tuple py_minimize_trie(Input<std::int32_t> parent, Input<std::int32_t> word, Input<double> end_cost) {
  require_aligned(parent, word);
  require_aligned(end_cost);
  const auto nodes = parent.size();
  require(nodes >= 1 && nodes < (std::size_t{1} << 31), "a trie must have 1 to 2^31 - 1 nodes");
  require(word.size() == nodes && end_cost.size() == nodes, "columns of nodes differ in length");
  for (std::size_t n = 0; n < nodes; ++n) {
    require(n == 0 || (0 <= parent.data()[n] && static_cast<std::size_t>(parent.data()[n]) < n),
            "nodes must follow their parents");
  }
  require_ends(end_cost);
  StringLattice made;
  {
    const KernelScope running;
    made = minimize_trie(static_cast<std::int32_t>(nodes), parent.data(), word.data(), end_cost.data());
  }
  return nb::make_tuple(column(std::move(made.source)), column(std::move(made.target)), column(std::move(made.word)),
                        column(std::move(made.cost)), column(std::move(made.final)),
                        column(std::move(made.final_cost)), made.start);
}

}  // namespace

void bind_string_lattices(nb::module_& m) {
  m.def("string_trie", &py_string_trie, "begin"_a, "words"_a);
  m.def("minimize_trie", &py_minimize_trie, "parent"_a, "word"_a, "end_cost"_a);
}

}  // namespace latticemetric
