#include "blocks/read_lattice.hpp"

#include <algorithm>
#include <cstddef>

#include "graphs/lattice_order.hpp"

namespace latticemetric {

std::size_t ReadLattice::row_of(std::int32_t state) const {
  return static_cast<std::size_t>(std::lower_bound(final.begin(), final.end(), state) - final.begin());
}

bool put_in_order(ReadLattice& lattice, std::int64_t start) {
  const LatticeOrder order = lattice_order({start, lattice.source, lattice.target, lattice.final});
  lattice.states = order.states;
  if (order.states == 0 || order.is_sorted) return order.states > 0;
  take_states(lattice.source, order.arcs, order.rank);
  take_states(lattice.target, order.arcs, order.rank);
  take_states(lattice.final, order.ends, order.rank);
  take_rows(lattice.word, order.arcs);
  for (auto& [arc, final] : lattice.costs) {
    take_rows(arc, order.arcs);
    take_rows(final, order.ends);
  }
  return true;
}

}  // namespace latticemetric
