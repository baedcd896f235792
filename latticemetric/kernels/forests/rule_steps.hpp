// The rules of a forest as steps from tail to tail. Rules of a node that begin alike share their first steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphs/forest_rules.hpp"

namespace latticemetric {

// Symbols begin .. end of a rule: one tail, or the words after a tail. The words before the first tail belong to no
// step.
struct RuleStep {
  std::int32_t before;  // the previous step, or none
  std::int32_t tail;    // or none, for words
  const Rule* rule;     // one of the rules that share the step
  std::int32_t begin, end;
  double least_cost;    // of all tails up to here

  static constexpr std::int32_t none = -1;
};

class RuleSteps {
 public:
  explicit RuleSteps(const ForestRules& rules);

  const RuleStep& operator[](std::int32_t step) const { return steps_[step]; }
  std::int32_t last(const Rule& rule) const { return last_[&rule - rules_.begin(0)]; }  // none if the rule has no tails
  double least_cost(std::int32_t v) const { return least_cost_[v]; }  // over the derivations of v
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
