// Arcs by their targets.
#include "graphs/incoming_arcs.hpp"

#include <algorithm>
#include <numeric>

#include "driver.hpp"

namespace latticemetric::tests {

void incoming_arcs() {
  Random random(13);
  for (int k = 0; k < 200; ++k) {
    const OwnLattice own(random, 1 + random.below(20), 2);
    const auto arcs = static_cast<std::int64_t>(own.target.size());
    const auto in = latticemetric::incoming_arcs(own.states, arcs, own.target.data());
    std::vector<std::int64_t> expected(own.target.size());
    std::iota(expected.begin(), expected.end(), 0);
    std::stable_sort(expected.begin(), expected.end(), [&](auto a, auto b) { return own.target[a] < own.target[b]; });
    expect(in.arc == expected, "arcs are not sorted by target, then by number");
    for (std::int32_t s = 0; s < own.states; ++s)
      for (auto at = in.begin[s]; at < in.begin[s + 1]; ++at)
        expect_equal(own.target[in.arc[at]], s, "the target of an arc");
    expect_equal(in.begin[own.states], arcs, "the end of the last state's arcs");
  }
}

}  // namespace latticemetric::tests
