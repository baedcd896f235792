// The rules of a forest as steps from tail to tail; rules of a node share the steps of a common beginning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphs/forest_rules.hpp"

namespace latticemetric {

// Symbols begin .. end of a rule: a tail, or words behind one. Words before the first tail are no step of their own.
struct RuleStep {
  std::int32_t before;  // the step before it, or none
  std::int32_t tail;    // or none
  const Rule* rule;     // one of those that share it
  std::int32_t begin, end;
  double least_cost;    // of the tails up to here

  static constexpr std::int32_t none = -1;
};

class RuleSteps {
 public:
  explicit RuleSteps(const ForestRules& rules);

  const RuleStep& operator[](std::int32_t step) const { return steps_[step]; }
  std::int32_t last(const Rule& rule) const { return last_[&rule - rules_.begin(0)]; }  // or none, without tails
  double least_cost(std::int32_t v) const { return least_cost_[v]; }  // of all derivations
  double least_cost(const Rule& rule) const;

 private:
  void add_steps(const Rule& rule, std::vector<std::int32_t>& steps);
  void add_step(const Rule& rule, std::int32_t tail, std::ptrdiff_t begin, std::ptrdiff_t end,
                std::vector<std::int32_t>& steps);

  const ForestRules& rules_;
  std::vector<RuleStep> steps_;
  std::vector<std::int32_t> last_;
  std::vector<double> least_cost_;
};

}  // namespace latticemetric
