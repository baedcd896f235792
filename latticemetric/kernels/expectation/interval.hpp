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

// Keeps only a limited number of states at each node, the heaviest ones. Each other state is replaced by one of those
// that are kept, plus an offset: for the lower bound, the largest offset for which the sum never costs more than the
// state; for the upper bound, the smallest one for which it never costs less. A column with smaller entries costs no
// more, whatever follows.
//
// Which of the kept states is closest is judged by the expected cost of a policy that reads the following words and sees
// only the next one. This is never less than the cost of the best alignment. So for the upper bound, entries that the
// policy has no use for may be raised, and a state that is close to none may count with the policy's cost.
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
    slack_ = most_slack;
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
      if (!from_below && table.size() > most) raise_lightest(v, most, table, here);
      if (table.size() > most) total += replace_lightest(from_below, v, most, table, here);
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

  // Raises entries of the lightest states, more and more of them, until there are at most `most` states, if possible.
  void raise_lightest(std::int32_t node, std::size_t most, ColumnTable& table, std::vector<Mass>& masses) {
    const auto order = heaviest_first(masses, most / 2);
    ColumnTable raised(space_.width());
    std::vector<Mass> found;
    std::vector<PackedColumn> state(space_.width() + 1);
    // Starts a little higher than was enough at the node before.
    slack_ = std::min(slack_ + slack_step, most_slack);
    for (;; slack_ -= slack_step) {
      const bool is_last = slack_ < least_slack + slack_step;
      raised.clear();
      found.clear();
      for (std::size_t k = 0; k < order.size() && (is_last || found.size() <= most); ++k) {
        poll(static_cast<std::int64_t>(space_.width()) * 40);
        std::copy_n(table.row(order[k]), space_.width(), state.begin());
        auto mass = masses[order[k]];
        if (k >= most / 2) {
          const auto grown = space_.changed(state.data(), [&](std::size_t r, T* entry) {
            raise(r, node, entry);
            space_.dominance(r).lower(node, entry);
          });
          mass.base += mass.probability * weight_of(grown);
        }
        add(raised, found, state.data(), mass);
      }
      if (is_last || found.size() <= most) break;
    }
    table = std::move(raised);
    masses = std::move(found);
  }

  // Raises the entries that lie more than `slack_` above the best one, with what follows.
  void raise(std::size_t reference, std::int32_t node, T* entry) const {
    const auto& columns = space_.references()[reference];
    const auto entries = static_cast<std::size_t>(columns.entries());
    const double* rest = after(reference, node);
    const double most = best_cost(entry, rest, entries) + slack_ * static_cast<double>(columns.unit()) + 1e-9;
    for (std::size_t i = 0; i < entries; ++i)
      if (static_cast<double>(entry[i]) + rest[i] > most) entry[i] = unreachable;
  }

  // Returns what the policy expects to pay from each entry to the end.
  const double* after(std::size_t reference, std::int32_t node) const {
    const auto entries = space_.references()[reference].entries();
    return &policies_[reference][static_cast<std::size_t>(node * entries)];
  }

  static double best_cost(const T* entry, const double* rest, std::size_t entries) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < entries; ++i) least = std::min(least, static_cast<double>(entry[i]) + rest[i]);
    return least;
  }

  struct Unpacked {
    std::vector<T> entry;            // those of each reference after those of the one before
    std::vector<std::int64_t> base;  // by reference
    double cost;                     // that the policy expects, with what follows
  };

  void unpack(const PackedColumn* state, std::int32_t node, Unpacked& unpacked) const {
    unpacked.entry.clear();
    unpacked.base.clear();
    unpacked.cost = std::numeric_limits<double>::infinity();
    for (std::size_t r = 0; r < policies_.size(); ++r) {
      const auto& columns = space_.references()[r];
      const auto entries = static_cast<std::size_t>(columns.entries());
      unpacked.entry.resize(unpacked.entry.size() + entries);
      T* entry = unpacked.entry.data() + unpacked.entry.size() - entries;
      columns.unpack(space_.column(state, r), entry);
      unpacked.base.push_back(space_.base(state, r));
      const double cost = best_cost(entry, after(r, node), entries) + static_cast<double>(unpacked.base.back());
      unpacked.cost = std::min(unpacked.cost, cost / divisor(r));
    }
  }

  // Returns what must be added to the second state at least so that it never costs less than the first.
  double offset_of(const Unpacked& state, const Unpacked& other) const {
    double offset = -std::numeric_limits<double>::infinity();
    const T *entry = state.entry.data(), *other_entry = other.entry.data();
    for (std::size_t r = 0; r < policies_.size(); ++r) {
      const auto entries = space_.references()[r].entries();
      T most = std::numeric_limits<T>::lowest();
      for (std::int64_t i = 0; i < entries; ++i) most = std::max<T>(most, entry[i] - other_entry[i]);
      const auto base = state.base[r] - other.base[r];
      offset = std::max(offset, static_cast<double>(static_cast<std::int64_t>(most) + base) / divisor(r));
      entry += entries;
      other_entry += entries;
    }
    return offset;
  }

  // Keeps only the heaviest states. Returns what the policy expects of those that are replaced by none of them.
  double replace_lightest(bool from_below, std::int32_t node, std::size_t most, ColumnTable& table,
                          std::vector<Mass>& masses) {
    const auto order = heaviest_first(masses, most);
    ColumnTable kept(space_.width());
    std::vector<Mass> found;
    for (std::size_t k = 0; k < most; ++k) add(kept, found, table.row(order[k]), masses[order[k]]);
    std::vector<Unpacked> models(std::min(most, most_models));
    for (std::size_t k = 0; k < models.size(); ++k) unpack(kept.row(k), node, models[k]);
    const auto entries = static_cast<std::int64_t>(models.front().entry.size());
    double given_up = 0;
    Unpacked state;
    for (std::size_t k = most; k < order.size(); ++k) {
      poll(static_cast<std::int64_t>(models.size()) * (entries / 8 + 4));
      const auto mass = masses[order[k]];
      unpack(table.row(order[k]), node, state);
      std::size_t best = models.size();
      // The policy pays more than the best alignment, so for an upper bound it may seem to be the better choice.
      double closest = patience(), best_offset = 0;
      if (from_below) closest = std::numeric_limits<double>::infinity();
      for (std::size_t m = 0; m < models.size(); ++m) {
        const double offset = from_below ? -offset_of(models[m], state) : offset_of(state, models[m]);
        const double distance = std::fabs(models[m].cost + offset - state.cost);
        if (distance >= closest) continue;
        best = m;
        closest = distance;
        best_offset = offset;
      }
      if (best == models.size()) {
        given_up += mass.base + mass.probability * state.cost;
      } else {
        found[best].probability += mass.probability;
        found[best].base += mass.base + mass.probability * best_offset;
      }
    }
    table = std::move(kept);
    masses = std::move(found);
    return given_up;
  }

  // Returns by how much more than the policy's cost a state may count for an upper bound: what follows is likely to cost
  // that much less.
  double patience() const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t r = 0; r < policies_.size(); ++r)
      least = std::min(least, 0.5 * static_cast<double>(space_.references()[r].unit()) / divisor(r));
    return least;
  }

  // How far entries may lie above the best one, with what follows, in units of costs.
  static constexpr double most_slack = 8, slack_step = 0.5, least_slack = 1;
  static constexpr std::size_t most_models = 128;
  static constexpr T unreachable = std::numeric_limits<T>::max() / 2;

  const StepGraph& graph_;
  const ColumnStates<Columns>& space_;
  std::vector<std::vector<double>> policies_;
  double slack_ = most_slack;
};

// Keeps more and more states per node as long as that narrows the interval, within the effort.
template <typename Columns>
Interval interval_of(const StepGraph& graph, const ColumnStates<Columns>& space, const Effort& effort) {
  constexpr std::size_t first = 16, more = 8;
  // Each state is made several times here. So a quarter of the states takes about as long as the search for the exact
  // value.
  const auto share = effort.states / 4 / std::max(graph.states, 1);
  const auto largest = std::max(first, static_cast<std::size_t>(share));
  IntervalSearch<Columns> search(graph, space);
  auto interval = search.outermost();
  for (std::size_t most = first;; most = std::min(most * more, largest)) {
    const bool is_first = most == first;  // the first bounds are computed without a time limit
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
