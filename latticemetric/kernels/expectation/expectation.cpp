#include "expectation/expectation.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

#include "expectation/interval.hpp"
#include "expectation/product.hpp"
#include "memory/budget.hpp"

namespace latticemetric {
namespace {

// Random numbers in [0, 1), by Vigna's splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  double next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

Effort effort_of(std::int64_t states, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto now = Clock::now();
  const double longest = std::chrono::duration<double>(Clock::time_point::max() - now).count() / 2;
  const std::chrono::duration<double> allowed(std::min(seconds, longest));
  return {states, now + std::chrono::duration_cast<Clock::duration>(allowed)};
}

// Estimates the mean by drawing independent paths.
template <typename Columns>
void sample(const StepGraph& graph, const ColumnStates<Columns>& space, const ExpectationRequest& request,
            const Effort& effort, Expectation& found) {
  constexpr std::int64_t fewest = 100, most_work = 4'000'000'000;
  Random random(request.seed);
  std::vector<PackedColumn> state(space.width() + 1);
  double mean = 0, squares = 0;
  std::int64_t work = 0, count = 0;
  while (count < request.samples &&
         (count < fewest || (work < most_work && (count % fewest != 0 || !effort.is_over())))) {
    auto base = space.start(state.data());
    for (std::int32_t v = 0;;) {
      double left = random.next();
      const Step* taken = nullptr;
      for (auto out = graph.from[v]; out < graph.from[v + 1] && left >= 0; ++out) {
        taken = &graph.steps[graph.out_of[out]];
        left -= taken->probability;
      }
      // Rounding may leave no step in a state where no path ends: then the last step is taken.
      if (taken == nullptr || (left >= 0 && graph.ending[v] > 0)) break;
      base += space.step(state.data(), taken->word);
      v = taken->target;
      const auto cost = static_cast<std::int64_t>(space.width()) * 8 + 20;
      poll(cost);
      work += cost;
    }
    const double value = space.value(space.end(state.data())) + (space.is_relative() ? static_cast<double>(base) : 0);
    const double difference = value - mean;
    mean += difference / static_cast<double>(++count);
    squares += difference * (value - mean);
  }
  found.samples = count;
  found.mean = mean;
  found.standard_error = count > 1 ? std::sqrt(squares / static_cast<double>(count - 1) / static_cast<double>(count)) : 0;
}

template <typename Columns>
void fill(const StepGraph& graph, const ColumnStates<Columns>& space, const Product<typename Columns::Value>& product,
          const WeightedGraph& lattice, const ExpectationRequest& request, Expectation& found) {
  const auto moments = moments_of(graph, space, product);
  found.is_exact = true;
  found.states = static_cast<std::int64_t>(product.probability.size());
  found.mean = moments.mean;
  found.variance = std::max(0.0, moments.square - moments.mean * moments.mean);
  if (request.gradient) {
    auto gradient = gradient_of(graph, space, product, moments, lattice.transition);
    found.arc_gradient = std::move(gradient.arc);
    found.end_gradient = std::move(gradient.ending);
  }
  if (!request.outcomes) return;
  double sum = 0, squares = 0;
  const auto outcomes = outcomes_of(graph, product);
  for (const auto& [end, probability] : outcomes) sum += probability;
  for (const auto& [end, probability] : outcomes) {
    found.cost.push_back(end.first);
    found.reference.push_back(end.second);
    found.probability.push_back(probability / sum);
    const double distance = space.value({end.first, end.second}) - found.mean;
    squares += probability / sum * distance * distance;
  }
  found.variance = squares;
}

// Returns the number of states that a product without merging may have: building so many takes about as long as
// computing the bounds of differences. For larger products, these bounds pay.
template <typename Columns>
std::int64_t few_states(const ColumnStates<Columns>& space, const StepGraph& graph) {
  constexpr double fewest = 1000, most = 50'000;
  double table = 0, step = 30;  // nanoseconds: for a step of the graph; for an edge of the product
  for (const auto& columns : space.references()) {
    const auto entries = static_cast<double>(columns.entries());
    table += entries * entries;
    step += columns.step_time();
  }
  return static_cast<std::int64_t>(std::clamp(static_cast<double>(graph.states) * table / step, fewest, most));
}

template <typename Columns>
Expectation expect(const WeightedGraph& lattice, std::vector<Columns> references, const ReferenceWords& words,
                   const ExpectationRequest& request) {
  const auto graph = step_graph(lattice.states, lattice.arcs, lattice.source, lattice.target, lattice.word,
                                lattice.transition, lattice.ending);
  ColumnStates<Columns> space(std::move(references), words.sizes, request.keeps_bases);
  const auto effort = effort_of(request.most_states, request.seconds);
  Expectation found;
  try {
    const auto few = request.few_states < 0 ? few_states(space, graph) : request.few_states;
    auto product = product_of(graph, space, {std::min(few, effort.states), effort.deadline});
    if (!product) {
      double bytes = 0;
      for (const auto& columns : space.references()) bytes += Dominance<Columns>::bytes(columns, graph);
      space.merge(graph, bytes <= request.table_bytes ? Merging::by_differences : Merging::by_bounds);
      product = product_of(graph, space, effort);
    }
    if (product) fill(graph, space, *product, lattice, request, found);
  } catch (const std::bad_alloc&) {  // the memory is free again, and an interval needs far less
    found = {};
  }
  if (!found.is_exact && !request.interval) return found;
  if (!found.is_exact) {
    if (space.merging() == Merging::none) space.merge(graph, Merging::by_bounds);
    const auto [low, high] = interval_of(graph, space, effort);
    sample(graph, space, request, effort, found);
    found.mean = std::clamp(found.mean, low, high);
    found.low = low;
    found.high = high;
  } else {
    found.low = found.high = found.mean;
  }
  const double share = space.share();
  for (double* value : {&found.mean, &found.low, &found.high, &found.standard_error}) *value *= share;
  found.variance *= share * share;
  for (auto* gradient : {&found.arc_gradient, &found.end_gradient})
    for (double& value : *gradient) value *= share;
  return found;
}

template <typename T>
Expectation expect_distance(const WeightedGraph& graph, const ReferenceWords& references,
                            const ExpectationRequest& request) {
  std::vector<EditColumns<T>> columns;
  for (const auto& words : references.words) columns.emplace_back(words, references.classes);
  return expect(graph, std::move(columns), references, request);
}

template <typename T>
Expectation expect_gain(const WeightedGraph& graph, const ReferenceWords& references, const CostRules& rules,
                        const ExpectationRequest& request) {
  const EditGains<T> gains(Gains{rules.order, rules.unit, rules.alpha, rules.beta});
  std::vector<GainColumns<T>> columns;
  for (const auto& words : references.words) columns.emplace_back(words, gains);
  return expect(graph, std::move(columns), references, request);
}

}  // namespace

Expectation expect(const WeightedGraph& graph, const ReferenceWords& references, const CostRules& rules,
                   const ExpectationRequest& request) {
  std::size_t longest = 0;
  for (const auto& words : references.words) longest = std::max(longest, words.size());
  // Sums and differences of a few entries must not overflow.
  constexpr int sums = 16;
  if (rules.order == 0)
    return fits<std::int16_t>(static_cast<std::int64_t>(longest) + 1 + graph.states, sums)
               ? expect_distance<std::int16_t>(graph, references, request)
               : expect_distance<std::int32_t>(graph, references, request);
  const Gains gains{rules.order, rules.unit, rules.alpha, rules.beta};
  const auto largest = largest_gain<Int128>(gains, graph.states - 1, static_cast<Int128>(longest));
  if (fits<std::int16_t>(largest, sums)) return expect_gain<std::int16_t>(graph, references, rules, request);
  if (fits<std::int32_t>(largest, sums)) return expect_gain<std::int32_t>(graph, references, rules, request);
  if (fits<std::int64_t>(largest, sums)) return expect_gain<std::int64_t>(graph, references, rules, request);
  throw std::overflow_error("alpha and beta have too many digits for gains of so many words");
}

}  // namespace latticemetric
