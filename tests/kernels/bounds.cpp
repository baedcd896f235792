// Bounds of bands: no path loses less before a state of the product than its bound says.
#include "driver.hpp"
#include "recognition/reference_positions.hpp"
#include "search/prefix_bounds.hpp"

namespace latticemetric::tests {

void bounds() {
  Random random(10);
  int valid = 0, above_zero = 0;
  for (int k = 0; k < 400; ++k) {
    OwnLattice own(random, 1 + random.below(10), 3);
    std::fill(own.cost.begin(), own.cost.end(), 0);
    const Lattice lattice = own.view();
    const auto reference = random.words(1 + random.below(10), 3);
    const auto size = static_cast<std::int32_t>(reference.size());
    const Gains gains = random.gains();
    const PrefixBounds::Costs costs{std::vector<std::int64_t>(own.source.size(), 0),
                                    std::vector<std::int64_t>(static_cast<std::size_t>(own.states), 0)};
    PrefixBounds bounds(lattice, size, gains, costs);
    if (!bounds.are_valid()) continue;
    ++valid;
    const EditGains<std::int64_t> at_par(gains, true);
    const Definition definition(reference, at_par);
    const auto before = definition.before(lattice), after = definition.after(lattice);
    const std::int64_t least = -after[0][0], most = least + random.below(20);
    bounds.find_segments(ReferencePositions(lattice, reference.data(), size), most);
    for (std::int32_t s = 0; s < lattice.states; ++s)
      for (std::int32_t i = 0; i <= size; ++i)
        for (std::int32_t m = 0; m < gains.order; ++m) {
          const auto q = at_par.state(i, m);
          if (before[s][q] == Definition::unreached || after[s][q] == Definition::unreached) continue;
          if (-before[s][q] - after[s][q] > most) continue;  // segments are of paths that lose at most this
          expect(bounds.at(s, i) <= -before[s][q], "a bound exceeds what a path loses");
          above_zero += bounds.at(s, i) > 0;
        }
  }
  expect(valid > 100 && above_zero > 100, "hardly any bound was compared");
}

}  // namespace latticemetric::tests
