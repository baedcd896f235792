// The expected cost of a lattice's paths against references, exactly where it can be had, or between bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace latticemetric {

// A lattice whose arcs have classes of words (`columns.hpp`), and the probabilities of its paths' steps.
struct WeightedGraph {
  std::int32_t states;
  std::int64_t arcs;
  const std::int32_t* source;
  const std::int32_t* target;
  const std::int32_t* word;
  const double* transition;  // an arc: its probability, given its source
  const double* ending;      // a state: the probability of ending there, given that it is passed
};

struct ReferenceWords {
  std::vector<std::vector<std::int32_t>> words;  // by reference, as classes
  std::vector<std::int64_t> sizes;               // by reference: what its costs are divided by, at least 1
  std::int32_t classes;                          // of words that may be in references
};

// Edit distances, if the order is 0; else n-gram recognition rates, whose cost is the gain negated.
struct CostRules {
  std::int32_t order;
  std::int64_t unit, alpha, beta;
};

struct ExpectationRequest {
  bool outcomes, gradient;
  bool interval;    // where the mean is not exact: bounds and an estimate; without, it is not looked for further
  bool keeps_bases;  // bases of columns stay in the states: for costs that have too many values for polynomials
  std::int64_t few_states;  // beyond them, find out first which entries of columns matter; negative: as it pays
  std::int64_t most_states;
  double seconds;
  double table_bytes;  // for the bounds of differences that make columns the same
  std::int64_t samples;
  std::uint64_t seed;
};

// The rate of a path is its cost, divided by the size of the reference that it scores best against.
struct Expectation {
  bool is_exact = false;
  std::int64_t states = 0;    // of the product
  double mean = 0;            // of the rate; where it is not exact, an estimate by samples
  double variance = 0;        // of the rate
  double low = 0, high = 0;   // the mean lies in between
  double standard_error = 0;  // of the estimate
  std::int64_t samples = 0;
  // Paths by what they cost and the reference that counts: as many rows each.
  std::vector<std::int64_t> cost;
  std::vector<std::int32_t> reference;
  std::vector<double> probability;
  // The derivative of the mean by the logarithm of the weight of each arc, and of each end (by state).
  std::vector<double> arc_gradient, end_gradient;
};

// Throws `std::overflow_error` if the costs have too many digits.
Expectation expect(const WeightedGraph& graph, const ReferenceWords& references, const CostRules& rules,
                   const ExpectationRequest& request);

}  // namespace latticemetric
