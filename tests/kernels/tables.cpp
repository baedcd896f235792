// Searches of lattices by tables and by bands, against the automaton's definition.
#include "driver.hpp"
#include "search/lattice_search.hpp"
#include "search/reference_graph_search.hpp"

namespace latticemetric::tests {
namespace {

constexpr std::int32_t kinds = 4;

// Returns the gain of a path whose arcs a search has found, and checks that it is one.
std::int64_t along(const Lattice& lattice, const std::vector<std::int64_t>& arcs, const Definition& definition) {
  std::vector<std::int32_t> words;
  std::int32_t at = 0;
  for (const auto a : arcs) {
    expect_equal(lattice.source[a], at, "the source of the next arc of a path");
    at = lattice.target[a];
    if (lattice.label[a] != 0) words.push_back(lattice.label[a]);
  }
  expect(lattice.is_final(at), "a path does not end in a final state");
  return definition.of(words);
}

}  // namespace

void tables() {
  Random random(6);
  for (int k = 0; k < 400; ++k) {
    const OwnLattice own(random, 1 + random.below(12), kinds);
    const Lattice lattice = own.view();
    const auto reference = random.words(random.below(12), kinds);
    const auto size = static_cast<std::int32_t>(reference.size());
    const Gains gains = random.gains();
    const Definition definition(reference, EditGains<std::int64_t>(gains));
    std::int64_t best = Definition::unreached;
    const auto rows = definition.before(lattice);
    for (std::int32_t s = 0; s < lattice.states; ++s)
      if (lattice.is_final(s)) best = std::max(best, definition.end(rows[s]));
    for (const auto kind : {SearchMethod::automatic, SearchMethod::table, SearchMethod::band})
      for (const std::size_t part_bytes : {std::size_t{1} << 20, std::size_t{1}}) {
        const auto found = search_lattice(lattice, reference.data(), size, gains, {kind, part_bytes});
        expect_equal(static_cast<std::int64_t>(found.gain), best, "the gain of a lattice");
        expect_equal(along(lattice, found.arcs, definition), best, "the gain of a path");
      }
    const OwnLattice line(reference);
    const std::vector<std::int32_t> sizes(reference.size(), 0);
    std::vector<std::uint8_t> ends(reference.size() + 1, 0);
    ends.back() = 1;
    const ReferenceGraph graph{line.states, static_cast<std::int64_t>(reference.size()), line.source.data(),
                               line.target.data(), line.label.data(), sizes.data(), ends.data()};
    const auto found = search_reference_graph(lattice, graph, gains, {0, 1}, 1e9);
    expect_equal(static_cast<std::int64_t>(found.reached.gain), best, "the gain against a reference graph");
    expect_equal(along(lattice, found.arcs, definition), best, "the gain of a path against a reference graph");
  }
}

}  // namespace latticemetric::tests
