#include "weighed_strings.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "budget.hpp"
#include "exact_search.hpp"
#include "recognition_search.hpp"
#include "weighed_columns.hpp"

namespace latticemetric {
namespace {

// A*: prefixes of paths are looked at in the order of the least loss that they may come to. One that comes to a state
// of the lattice with a string, or, where one string is as good as another, with a column, that was there before is no
// better than that: bounds never fall along a path, and of equal bounds the smaller arcs go first.
template <typename Gain>
class StringSearch {
  using Columns = WeighedColumns<Gain>;

 public:
  StringSearch(const WeighedLattice& lattice, const Weighing& weighing, SearchLimits limits)
      : lattice_(lattice), ill_(weighing.ill), limits_(limits), automata_(lattice, weighing),
        bounds_(lattice, automata_), columns_(lattice, automata_, weighing.gains),
        store_(static_cast<std::size_t>(automata_.states())), begin_(static_cast<std::size_t>(lattice.states) + 1, 0),
        looked_at_(lattice.states) {
    for (std::int64_t a = 0; a < lattice.arcs; ++a) ++begin_[lattice.source[a] + 1];
    for (std::int32_t v = 0; v < lattice.states; ++v) begin_[v + 1] += begin_[v];
  }

  WeighedStrings run() {
    columns_.start(column_);
    prefixes_.push_back({columns_.bound(column_.data(), bounds_.at(0)), 0, 0, 0, 0, none, start, 0});
    waiting_.push_back(0);
    for (std::int64_t steps = 0; !is_done() && !waiting_.empty(); ++steps) {
      if (steps == limits_.steps || bytes() > limits_.bytes) {
        give_up();
        break;
      }
      look_at(pop());
    }
    if (result_.exact < 0) result_.exact = static_cast<std::int64_t>(result_.arcs.size());
    return std::move(result_);
  }

 private:
  using Number = std::int32_t;
  static constexpr Number none = -1;
  static constexpr std::int64_t start = -1, finish = -1;

  struct Prefix {
    Loss bound;
    std::int64_t cost, words;  // so far
    std::int32_t state;        // of the lattice; none where the path has ended
    std::int32_t string;
    Number parent;
    std::int64_t arc;
    std::int32_t arcs;
  };
  // One that was looked at, with its column.
  struct Seen {
    Number prefix, column;
  };

  bool is_done() const { return static_cast<std::int64_t>(result_.arcs.size()) == limits_.strings; }

  std::size_t bytes() const {
    return prefixes_.capacity() * sizeof(Prefix) + waiting_.capacity() * sizeof(Number) + store_.bytes() +
           (met_.size() + strings_.size() + seen_.size()) * 48 + columns_of_.capacity() * sizeof(Number);
  }

  void look_at(Number number) {
    const Prefix prefix = prefixes_[number];
    if (!met_.insert(pair(prefix.state, prefix.string)).second) return;
    if (prefix.state == none) {
      result_.arcs.push_back(path(number));
      return;
    }
    const Number column = column_of(number);
    if (ill_ && is_surpassed(number, column)) return;
    expand(number, column, [&](Number next) {
      waiting_.push_back(next);
      std::push_heap(waiting_.begin(), waiting_.end(), later());
    });
  }

  // Whether so many strings as are wanted have come here that end no worse, whatever follows.
  bool is_surpassed(Number number, Number column) {
    const std::int32_t state = prefixes_[number].state;
    if (seen_[pair(state, column)]++ >= limits_.strings) return true;
    std::int64_t better = 0;
    auto& others = looked_at_[state];
    for (auto other = others.rbegin(); other != others.rend(); ++other)
      if (surpasses(*other, {number, column}) && ++better >= limits_.strings) return true;
    others.push_back({number, column});
    return false;
  }

  bool surpasses(const Seen& a, const Seen& b) const {
    poll(automata_.states());
    const Prefix &first = prefixes_[a.prefix], &second = prefixes_[b.prefix];
    Loss loss = automata_.price(first.cost, false), other = automata_.price(second.cost, false);
    const auto excess = columns_.excess(store_[a.column], store_[b.column], other.value - loss.value);
    if (!excess) return false;
    loss.value += *excess;
    loss.words = first.words;
    other.words = second.words;
    if (loss < other || other < loss) return loss < other;
    return has_smaller_arcs(a.prefix, b.prefix);
  }

  // Calls visit(next) for each way to go on.
  template <typename Visit>
  void expand(Number number, Number column, Visit visit) {
    const Prefix prefix = prefixes_[number];
    if (lattice_.is_final[prefix.state]) {
      const std::int64_t cost = prefix.cost + lattice_.final_cost[prefix.state];
      visit(add(columns_.ending(store_[column]),
                {{}, cost, prefix.words, none, prefix.string, number, finish, prefix.arcs + 1}));
    }
    for (auto a = begin_[prefix.state]; a < begin_[prefix.state + 1]; ++a) {
      columns_.say(store_[column], a, column_);
      const std::int32_t target = lattice_.target[a];
      const std::int64_t cost = prefix.cost + lattice_.cost[a], words = prefix.words + (lattice_.shown[a] != 0);
      visit(add(columns_.bound(column_.data(), bounds_.at(target)),
                {{}, cost, words, target, longer(prefix.string, lattice_.shown[a]), number, a, prefix.arcs + 1}));
    }
  }

  Number add(Loss completion, Prefix prefix) {
    prefix.bound = automata_.price(prefix.cost, false) + completion;
    prefix.bound.words += prefix.words;
    prefixes_.push_back(prefix);
    return static_cast<Number>(prefixes_.size() - 1);
  }

  // Columns are kept of what was looked at only, which is far less than what waits.
  Number column_of(Number number) {
    const Prefix& prefix = prefixes_[number];
    if (prefix.parent == none)
      columns_.start(column_);
    else
      columns_.say(store_[columns_of_[prefix.parent]], prefix.arc, column_);
    const Number column = store_.add(column_);
    columns_of_.resize(std::max(columns_of_.size(), static_cast<std::size_t>(number) + 1), none);
    return columns_of_[number] = column;
  }

  std::int32_t longer(std::int32_t string, std::int32_t word) {
    if (word == 0) return string;
    return strings_.emplace(pair(string, word), static_cast<std::int32_t>(strings_.size()) + 1).first->second;
  }

  static std::uint64_t pair(std::int32_t a, std::int32_t b) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32 | static_cast<std::uint32_t>(b);
  }

  // ---- Order ------------------------------------------------------------------------------------------------------

  Number pop() {
    std::pop_heap(waiting_.begin(), waiting_.end(), later());
    const Number number = waiting_.back();
    waiting_.pop_back();
    return number;
  }

  auto later() const {
    return [this](Number a, Number b) {
      const Loss &first = prefixes_[a].bound, &second = prefixes_[b].bound;
      if (first < second || second < first) return second < first;
      return has_smaller_arcs(b, a);
    };
  }

  // What begins another path is smaller.
  bool has_smaller_arcs(Number a, Number b) const {
    const std::int32_t arcs_a = prefixes_[a].arcs, arcs_b = prefixes_[b].arcs;
    while (prefixes_[a].arcs > arcs_b) a = prefixes_[a].parent;
    while (prefixes_[b].arcs > arcs_a) b = prefixes_[b].parent;
    if (a == b) return arcs_a < arcs_b;
    while (prefixes_[a].parent != prefixes_[b].parent) {
      a = prefixes_[a].parent;
      b = prefixes_[b].parent;
    }
    return prefixes_[a].arc < prefixes_[b].arc;
  }

  std::vector<std::int64_t> path(Number number) const {
    std::vector<std::int64_t> arcs;
    for (; prefixes_[number].parent != none; number = prefixes_[number].parent)
      if (prefixes_[number].arc != finish) arcs.push_back(prefixes_[number].arc);
    std::reverse(arcs.begin(), arcs.end());
    return arcs;
  }

  // ---- When there are too many prefixes -----------------------------------------------------------------------------

  // What is still wanted is made of the most promising prefixes, each of them completed arc by arc. That need not give
  // a string its cheapest path, nor as many strings as are wanted.
  void give_up() {
    result_.exact = static_cast<std::int64_t>(result_.arcs.size());
    result_.bound = prefixes_[waiting_.front()].bound.value;
    const auto missing = static_cast<std::size_t>(limits_.strings - result_.exact);
    std::vector<Number> completed;
    while (!waiting_.empty() && completed.size() < most_tries + missing &&
           (completed.empty() || bytes() < 2 * limits_.bytes))
      completed.push_back(completed_from(pop()));
    std::sort(completed.begin(), completed.end(), [later = later()](Number a, Number b) { return later(b, a); });
    for (const Number number : completed)
      if (!is_done() && met_.insert(pair(none, prefixes_[number].string)).second) result_.arcs.push_back(path(number));
  }
  static constexpr std::size_t most_tries = 256;

  Number completed_from(Number number) {
    while (prefixes_[number].state != none) {
      const auto next = static_cast<Number>(prefixes_.size());
      Number best = next;
      expand(number, column_of(number), [&](Number other) {
        if (later()(best, other)) best = other;
      });
      prefixes_[next] = prefixes_[best];
      prefixes_.resize(static_cast<std::size_t>(next) + 1);
      number = next;
    }
    return number;
  }

  const WeighedLattice& lattice_;
  const bool ill_;
  const SearchLimits limits_;
  const WeighedAutomata automata_;
  const CompletionBounds bounds_;
  const Columns columns_;
  ColumnStore<Gain> store_;
  std::vector<std::int64_t> begin_;  // of the arcs of each state
  std::vector<Prefix> prefixes_;
  std::vector<Number> columns_of_;   // of prefixes
  std::vector<Number> waiting_;      // a heap
  std::unordered_map<std::uint64_t, std::int32_t> strings_;  // by the string without its last word, and that word
  std::unordered_set<std::uint64_t> met_;                    // states with strings
  std::unordered_map<std::uint64_t, std::int64_t> seen_;     // how many strings, by state and column
  std::vector<std::vector<Seen>> looked_at_;                 // by state
  typename Columns::Column column_;
  WeighedStrings result_{{}, -1, 0};
};

// No sum of gains is larger in size, nor any state of them.
double largest_gain(const WeighedLattice& lattice, const Weighing& weighing) {
  std::size_t words = 1;
  for (const auto& reference : weighing.references) words = std::max(words, reference.words.size() + 1);
  const auto size = [](std::int64_t value) { return std::fabs(static_cast<double>(value)); };
  const Gains& gains = weighing.gains;
  return static_cast<double>(words) * (gains.order * size(gains.unit) + size(gains.beta)) +
         (lattice.states + 1.0) * size(gains.alpha);
}

void require_sums(const WeighedLattice& lattice, const Weighing& weighing) {
  double cost = 0, weight = 0;
  for (std::int64_t a = 0; a < lattice.arcs; ++a)
    cost = std::max(cost, std::fabs(static_cast<double>(lattice.cost[a])));
  for (std::int32_t v = 0; v < lattice.states; ++v)
    if (lattice.is_final[v]) cost = std::max(cost, std::fabs(static_cast<double>(lattice.final_cost[v])));
  cost *= lattice.states;
  for (const auto& reference : weighing.references) weight = std::max(weight, static_cast<double>(reference.weight));
  const double value = static_cast<double>(weighing.cost_weight) * cost + 2 * weight * largest_gain(lattice, weighing);
  if (cost > std::ldexp(1.0, 62) || value > std::ldexp(1.0, 125))
    throw TooLarge("weights and costs are too large to be added up; choose smaller ones");
}

// One string needs no list of strings: the path of least loss against each reference, and the best of them.
WeighedStrings least_loss(const WeighedLattice& lattice, const Weighing& weighing) {
  std::vector<double> ends;
  for (std::int32_t v = 0; v < lattice.states; ++v) ends.push_back(lattice.is_final[v] ? 0 : HUGE_VAL);
  std::vector<std::uint8_t> is_word;
  for (std::int64_t a = 0; a < lattice.arcs; ++a) is_word.push_back(lattice.shown[a] != 0);
  const Graph graph{lattice.states, lattice.arcs,   lattice.source, lattice.target,
                    lattice.label,  is_word.data(), nullptr,        ends.data()};
  const auto key = [](const LeastLoss& found) { return std::tie(found.loss, found.cost, found.words, found.arcs); };
  std::optional<LeastLoss> best;
  for (const auto& reference : weighing.references) {
    LeastLoss found = search_least_loss(graph, {lattice.cost, lattice.final_cost}, reference.words.data(),
                                        static_cast<std::int32_t>(reference.words.size()), weighing.gains,
                                        reference.weight, weighing.cost_weight);
    if (!best || key(found) < key(*best)) best = std::move(found);
  }
  return {{std::move(best->arcs)}, 1, 0};
}

}  // namespace

WeighedStrings weighed_strings(const WeighedLattice& lattice, const Weighing& weighing, SearchLimits limits) {
  require_sums(lattice, weighing);
  if (limits.strings == 1 && !weighing.ill) return least_loss(lattice, weighing);
  double table = sizeof(Loss);
  double states = 0;
  for (const auto& reference : weighing.references) states += (reference.words.size() + 1.0) * weighing.gains.order;
  table *= states * lattice.states;
  if (table > static_cast<double>(limits.bytes) / 2)
    throw TooLarge("the search's tables do not fit into memory; prune the lattice, or give fewer or shorter references");
  limits.bytes -= static_cast<std::size_t>(table);
  if (fits<std::int32_t>(largest_gain(lattice, weighing)))
    return StringSearch<std::int32_t>(lattice, weighing, limits).run();
  return StringSearch<Wide>(lattice, weighing, limits).run();
}

}  // namespace latticemetric
