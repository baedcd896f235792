// Logarithms of sums of weights, against sums of exponentials.
#include "graphs/log_sums.hpp"

#include <cmath>

#include "driver.hpp"
#include "graphs/forward_backward.hpp"

namespace latticemetric::tests {
namespace {

void expect_near(double found, double expected, const char* what) {
  if (!(std::fabs(found - expected) <= 1e-12 * std::max(1.0, std::fabs(expected))))
    throw std::runtime_error(std::string(what) + ": found " + shown(found) + ", expected " + shown(expected));
}

void shares() {
  Random random(11);
  for (int k = 0; k < 1000; ++k) {
    const double offset = random.below(3) * 1e6;  // no exponential of it is a number
    std::vector<double> weights(static_cast<std::size_t>(1 + random.below(5))), taken;
    double first = random.below(2) ? 4 * random.share() : log_of_nothing, sum = std::exp(first);
    for (auto& weight : weights) sum += std::exp(weight = 4 * random.share());
    taken = weights;
    for (auto& weight : taken) weight -= offset;
    double others = first - offset;
    expect(std::fabs(take_shares(others, taken.data(), taken.data() + taken.size()) - (std::log(sum) - offset)) < 1e-8,
           "the logarithm of a sum");
    expect(std::fabs(others - std::exp(first) / sum) < 1e-8, "the share of the first");
    for (std::size_t w = 0; w < weights.size(); ++w)
      expect(std::fabs(taken[w] - std::exp(weights[w]) / sum) < 1e-8, "a share");
  }
}

// Adds the weights of all paths from a state, and the weights of those that go through each arc.
double walk(const Lattice& lattice, std::int32_t s, double weight, std::vector<std::int64_t>& path,
            std::vector<double>& through) {
  double sum = 0;
  if (lattice.is_final(s)) {
    sum = weight * std::exp(-lattice.final_cost[s]);
    for (const auto a : path) through[a] += sum;
  }
  for (std::int64_t a = 0; a < lattice.arcs; ++a) {
    if (lattice.source[a] != s) continue;
    path.push_back(a);
    sum += walk(lattice, lattice.target[a], weight * std::exp(-lattice.cost[a]), path, through);
    path.pop_back();
  }
  return sum;
}

void probabilities() {
  Random random(12);
  for (int k = 0; k < 200; ++k) {
    const OwnLattice own(random, 1 + random.below(6), 2);
    const Lattice lattice = own.view();
    const auto found = forward_backward(lattice.states, lattice.arcs, lattice.source, lattice.target, lattice.cost,
                                        lattice.final_cost);
    std::vector<std::int64_t> path;
    std::vector<double> through(own.source.size(), 0);
    const double sum = walk(lattice, 0, 1, path, through);
    expect_near(found.log_total, std::log(sum), "the logarithm of the total");
    for (std::int64_t a = 0; a < lattice.arcs; ++a)
      expect_near(found.forward[lattice.source[a]] * found.transition[a], through[a] / sum, "an arc's probability");
  }
}

}  // namespace

void log_sums() {
  shares();
  probabilities();
}

}  // namespace latticemetric::tests
