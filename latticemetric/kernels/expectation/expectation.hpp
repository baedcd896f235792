// The expected cost of a lattice's paths against references: exact if possible, else between bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace latticemetric {

// A lattice whose arcs have classes of words (`columns.hpp`), with the probabilities of arcs and ends.
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
  std::vector<std::vector<std::int32_t>> words;  // by reference: its words, as classes
  std::vector<std::int64_t> sizes;               // by reference: what its costs are divided by, at least 1
  std::int32_t classes;                          // the number of classes that references may contain
};

// Costs are edit distances if the order is 0; otherwise they are the negated gains of n-gram recognition rates.
struct CostRules {
  std::int32_t order;
  std::int64_t unit, alpha, beta;
};

struct ExpectationRequest {
  bool outcomes, gradient;
  bool interval;    // if no exact mean is found: whether to compute bounds and an estimate
  bool keeps_bases;  // bases stay in the states: if costs have too many values for polynomials
  std::int64_t few_states;  // larger products are built again with merged columns; negative: automatic
  std::int64_t most_states;
  double seconds;
  double table_bytes;  // that bounds of differences may take; else columns are merged by simpler bounds
  std::int64_t samples;
  std::uint64_t seed;
};

// The rate of a path is its cost divided by the size of the reference that it scores best against.
struct Expectation {
  bool is_exact = false;
  std::int64_t states = 0;    // of the product
  double mean = 0;            // of the rate; an estimate by samples if it is not exact
  double variance = 0;        // of the rate
  double low = 0, high = 0;   // the mean lies in between
  double standard_error = 0;  // of the estimate
  std::int64_t samples = 0;
  // The distribution of paths, one row for each cost and each reference that counts.
  std::vector<std::int64_t> cost;
  std::vector<std::int32_t> reference;
  std::vector<double> probability;
  // The derivative of the mean with respect to the log weight of each arc, and of each end (by state).
  std::vector<double> arc_gradient, end_gradient;
};

// Throws `std::overflow_error` if the costs have too many digits.
Expectation expect(const WeightedGraph& graph, const ReferenceWords& references, const CostRules& rules,
                   const ExpectationRequest& request);

}  // namespace latticemetric
