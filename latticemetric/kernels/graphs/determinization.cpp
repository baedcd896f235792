#include "graphs/determinization.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "memory/bits.hpp"
#include "memory/budget.hpp"

namespace latticemetric {
namespace {

using Units = std::int64_t;  // a cost, as a multiple of the unit
constexpr Units never = std::numeric_limits<Units>::max();

std::uint64_t hashed_with(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

// Numbers of things by their hashes: a hash table with open addressing. The caller keeps the things and compares them.
class HashedNumbers {
 public:
  // Returns the number of a thing with this hash, for which `is_same(number)` holds; if there is none, adds `next`.
  template <typename IsSame>
  std::int32_t find(std::uint64_t hash, std::int32_t next, IsSame is_same) {
    auto at = hash & mask();
    for (; entries_[at].number != none; at = (at + 1) & mask())
      if (entries_[at].hash == hash && is_same(entries_[at].number)) return entries_[at].number;
    entries_[at] = {hash, next};
    if (2 * ++size_ > entries_.size()) grow();
    return next;
  }

 private:
  static constexpr std::int32_t none = -1;
  struct Entry {
    std::uint64_t hash = 0;
    std::int32_t number = none;
  };

  std::size_t mask() const { return entries_.size() - 1; }

  void grow() {
    std::vector<Entry> before(2 * entries_.size());
    before.swap(entries_);
    poll(static_cast<std::int64_t>(2 * before.size()));
    for (const Entry& entry : before) {
      auto at = entry.hash & mask();
      while (entries_[at].number != none) at = (at + 1) & mask();
      if (entry.number != none) entries_[at] = entry;
    }
  }

  std::vector<Entry> entries_ = std::vector<Entry>(64);
  std::size_t size_ = 0;
};

// ---- Costs --------------------------------------------------------------------------------------------------------

// What each arc, and each end, adds to the cost of the best way from its state to an end. Nothing is negative, and at
// each state something adds nothing.
struct AddedCosts {
  std::vector<Units> arc;    // `never` where no end follows
  std::vector<Units> final;  // by state; `never` where it is not final
  double unit;
  double best;  // the cost of the best path
};

AddedCosts added_costs(const Lattice& lattice, double unit) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const auto *const source = lattice.source, *const target = lattice.target;
  const auto states = static_cast<std::size_t>(lattice.states);
  poll(20 * lattice.arcs);
  std::vector<double> least(lattice.final_cost, lattice.final_cost + states);  // of the best way to an end
  for (auto a = lattice.arcs; a-- > 0;)
    least[source[a]] = std::min(least[source[a]], lattice.cost[a] + least[target[a]]);
  std::vector<double> arc(static_cast<std::size_t>(lattice.arcs), infinite), final(states, infinite);
  std::vector<double> most(states, 0);  // of all ways to an end
  for (std::size_t s = 0; s < states; ++s)
    if (lattice.final_cost[s] < infinite) most[s] = final[s] = lattice.final_cost[s] - least[s];
  for (auto a = lattice.arcs; a-- > 0;) {
    if (least[target[a]] == infinite) continue;
    arc[a] = lattice.cost[a] + least[target[a]] - least[source[a]];
    most[source[a]] = std::max(most[source[a]], arc[a] + most[target[a]]);
  }
  int exponent = 0;
  std::frexp(std::min(most[0], std::numeric_limits<double>::max()), &exponent);
  unit = std::max(unit, std::ldexp(1.0, exponent - 60));  // so that the sum of any path has 61 bits at most
  const auto in_units = [unit](const std::vector<double>& costs) {
    std::vector<Units> units(costs.size(), never);
    for (std::size_t k = 0; k < costs.size(); ++k)
      if (costs[k] < infinite) units[k] = static_cast<Units>(std::rint(costs[k] / unit));
    return units;
  };
  return {in_units(arc), in_units(final), unit, least[0]};
}

// ---- Determinization ----------------------------------------------------------------------------------------------

// A lattice in which no two arcs from a state have the same word. State 0 is the start.
struct Deterministic {
  std::vector<std::int64_t> begin{0};  // where the arcs of each state begin; they are sorted by word
  std::vector<std::int32_t> target, word;
  std::vector<Units> cost;
  std::vector<Units> final;  // by state

  std::int32_t states() const { return static_cast<std::int32_t>(final.size()); }
  void end_state(Units final_cost) {
    begin.push_back(static_cast<std::int64_t>(target.size()));
    final.push_back(final_cost);
  }
  void add_arc(std::int32_t to, std::int32_t by, Units costs) {
    target.push_back(to);
    word.push_back(by);
    cost.push_back(costs);
  }
};

// A state of the result is a subset of the states: those that its strings lead to, each with its residual, what the
// best path there costs more than the best path of the string (Mohri 1997). A subset has no states that only ε leaves:
// it has the states behind them instead.
class SubsetConstruction {
 public:
  SubsetConstruction(const Lattice& lattice, const AddedCosts& added)
      : lattice_(lattice), added_(added), arc_begin_(arc_begins(lattice)),
        has_epsilon_(static_cast<std::size_t>(lattice.states)), is_kept_(static_cast<std::size_t>(lattice.states)),
        residual_(static_cast<std::size_t>(lattice.states), never) {
    for (std::int64_t a = 0; a < lattice.arcs; ++a)
      if (added.arc[a] != never) (lattice.label[a] == 0 ? has_epsilon_ : is_kept_)[lattice.source[a]] = true;
    for (std::int32_t s = 0; s < lattice.states; ++s) is_kept_[s] |= static_cast<std::uint8_t>(added.final[s] != never);
  }

  Deterministic run() {
    subset_ = {{0, 0}};
    number_of_subset();
    for (std::int32_t number = 0; number < static_cast<std::int32_t>(begin_.size()) - 1; ++number) follow(number);
    return std::move(found_);
  }

 private:
  struct Member {
    std::int32_t state;
    Units residual;
    bool operator==(const Member& other) const { return state == other.state && residual == other.residual; }
  };
  struct Step {
    std::uint64_t key;  // its word, then its target
    Units cost;
    std::int32_t word() const { return static_cast<std::int32_t>(key >> 32); }
    std::int32_t target() const { return static_cast<std::int32_t>(key); }
  };

  // Adds the arcs of a subset, and the subsets that they lead to.
  void follow(std::int32_t number) {
    Units final = never;
    steps_.clear();
    for (auto m = begin_[number]; m < begin_[number + 1]; ++m) {
      const auto [s, residual] = members_[m];
      if (added_.final[s] != never) final = std::min(final, residual + added_.final[s]);
      for (auto a = arc_begin_[s]; a < arc_begin_[s + 1]; ++a)
        if (lattice_.label[a] != 0 && added_.arc[a] != never)
          steps_.push_back({pair_key(lattice_.label[a], lattice_.target[a]), residual + added_.arc[a]});
    }
    poll(static_cast<std::int64_t>(20 * steps_.size()));
    std::sort(steps_.begin(), steps_.end(),
              [](const Step& a, const Step& b) { return a.key != b.key ? a.key < b.key : a.cost < b.cost; });
    for (std::size_t k = 0; k < steps_.size();) k = follow_word(k);
    found_.end_state(final);
  }

  // Turns all steps by one word, from step `first` on, into one arc. Returns where the steps by the next word begin.
  std::size_t follow_word(std::size_t first) {
    const auto word = steps_[first].word();
    std::size_t end = first;
    Units least = never;
    for (; end < steps_.size() && steps_[end].word() == word; ++end) least = std::min(least, steps_[end].cost);
    subset_.clear();
    for (auto k = first; k < end; ++k)
      if (subset_.empty() || subset_.back().state != steps_[k].target())
        subset_.push_back({steps_[k].target(), steps_[k].cost - least});
    found_.add_arc(number_of_subset(), word, least);
    return end;
  }

  std::int32_t number_of_subset() {
    close();
    std::uint64_t hash = 0;
    for (const auto& [state, residual] : subset_)
      hash = hashed_with(hashed_with(hash, static_cast<std::uint64_t>(state)), static_cast<std::uint64_t>(residual));
    const auto next = begin_.size() - 1;
    if (next == std::numeric_limits<std::int32_t>::max()) throw TooLarge("the determinized lattice has too many states");
    const auto number = numbers_.find(hash, static_cast<std::int32_t>(next), [this](auto one) { return is_subset(one); });
    if (number == static_cast<std::int32_t>(next)) {
      members_.insert(members_.end(), subset_.begin(), subset_.end());
      begin_.push_back(members_.size());
    }
    return number;
  }

  bool is_subset(std::int32_t number) const {
    return begin_[number + 1] - begin_[number] == subset_.size() &&
           std::equal(subset_.begin(), subset_.end(), members_.begin() + static_cast<std::ptrdiff_t>(begin_[number]));
  }

  // Adds the states that ε leads to, and drops those that only ε leaves. States are taken from the smallest on: ε leads
  // to larger ones, so the residual of the smallest is known.
  void close() {
    if (std::none_of(subset_.begin(), subset_.end(), [this](const Member& m) { return has_epsilon_[m.state]; })) return;
    for (const auto& [state, residual] : subset_) reach(state, residual);
    subset_.clear();
    while (!open_.empty()) {
      std::pop_heap(open_.begin(), open_.end(), std::greater<>());
      const auto s = open_.back();
      open_.pop_back();
      const auto residual = std::exchange(residual_[s], never);
      if (is_kept_[s]) subset_.push_back({s, residual});
      if (!has_epsilon_[s]) continue;
      poll(arc_begin_[s + 1] - arc_begin_[s]);
      for (auto a = arc_begin_[s]; a < arc_begin_[s + 1]; ++a)
        if (lattice_.label[a] == 0 && added_.arc[a] != never) reach(lattice_.target[a], residual + added_.arc[a]);
    }
  }

  void reach(std::int32_t state, Units residual) {
    if (residual_[state] == never) {
      open_.push_back(state);
      std::push_heap(open_.begin(), open_.end(), std::greater<>());
    }
    residual_[state] = std::min(residual_[state], residual);
  }

  const Lattice& lattice_;
  const AddedCosts& added_;
  const std::vector<std::int64_t> arc_begin_;
  std::vector<std::uint8_t> has_epsilon_;  // by state: whether ε leaves it
  std::vector<std::uint8_t> is_kept_;      // by state: whether it is final, or a word leaves it
  std::vector<Member> members_;            // of all subsets, one after the other
  std::vector<std::size_t> begin_{0};      // where the members of each subset begin
  HashedNumbers numbers_;
  std::vector<Member> subset_;
  std::vector<Step> steps_;
  std::vector<Units> residual_;     // by state, while a subset is closed
  std::vector<std::int32_t> open_;  // a heap of the states that are not taken yet
  Deterministic found_;
};

// ---- Minimization -------------------------------------------------------------------------------------------------

// Returns the states in topological order: as soon as all arcs into them have been seen, along words from the start on.
std::vector<std::int32_t> topological_order(const Deterministic& lattice) {
  const auto states = static_cast<std::size_t>(lattice.states());
  std::vector<std::int32_t> unseen(states, 0), order{0};
  order.reserve(states);
  for (const auto t : lattice.target) ++unseen[t];
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto s = order[k];
    poll(2 * (lattice.begin[s + 1] - lattice.begin[s]));
    for (auto a = lattice.begin[s]; a < lattice.begin[s + 1]; ++a)
      if (--unseen[lattice.target[a]] == 0) order.push_back(lattice.target[a]);
  }
  return order;
}

// Merges states from which the same strings cost the same. As costs are those that arcs add, such states have arcs of
// the same words, costs and merged targets. State 0 of the result is still the start.
Deterministic merged(const Deterministic& lattice) {
  const auto order = topological_order(lattice);
  std::vector<std::int32_t> merged_state(order.size()), first;  // of each state, its merged state, and back
  HashedNumbers numbers;
  const auto are_alike = [&](std::int32_t s, std::int32_t other) {
    const auto begin = lattice.begin[s], count = lattice.begin[s + 1] - begin, difference = lattice.begin[other] - begin;
    if (lattice.final[s] != lattice.final[other] || lattice.begin[other + 1] - lattice.begin[other] != count) return false;
    for (auto a = begin; a < begin + count; ++a) {
      const auto b = a + difference;
      if (lattice.word[a] != lattice.word[b] || lattice.cost[a] != lattice.cost[b]) return false;
      if (merged_state[lattice.target[a]] != merged_state[lattice.target[b]]) return false;
    }
    return true;
  };
  for (auto place = order.rbegin(); place != order.rend(); ++place) {
    const auto s = *place;
    auto hash = hashed_with(0, static_cast<std::uint64_t>(lattice.final[s]));
    poll(10 * (lattice.begin[s + 1] - lattice.begin[s]));
    for (auto a = lattice.begin[s]; a < lattice.begin[s + 1]; ++a) {
      hash = hashed_with(hash, pair_key(lattice.word[a], merged_state[lattice.target[a]]));
      hash = hashed_with(hash, static_cast<std::uint64_t>(lattice.cost[a]));
    }
    const auto next = static_cast<std::int32_t>(first.size());
    merged_state[s] = numbers.find(hash, next, [&](std::int32_t other) { return are_alike(s, first[other]); });
    if (merged_state[s] == next) first.push_back(s);
  }
  // The start was the last one.
  const auto last = static_cast<std::int32_t>(first.size()) - 1;
  Deterministic found;
  for (auto state = first.rbegin(); state != first.rend(); ++state) {
    for (auto a = lattice.begin[*state]; a < lattice.begin[*state + 1]; ++a)
      found.add_arc(last - merged_state[lattice.target[a]], lattice.word[a], lattice.cost[a]);
    found.end_state(lattice.final[*state]);
  }
  return found;
}

// Returns the arcs of a lattice, with its states in topological order. The best cost is added at the start.
WeightedArcs weighted_arcs(const Deterministic& lattice, const AddedCosts& added) {
  const auto order = topological_order(lattice);
  std::vector<std::int32_t> rank(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) rank[order[k]] = static_cast<std::int32_t>(k);
  const auto cost = [&](Units units, std::int32_t s) {
    return static_cast<double>(units) * added.unit + (s == 0 ? added.best : 0);
  };
  WeightedArcs found;
  for (const auto s : order) {
    poll(4 * (lattice.begin[s + 1] - lattice.begin[s]));
    for (auto a = lattice.begin[s]; a < lattice.begin[s + 1]; ++a) {
      found.source.push_back(rank[s]);
      found.target.push_back(rank[lattice.target[a]]);
      found.word.push_back(lattice.word[a]);
      found.cost.push_back(cost(lattice.cost[a], s));
    }
    const bool is_final = lattice.final[s] != never;
    found.final_cost.push_back(is_final ? cost(lattice.final[s], s) : std::numeric_limits<double>::infinity());
  }
  return found;
}

}  // namespace

WeightedArcs determinize(const Lattice& lattice, double unit) {
  const auto added = added_costs(lattice, unit);
  return weighted_arcs(merged(SubsetConstruction(lattice, added).run()), added);
}

}  // namespace latticemetric
