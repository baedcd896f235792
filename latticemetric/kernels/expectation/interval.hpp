// An interval that certainly holds the expectation, for products of lattice and references that are too large.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <numeric>
#include <optional>
#include <vector>

#include "expectation/column_states.hpp"
#include "expectation/column_table.hpp"
#include "expectation/product.hpp"
#include "expectation/step_graph.hpp"
#include "memory/budget.hpp"

namespace latticemetric {

struct Interval {
  double low, high;
  double width() const { return high - low; }
};

// Keeps only a limited number of states at each node. For the lower bound, the lightest states are lowered until enough
// of them are equal: a column with smaller entries costs no more, whatever follows. For the upper bound, the lightest
// states are given up. Each then counts with the expected cost of a policy that reads the following words and sees only
// the next one, which is never less than the cost of the best alignment.
template <typename Columns>
class IntervalSearch {
 public:
  using T = typename Columns::Value;

  IntervalSearch(const StepGraph& graph, const ColumnStates<Columns>& space) : graph_(graph), space_(space) {
    for (const auto& columns : space.references()) policies_.push_back(policy(columns));
  }

  // Returns an interval that holds the value of every string: from a lower bound of the least to an upper bound of the
  // largest.
  Interval outermost() const {
    const double never = std::numeric_limits<double>::infinity();
    Interval interval{never, never};
    std::vector<PackedColumn> state(space_.width() + 1);
    const auto start = static_cast<double>(space_.start(state.data()));
    std::vector<T> entry;
    for (std::size_t k = 0; k < space_.references().size(); ++k) {
      const T *least = space_.dominance(k).least(0), *largest = space_.dominance(k).largest(0);
      entry.resize(static_cast<std::size_t>(space_.references()[k].entries()));
      space_.references()[k].unpack(space_.column(state.data(), k), entry.data());
      double low = never, high = never;
      for (std::size_t i = 0; i < entry.size(); ++i) {
        low = std::min(low, static_cast<double>(entry[i]) + static_cast<double>(least[i]));
        high = std::min(high, static_cast<double>(entry[i]) + static_cast<double>(largest[i]));
      }
      const double base = static_cast<double>(space_.base(state.data(), k)) + (space_.is_relative() ? start : 0);
      interval.low = std::min(interval.low, (low + base) / divisor(k));
      interval.high = std::min(interval.high, (high + base) / divisor(k));
    }
    return interval;
  }

  // Returns the lower or the upper bound with at most `most` states at each node; nothing if the time runs out first.
  std::optional<double> bound(bool from_below, std::size_t most, const Effort* effort) {
    const auto nodes = static_cast<std::size_t>(graph_.states);
    std::vector<std::vector<PackedColumn>> live(nodes);
    std::vector<std::vector<Mass>> masses(nodes);
    std::vector<std::int64_t> unread(nodes);
    ColumnTable table(space_.width());
    std::vector<PackedColumn> state(space_.width() + 1);
    const auto width = static_cast<std::int64_t>(space_.width());
    double total = 0;
    above_ = farthest;
    for (std::int32_t v = 0; v < graph_.states; ++v) {
      unread[v] = graph_.from[v + 1] - graph_.from[v];
      auto& here = masses[v];
      table.clear();
      if (v == 0) {
        auto grown = space_.start(state.data());
        grown += space_.lower(state.data(), 0);
        add(table, here, state.data(), {1, static_cast<double>(grown)});
      }
      for (auto e = graph_.into[v]; e < graph_.into[v + 1]; ++e) {
        const auto& step = graph_.steps[e];
        for (std::size_t q = 0; q < masses[step.source].size(); ++q) {
          poll(width * 40);
          std::copy_n(live[step.source].begin() + static_cast<std::int64_t>(q) * width, width, state.begin());
          const auto mass = masses[step.source][q];
          auto grown = space_.step(state.data(), step.word);
          grown += space_.lower(state.data(), v);
          const double p = mass.probability * step.probability;
          add(table, here, state.data(), {p, mass.base * step.probability + p * weight_of(grown)});
        }
        if (--unread[step.source] == 0) {
          std::vector<PackedColumn>().swap(live[step.source]);
          std::vector<Mass>().swap(masses[step.source]);
        }
      }
      if (effort != nullptr && effort->is_over()) return std::nullopt;
      if (table.size() > most) {
        if (from_below)
          lower_lightest(v, most, table, here);
        else
          total += give_up_lightest(v, most, table, here);
      }
      if (graph_.ending[v] > 0)
        for (std::size_t q = 0; q < here.size(); ++q)
          total += graph_.ending[v] * (here[q].base + here[q].probability * space_.value(space_.end(table.row(q))));
      if (unread[v] > 0) {
        live[v] = table.take();
      } else {
        std::vector<Mass>().swap(here);
      }
    }
    return total;
  }

 private:
  struct Mass {
    double probability, base;  // of the paths to a state; the sum of probability times base over them
  };

  double divisor(std::size_t k) const { return space_.is_relative() ? 1 : static_cast<double>(space_.sizes()[k]); }
  // Returns the weight of a growth of the base; bases that stay in the states have none.
  double weight_of(std::int64_t grown) const { return space_.is_relative() ? static_cast<double>(grown) : 0; }

  static void add(ColumnTable& table, std::vector<Mass>& masses, const PackedColumn* state, Mass mass) {
    const auto number = table.add(state);
    if (number == masses.size()) masses.push_back({0, 0});
    masses[number].probability += mass.probability;
    masses[number].base += mass.base;
  }

  // Returns the expected cost to the end, from each node and entry, of the best choices that know only the next word.
  std::vector<double> policy(const Columns& columns) const {
    const auto entries = static_cast<std::size_t>(columns.entries());
    auto expected = filled<double>(static_cast<std::size_t>(graph_.states) * entries, 0);
    Moves<T> moves;
    for (auto v = graph_.states; v-- > 0;) {
      double* here = &expected[static_cast<std::size_t>(v) * entries];
      if (graph_.ending[v] > 0)
        for (std::size_t i = 0; i < entries; ++i)
          here[i] += graph_.ending[v] * static_cast<double>(columns.ending(static_cast<std::int64_t>(i)));
      for (auto out = graph_.from[v]; out < graph_.from[v + 1]; ++out) {
        const auto& step = graph_.steps[graph_.out_of[out]];
        const double* after = &expected[static_cast<std::size_t>(step.target) * entries];
        poll(static_cast<std::int64_t>(entries * 4));
        if (step.word != no_word) columns.moves(step.word, moves);
        for (std::size_t i = 0; i < entries; ++i) {
          double least = after[i];
          if (step.word != no_word) {
            least = std::numeric_limits<double>::infinity();
            for (auto m = moves.begin[i]; m < moves.begin[i + 1]; ++m)
              least = std::min(least, static_cast<double>(moves.all[m].cost) + after[moves.all[m].entry]);
          }
          here[i] += step.probability * least;
        }
      }
    }
    return expected;
  }

  static std::vector<std::size_t> heaviest_first(const std::vector<Mass>& masses, std::size_t most) {
    std::vector<std::size_t> order(masses.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(),
                     [&](auto a, auto b) {
                       if (masses[a].probability != masses[b].probability)
                         return masses[a].probability > masses[b].probability;
                       return a < b;
                     });
    return order;
  }

  void lower_lightest(std::int32_t node, std::size_t most, ColumnTable& table, std::vector<Mass>& masses) {
    // How far entries may lie above the smallest one. Starts a little further than was enough at the node before.
    for (T above = std::min<T>(above_ + 1, farthest);; --above) {
      above_ = above;
      const auto order = heaviest_first(masses, most / 2);
      ColumnTable lowered(space_.width());
      std::vector<Mass> found;
      std::vector<PackedColumn> state(space_.width() + 1);
      for (std::size_t k = 0; k < order.size(); ++k) {
        poll(static_cast<std::int64_t>(space_.width()) * 40);
        std::copy_n(table.row(order[k]), space_.width(), state.begin());
        auto mass = masses[order[k]];
        if (k >= most / 2) {
          auto grown = space_.changed(state.data(), [&](std::size_t r, T* entry) {
            const auto& columns = space_.references()[r];
            const T limit = *std::min_element(entry, entry + columns.entries()) + above * columns.unit();
            for (std::int64_t i = 0; i < columns.entries(); ++i) entry[i] = std::min(entry[i], limit);
          });
          grown += space_.lower(state.data(), node);
          mass.base += mass.probability * weight_of(grown);
        }
        add(lowered, found, state.data(), mass);
      }
      table = std::move(lowered);
      masses = std::move(found);
      if (masses.size() <= most) return;
      if (above == 0) break;
    }
    // With several references, columns may still differ in their bases. Then one state with the smallest entries of all
    // stands for the lightest states.
    const auto order = heaviest_first(masses, most / 2);
    ColumnTable merged(space_.width());
    std::vector<Mass> found;
    for (std::size_t k = 0; k < most / 2; ++k) add(merged, found, table.row(order[k]), masses[order[k]]);
    std::vector<PackedColumn> rest(table.row(order[most / 2]), table.row(order[most / 2]) + space_.width());
    std::int64_t grown = 0;
    Mass mass{0, 0};
    for (std::size_t k = most / 2; k < order.size(); ++k) {
      mass.probability += masses[order[k]].probability;
      mass.base += masses[order[k]].base;
      if (k > most / 2) grown += merge(rest, table.row(order[k]), grown);
    }
    mass.base += mass.probability * weight_of(grown);
    add(merged, found, rest.data(), mass);
    table = std::move(merged);
    masses = std::move(found);
  }

  // Merges another state into one whose base has grown by `grown` already. Returns by how much it grows now.
  std::int64_t merge(std::vector<PackedColumn>& state, const PackedColumn* other, std::int64_t grown) const {
    return space_.merge_least(state.data(), other, space_.is_relative() ? -grown : 0);
  }

  double give_up_lightest(std::int32_t node, std::size_t most, ColumnTable& table, std::vector<Mass>& masses) {
    const auto order = heaviest_first(masses, most);
    ColumnTable kept(space_.width());
    std::vector<Mass> found;
    double given_up = 0;
    std::vector<T> entry;
    for (std::size_t k = 0; k < order.size(); ++k) {
      const auto mass = masses[order[k]];
      const auto* state = table.row(order[k]);
      if (k < most) {
        add(kept, found, state, mass);
        continue;
      }
      double cost = std::numeric_limits<double>::infinity();
      for (std::size_t r = 0; r < policies_.size(); ++r) {
        entry.resize(static_cast<std::size_t>(space_.references()[r].entries()));
        space_.references()[r].unpack(space_.column(state, r), entry.data());
        poll(static_cast<std::int64_t>(entry.size()));
        const double* after = &policies_[r][static_cast<std::size_t>(node) * entry.size()];
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < entry.size(); ++i)
          least = std::min(least, static_cast<double>(entry[i]) + after[i]);
        cost = std::min(cost, (least + static_cast<double>(space_.base(state, r))) / divisor(r));
      }
      given_up += mass.base + mass.probability * cost;
    }
    table = std::move(kept);
    masses = std::move(found);
    return given_up;
  }

  static constexpr T farthest = 8;

  const StepGraph& graph_;
  const ColumnStates<Columns>& space_;
  std::vector<std::vector<double>> policies_;
  T above_ = farthest;
};

// Keeps more and more states per node as long as that narrows the interval, within the effort.
template <typename Columns>
Interval interval_of(const StepGraph& graph, const ColumnStates<Columns>& space, const Effort& effort) {
  constexpr std::size_t first = 16, more = 8;
  // Each state is made several times here. So a quarter of the states takes about as long as the search for the exact
  // value.
  const auto share = effort.states / 4 / std::max(graph.states, 1);
  const auto largest = static_cast<std::size_t>(std::max<std::int64_t>(2, share));
  IntervalSearch<Columns> search(graph, space);
  auto interval = search.outermost();
  for (std::size_t most = std::min(first, largest);; most = std::min(most * more, largest)) {
    const bool is_first = most <= first;  // the first bounds are computed without a time limit
    std::optional<double> low, high;
    try {
      low = search.bound(true, most, is_first ? nullptr : &effort);
      if (low) high = search.bound(false, most, is_first ? nullptr : &effort);
    } catch (const std::bad_alloc&) {
      if (is_first) throw;
    }
    if (low) interval.low = std::max(interval.low, *low);
    if (high) interval.high = std::min(interval.high, *high);
    const double scale = std::max({std::fabs(interval.low), std::fabs(interval.high), 1.0});
    if (!high || most == largest || interval.width() < 1e-12 * scale || effort.is_over()) {
      const double rounding = 1e-12 * scale;  // sums of probabilities are at least this exact
      return {interval.low - rounding, interval.high + rounding};
    }
  }
}

}  // namespace latticemetric
