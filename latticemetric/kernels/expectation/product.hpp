// The product of a lattice and the columns of its references. Its paths are those of the lattice.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "expectation/column_states.hpp"
#include "expectation/column_table.hpp"
#include "expectation/step_graph.hpp"
#include "memory/budget.hpp"

namespace latticemetric {

struct Effort {
  std::int64_t states;  // the most states of all nodes together
  std::chrono::steady_clock::time_point deadline;

  bool is_over() const { return std::chrono::steady_clock::now() >= deadline; }
};

// A node is a state of the lattice; it has several states of the product. For each step, one edge leads from each state
// of its source to a state of its target.
template <typename T>
struct Product {
  std::int64_t start = 0;                    // the base at the start
  std::vector<std::int64_t> begin;           // the states of node v are begin[v] .. begin[v + 1]
  std::vector<double> probability;           // by state: of passing it
  std::vector<std::int64_t> edge;            // by step: its first edge
  std::vector<std::uint32_t> target;         // by edge: the state that it leads to, counted from the node's first one
  std::vector<T> grown;                      // by edge: by how much the base grows; empty if bases stay in the states
  std::vector<std::int64_t> end_begin;       // by node: its first end; one per state, if paths end there
  std::vector<PathEnd> end;

  std::int64_t growth(std::int64_t edge) const { return grown.empty() ? 0 : static_cast<std::int64_t>(grown[edge]); }
  std::int64_t to(const Step& step, std::int64_t edge) const { return begin[step.target] + target[edge]; }
};

// Returns the product; nothing if it needs more states or time than the effort allows.
template <typename Columns>
std::optional<Product<typename Columns::Value>> product_of(const StepGraph& graph, const ColumnStates<Columns>& space,
                                                           const Effort& effort) {
  using T = typename Columns::Value;
  const bool lowers = space.merging() != Merging::none;
  const auto nodes = static_cast<std::size_t>(graph.states);
  Product<T> product;
  product.begin.assign(1, 0);
  product.edge.resize(graph.steps.size());
  product.end_begin.assign(nodes, 0);
  std::vector<std::vector<PackedColumn>> live(nodes);
  std::vector<std::int64_t> unread(nodes);  // by node: the steps out of it that are still to be made
  ColumnTable table(space.width()), arrived(space.width());
  std::vector<std::pair<std::uint32_t, std::int64_t>> lowered;  // by arrived column: the state that it becomes
  std::vector<PackedColumn> state(space.width() + 1);
  const auto work = static_cast<std::int64_t>(space.width()) * (lowers ? 40 : 4) + 10;
  for (std::int32_t v = 0; v < graph.states; ++v) {
    unread[v] = graph.from[v + 1] - graph.from[v];
    const auto first = product.probability.size();
    arrived.clear();
    lowered.clear();
    // Returns the number of the state that `state` becomes, and by how much its base grows by that.
    const auto arrive = [&]() -> std::pair<std::uint32_t, std::int64_t> {
      if (!lowers) return {table.add(state.data()), 0};
      const auto number = arrived.add(state.data());
      if (number == lowered.size()) {
        const auto grown = space.lower(state.data(), v);
        lowered.emplace_back(table.add(state.data()), grown);
      }
      return lowered[number];
    };
    const auto reach = [&](std::uint32_t number, double probability) {
      if (first + number == product.probability.size()) product.probability.push_back(0);
      product.probability[first + number] += probability;
    };
    if (v == 0) {
      product.start = space.start(state.data());
      const auto [number, grown] = arrive();
      product.start += grown;
      reach(number, 1);
    }
    for (auto e = graph.into[v]; e < graph.into[v + 1]; ++e) {
      const auto& step = graph.steps[e];
      const auto& from = live[step.source];
      const auto count = product.begin[step.source + 1] - product.begin[step.source];
      product.edge[e] = static_cast<std::int64_t>(product.target.size());
      for (std::int64_t q = 0; q < count; ++q) {
        poll(work);
        const auto row = from.begin() + q * static_cast<std::int64_t>(space.width());
        std::copy(row, row + static_cast<std::int64_t>(space.width()), state.begin());
        auto grown = space.step(state.data(), step.word);
        const auto [number, lowered_by] = arrive();
        grown += lowered_by;
        reach(number, product.probability[product.begin[step.source] + q] * step.probability);
        product.target.push_back(number);
        if (space.is_relative()) product.grown.push_back(static_cast<T>(grown));
      }
      if (--unread[step.source] == 0) std::vector<PackedColumn>().swap(live[step.source]);
      if (static_cast<std::int64_t>(product.probability.size()) > effort.states) return std::nullopt;
    }
    product.begin.push_back(static_cast<std::int64_t>(product.probability.size()));
    product.end_begin[v] = static_cast<std::int64_t>(product.end.size());
    if (graph.ending[v] > 0)
      for (std::size_t q = 0; q < table.size(); ++q) product.end.push_back(space.end(table.row(q)));
    if (unread[v] > 0)
      live[v] = table.take();
    else
      table.clear();
    if (effort.is_over()) return std::nullopt;
  }
  return product;
}

// The first two moments of a path's value, and what the gradient needs of them.
struct Moments {
  double mean = 0, square = 0;
  std::vector<double> before;  // by state: the sum over the paths to it of probability times base
};

template <typename Columns>
Moments moments_of(const StepGraph& graph, const ColumnStates<Columns>& space,
                   const Product<typename Columns::Value>& product) {
  Moments moments;
  auto& first = moments.before = filled<double>(product.probability.size(), 0);
  auto second = filled<double>(product.probability.size(), 0);
  const auto start = static_cast<double>(product.start);
  first[0] = start;
  second[0] = start * start;
  for (std::int32_t v = 0; v < graph.states; ++v) {
    for (auto e = graph.into[v]; e < graph.into[v + 1]; ++e) {
      const auto& step = graph.steps[e];
      const auto source = product.begin[step.source], count = product.begin[step.source + 1] - source;
      poll(count * 4);
      for (std::int64_t q = 0; q < count; ++q) {
        const auto to = product.to(step, product.edge[e] + q);
        const auto grown = static_cast<double>(product.growth(product.edge[e] + q));
        const double p = product.probability[source + q], x = first[source + q];
        first[to] += step.probability * (x + grown * p);
        second[to] += step.probability * (second[source + q] + 2 * grown * x + grown * grown * p);
      }
    }
    if (!(graph.ending[v] > 0)) continue;
    for (auto q = product.begin[v]; q < product.begin[v + 1]; ++q) {
      const double value = space.value(product.end[product.end_begin[v] + q - product.begin[v]]);
      const double p = product.probability[q], x = first[q];
      moments.mean += graph.ending[v] * (x + value * p);
      moments.square += graph.ending[v] * (second[q] + 2 * value * x + value * value * p);
    }
  }
  return moments;
}

// The probability of a path with this cost, by cost and reference.
using Outcomes = std::map<std::pair<std::int64_t, std::int32_t>, double>;

// Gives each state a polynomial: the probabilities of the bases with which paths arrive there.
template <typename T>
Outcomes outcomes_of(const StepGraph& graph, const Product<T>& product) {
  struct Histogram {
    std::int64_t least = 0;
    std::vector<double> probability;

    void add(const Histogram& other, std::int64_t shift, double share) {
      const auto begin = other.least + shift;
      const auto size = static_cast<std::int64_t>(other.probability.size());
      if (probability.empty()) least = begin;
      if (begin < least) {
        probability.insert(probability.begin(), static_cast<std::size_t>(least - begin), 0);
        least = begin;
      }
      if (begin + size > least + static_cast<std::int64_t>(probability.size()))
        probability.resize(static_cast<std::size_t>(begin + size - least));
      double* to = probability.data() + (begin - least);
      for (std::int64_t k = 0; k < size; ++k) to[k] += share * other.probability[static_cast<std::size_t>(k)];
      poll(size + 8);
    }
  };
  const auto nodes = static_cast<std::size_t>(graph.states);
  std::vector<std::vector<Histogram>> live(nodes);
  std::vector<std::int64_t> unread(nodes);
  Outcomes outcomes;
  for (std::int32_t v = 0; v < graph.states; ++v) {
    unread[v] = graph.from[v + 1] - graph.from[v];
    auto& here = live[v];
    here.resize(static_cast<std::size_t>(product.begin[v + 1] - product.begin[v]));
    if (v == 0) here[0] = {product.start, {1.0}};
    for (auto e = graph.into[v]; e < graph.into[v + 1]; ++e) {
      const auto& step = graph.steps[e];
      const auto& from = live[step.source];
      for (std::size_t q = 0; q < from.size(); ++q) {
        const auto edge = product.edge[e] + static_cast<std::int64_t>(q);
        here[product.target[edge]].add(from[q], product.growth(edge), step.probability);
      }
      if (--unread[step.source] == 0) std::vector<Histogram>().swap(live[step.source]);
    }
    if (graph.ending[v] > 0)
      for (std::size_t q = 0; q < here.size(); ++q) {
        const auto end = product.end[static_cast<std::size_t>(product.end_begin[v]) + q];
        for (std::size_t k = 0; k < here[q].probability.size(); ++k)
          if (here[q].probability[k] > 0)
            outcomes[{end.cost + here[q].least + static_cast<std::int64_t>(k), end.reference}] +=
                graph.ending[v] * here[q].probability[k];
      }
    if (unread[v] == 0) std::vector<Histogram>().swap(here);
  }
  return outcomes;
}

// The derivative of the mean with respect to the log weight of each arc and of each end. It is the probability of the
// arc times how much larger the mean is over the paths that pass it.
struct MeanGradient {
  std::vector<double> arc, ending;
};

template <typename Columns>
MeanGradient gradient_of(const StepGraph& graph, const ColumnStates<Columns>& space,
                         const Product<typename Columns::Value>& product, const Moments& moments,
                         const double* transition) {
  auto after = filled<double>(product.probability.size(), 0);  // by state: the mean of what is still to come
  std::vector<double> by_step(graph.steps.size());             // by step: the excess over the mean of all its paths
  MeanGradient gradient{std::vector<double>(graph.step_of.size()), std::vector<double>(static_cast<std::size_t>(graph.states))};
  for (auto v = graph.states; v-- > 0;) {
    const auto first = product.begin[v], count = product.begin[v + 1] - first;
    const auto excess = [&](std::int64_t q, double rest) {
      return moments.before[first + q] + product.probability[first + q] * (rest - moments.mean);
    };
    if (graph.ending[v] > 0)
      for (std::int64_t q = 0; q < count; ++q) {
        const double value = space.value(product.end[product.end_begin[v] + q]);
        after[first + q] += graph.ending[v] * value;
        gradient.ending[v] += graph.ending[v] * excess(q, value);
      }
    for (auto out = graph.from[v]; out < graph.from[v + 1]; ++out) {
      const auto e = graph.out_of[out];
      const auto& step = graph.steps[e];
      poll(count * 4);
      for (std::int64_t q = 0; q < count; ++q) {
        const auto edge = product.edge[e] + q;
        const double rest = static_cast<double>(product.growth(edge)) + after[product.to(step, edge)];
        after[first + q] += step.probability * rest;
        by_step[e] += excess(q, rest);
      }
    }
  }
  for (std::size_t a = 0; a < graph.step_of.size(); ++a)
    if (graph.step_of[a] >= 0) gradient.arc[a] = transition[a] * by_step[graph.step_of[a]];
  return gradient;
}

}  // namespace latticemetric
