#include "ngrams/gain_lattice.hpp"

#include <limits>

#include "memory/budget.hpp"
#include "ngrams/gain_product.hpp"

namespace latticemetric {

GainLattice unfold_gains(std::int32_t states, std::int64_t arcs, const std::int32_t* source,
                         const std::int32_t* target, const std::int32_t* word, const NgramGains& gains) {
  GainProduct product(states, arcs, source, target, word, gains);
  if (product.items() > std::numeric_limits<std::int32_t>::max())
    throw TooLarge("the lattice has too many states once they are split by the last words of n-grams");
  GainLattice unfolded;
  unfolded.state.reserve(static_cast<std::size_t>(product.items()));
  unfolded.source.reserve(product.steps());
  unfolded.target.reserve(product.steps());
  unfolded.arc.reserve(product.steps());
  unfolded.gain.reserve(product.steps());
  for (std::int32_t t = 0; t < states; ++t) {
    unfolded.state.insert(unfolded.state.end(), static_cast<std::size_t>(product.begin(t + 1) - product.begin(t)), t);
    product.each_step_into(t, [&](std::int64_t a, std::int64_t item, std::int64_t next, double gain) {
      unfolded.source.push_back(static_cast<std::int32_t>(item));
      unfolded.target.push_back(static_cast<std::int32_t>(next));
      unfolded.arc.push_back(a);
      unfolded.gain.push_back(gain);
    });
  }
  return unfolded;
}

}  // namespace latticemetric
