#include "forests/rule_steps.hpp"

#include <algorithm>
#include <limits>

namespace latticemetric {

RuleSteps::RuleSteps(const ForestRules& rules) : rules_(rules) {
  for (std::int32_t v = 0; v < rules.graph().nodes; ++v) {
    double least = std::numeric_limits<double>::infinity();
    std::vector<std::int32_t> steps;
    for (const Rule* rule = rules.begin(v); rule != rules.end(v); ++rule) {
      add_steps(*rule, steps);
      last_.push_back(steps.empty() ? RuleStep::none : steps.back());
      least = std::min(least, least_cost(*rule));
    }
    least_cost_.push_back(least);
  }
}

double RuleSteps::least_cost(const Rule& rule) const {
  const std::int32_t step = last(rule);
  return rules_.graph().cost[rule.edge] + (step == RuleStep::none ? 0 : steps_[step].least_cost);
}

// Adds the steps of a rule. `steps` are those of the rule before it, and become those of this one.
void RuleSteps::add_steps(const Rule& rule, std::vector<std::int32_t>& steps) {
  while (!steps.empty() && steps_[steps.back()].end > rule.shared) steps.pop_back();
  const Symbol *const symbols = rules_.symbols(rule), *const end = symbols + rule.length;
  for (const Symbol* at = symbols + (steps.empty() ? 0 : steps_[steps.back()].end); at != end;) {
    const Symbol* const tail = std::find_if(at, end, is_node);
    if (tail == at || steps.empty()) {
      if (tail == end) return;  // words alone
      at = tail + 1;
      add_step(rule, node_of(*tail), tail - symbols, at - symbols, steps);
    } else {
      add_step(rule, RuleStep::none, at - symbols, tail - symbols, steps);
      at = tail;
    }
  }
}

void RuleSteps::add_step(const Rule& rule, std::int32_t tail, std::ptrdiff_t begin, std::ptrdiff_t end,
                         std::vector<std::int32_t>& steps) {
  const std::int32_t before = steps.empty() ? RuleStep::none : steps.back();
  double cost = before == RuleStep::none ? 0 : steps_[before].least_cost;
  if (tail != RuleStep::none) cost += least_cost_[tail];
  steps.push_back(static_cast<std::int32_t>(steps_.size()));
  steps_.push_back({before, tail, &rule, static_cast<std::int32_t>(begin), static_cast<std::int32_t>(end), cost});
}

}  // namespace latticemetric
