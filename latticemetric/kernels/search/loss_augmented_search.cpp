#include "search/loss_augmented_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "graphs/tie_order.hpp"
#include "memory/bits.hpp"
#include "memory/budget.hpp"
#include "search/lattice_search.hpp"
#include "search/prefix_columns.hpp"

namespace latticemetric {
namespace {

// A* search: visits prefixes of paths in the order of a lower bound of their loss. A prefix that reaches a state of the
// lattice with a string that reached it before (or with a column that did, if gains are penalized) is no better than
// the earlier prefix: bounds never fall along a path, and of equal bounds the smaller arcs come first.
//
// A prefix waits with the key of its bound. The bound is made exact only once the key says that the prefix may be next.
template <typename Gain, bool penalize>
class StringSearch {
  using Columns = PrefixColumns<Gain, penalize>;
  using Key = LossKeys::Key;

 public:
  StringSearch(const LossLattice& input, const LossFunction& loss_function, SearchLimits limits)
      : input_(input), limits_(limits), keys_(input, loss_function), bounds_(made_bounds(keys_)),
        columns_(keys_, bounds_), store_(static_cast<std::size_t>(columns_.states())),
        expanded_(penalize ? input.lattice.states : 0) {}

  LossAugmentedStrings run() {
    columns_.start(column_);
    add(columns_.bound(column_.data(), 0), {{}, 0, 0, 0, 0, 0, none, start, 0});
    for (std::int64_t steps = 0; !is_done() && next(); ++steps) {
      if (steps == limits_.steps || bytes() > limits_.bytes) {
        stop_early();
        break;
      }
      visit(pop(ready_, later()));
    }
    if (result_.exact < 0) result_.exact = static_cast<std::int64_t>(result_.arcs.size());
    return std::move(result_);
  }

 private:
  using Number = std::int32_t;
  static constexpr Number none = -1;
  static constexpr std::int64_t start = -1, finish = -1;

  struct Prefix {
    Loss bound;                // exact; set when the prefix becomes ready
    Key key;                   // of the bound
    std::int64_t cost, words;  // so far
    std::int32_t state;        // of the lattice; none if the path has ended
    std::int32_t string;       // its number; set when the prefix is visited
    Number parent;
    std::int64_t arc;
    std::int32_t arcs;
  };
  // A prefix that was visited, with its column.
  struct ExpandedPrefix {
    Number prefix, column;
  };

  bool is_done() const { return static_cast<std::int64_t>(result_.arcs.size()) == limits_.strings; }

  static std::vector<CompletionBounds<penalize>> made_bounds(const LossKeys& keys) {
    std::vector<CompletionBounds<penalize>> bounds;
    bounds.reserve(keys.loss_function().references.size());
    for (const auto& reference : keys.loss_function().references) bounds.emplace_back(keys, reference);
    return bounds;
  }

  std::size_t bytes() const {
    std::size_t exact = 0;
    for (const auto& bounds : bounds_) exact += bounds.bytes();
    return exact + prefixes_.capacity() * sizeof(Prefix) + (waiting_.capacity() + ready_.capacity()) * sizeof(Number) +
           store_.bytes() + (visited_.size() + strings_.size() + seen_.size()) * 48 +
           columns_of_.capacity() * sizeof(Number);
  }

  void visit(Number number) {
    number_string(number);
    const Prefix prefix = prefixes_[number];
    if (!visited_.insert(pair_key(prefix.state, prefix.string)).second) return;
    if (prefix.state == none) return emit(number);
    const Number column = column_of(number);
    if (penalize && is_dominated(number, column)) return;
    expand(number, column);
  }

  void emit(Number number) {
    result_.arcs.push_back(path(number));
    result_.losses.push_back(prefixes_[number].bound.value);
  }

  // Returns whether as many strings as are wanted reach this state and end no worse, whatever follows. Compares with so
  // many others only: a state of many prefixes would take the square of their number. Those that dominated before move
  // to the end, where they are compared first.
  bool is_dominated(Number number, Number column) {
    constexpr std::int64_t most = 64;
    const std::int32_t state = prefixes_[number].state;
    if (seen_[pair_key(state, column)]++ >= limits_.strings) return true;
    std::int64_t better = 0, compared = 0;
    auto& others = expanded_[state];
    for (auto other = others.rbegin(); other != others.rend() && compared < most + limits_.strings; ++other, ++compared) {
      if (!dominates(*other, {number, column})) continue;
      if (other != others.rbegin()) std::swap(*other, *(other - 1));
      if (++better >= limits_.strings) return true;
    }
    others.push_back({number, column});
    return false;
  }

  bool dominates(const ExpandedPrefix& a, const ExpandedPrefix& b) const {
    poll(columns_.states());
    const Prefix &first = prefixes_[a.prefix], &second = prefixes_[b.prefix];
    Loss loss = keys_.exact_cost(first.cost, first.words), other = keys_.exact_cost(second.cost, second.words);
    const auto excess = columns_.excess(store_[a.column], store_[b.column], other.value - loss.value);
    if (!excess) return false;
    loss.value += *excess;
    if (loss < other || other < loss) return loss < other;
    return has_smaller_arcs(a.prefix, b.prefix);
  }

  // Adds all continuations of a prefix.
  void expand(Number number, Number column) {
    const Prefix prefix = prefixes_[number];
    const auto& [lattice, costs, shown] = input_;
    if (lattice.is_final(prefix.state)) {
      const Key key = keys_.gain(columns_.ending(store_[column]));
      add(key, {{}, 0, prefix.cost + costs.final[prefix.state], prefix.words, none, none, number, finish, prefix.arcs + 1});
    }
    const auto& table = bounds_.front().table();
    for (auto a = table.begin(prefix.state); a < table.begin(prefix.state + 1); ++a) {
      columns_.advance(store_[column], a, column_);
      const std::int32_t t = lattice.target[a];
      add(columns_.bound(column_.data(), t),
          {{}, 0, prefix.cost + costs.arc[a], prefix.words + (shown[a] != 0), t, none, number, a, prefix.arcs + 1});
    }
  }

  void add(Key completion, Prefix prefix) {
    prefix.key = completion + keys_.cost_key(prefix.cost, prefix.words);
    prefixes_.push_back(prefix);
    push(waiting_, static_cast<Number>(prefixes_.size() - 1), larger());
  }

  // Returns the column of a prefix, computed from that of its parent.
  const Gain* new_column(const Prefix& prefix) {
    if (prefix.parent == none)
      columns_.start(column_);
    else
      columns_.advance(store_[columns_of_[prefix.parent]], prefix.arc, column_);
    return column_.data();
  }

  void make_exact(Number number) {
    Prefix& prefix = prefixes_[number];
    if (keys_.has_all()) {
      prefix.bound = keys_.loss(prefix.key);
      return;
    }
    prefix.bound = keys_.exact_cost(prefix.cost, prefix.words);
    if (prefix.state == none)
      prefix.bound.value += columns_.ending(store_[columns_of_[prefix.parent]]);
    else
      prefix.bound = prefix.bound + columns_.exact_bound(new_column(prefix), prefix.state);
  }

  // Returns the number of a prefix's column, and keeps the column. Only columns of visited prefixes are kept: most
  // prefixes wait and are never visited.
  Number column_of(Number number) {
    new_column(prefixes_[number]);
    const Number column = store_.add(column_);
    columns_of_.resize(std::max(columns_of_.size(), static_cast<std::size_t>(number) + 1), none);
    return columns_of_[number] = column;
  }

  void number_string(Number number) {
    Prefix& prefix = prefixes_[number];
    if (prefix.parent == none) return;
    const std::int32_t previous = prefixes_[prefix.parent].string, word = prefix.state == none ? 0 : input_.shown[prefix.arc];
    const auto next = static_cast<std::int32_t>(strings_.size()) + 1;
    prefix.string = word == 0 ? previous : strings_.emplace(pair_key(previous, word), next).first->second;
  }

  // ---- Order ------------------------------------------------------------------------------------------------------

  // Makes bounds exact until no waiting prefix can come before the first ready one. Returns false if no prefix is left.
  bool next() {
    while (!waiting_.empty() &&
           (ready_.empty() || prefixes_[waiting_.front()].key - prefixes_[ready_.front()].key <= keys_.slack())) {
      const Number number = pop(waiting_, larger());
      make_exact(number);
      push(ready_, number, later());
    }
    return !ready_.empty();
  }

  template <typename After>
  static void push(std::vector<Number>& heap, Number number, After after) {
    heap.push_back(number);
    std::push_heap(heap.begin(), heap.end(), after);
  }
  template <typename After>
  static Number pop(std::vector<Number>& heap, After after) {
    std::pop_heap(heap.begin(), heap.end(), after);
    const Number number = heap.back();
    heap.pop_back();
    return number;
  }

  auto larger() const {
    return [this](Number a, Number b) { return prefixes_[b].key < prefixes_[a].key; };
  }
  auto later() const {
    return [this](Number a, Number b) {
      const Loss &first = prefixes_[a].bound, &second = prefixes_[b].bound;
      if (first < second || second < first) return second < first;
      return has_smaller_arcs(b, a);
    };
  }

  // Returns whether the arcs of `a` come before those of `b`. A path is smaller than its continuations.
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

  // Completes the most promising prefixes arc by arc. A string may then not get its cheapest path, and there may be
  // fewer strings than are wanted.
  void stop_early() {
    result_.exact = static_cast<std::int64_t>(result_.arcs.size());
    result_.bound = prefixes_[ready_.front()].bound.value;
    const auto missing = static_cast<std::size_t>(limits_.strings - result_.exact);
    std::vector<Number> promising, completed;
    while (promising.size() < tries() + missing && next()) promising.push_back(pop(ready_, later()));
    for (const Number number : promising) {
      if (!completed.empty() && bytes() >= 2 * limits_.bytes) break;
      completed.push_back(complete_from(number));
    }
    std::sort(completed.begin(), completed.end(), [later = later()](Number a, Number b) { return later(b, a); });
    for (const Number number : completed)
      if (!is_done() && visited_.insert(pair_key(none, prefixes_[number].string)).second) emit(number);
  }

  // Returns how many prefixes to complete: fewer for hours of words, where each takes a large part of a second.
  std::size_t tries() const {
    constexpr double most = 256, steps = 2e8;
    const double each = static_cast<double>(input_.lattice.arcs + 1) * static_cast<double>(columns_.states());
    return static_cast<std::size_t>(std::clamp(steps / each, 1.0, most));
  }

  Number complete_from(Number number) {
    number_string(number);
    while (prefixes_[number].state != none) {
      waiting_.clear();
      ready_.clear();
      const auto begin = static_cast<Number>(prefixes_.size());
      expand(number, column_of(number));
      next();
      prefixes_[begin] = prefixes_[ready_.front()];
      prefixes_.resize(static_cast<std::size_t>(begin) + 1);
      number = begin;
      number_string(number);
    }
    return number;
  }

  const LossLattice& input_;
  const SearchLimits limits_;
  const LossKeys keys_;
  std::vector<CompletionBounds<penalize>> bounds_;  // by reference
  const Columns columns_;
  ColumnStore<Gain> store_;
  std::vector<Prefix> prefixes_;
  std::vector<Number> columns_of_;  // by visited prefix
  std::vector<Number> waiting_;     // a heap, by keys
  std::vector<Number> ready_;       // a heap, by bounds
  std::unordered_map<std::uint64_t, std::int32_t> strings_;  // by the string without its last word, and by that word
  std::unordered_set<std::uint64_t> visited_;                    // pairs of a state and a string
  std::unordered_map<std::uint64_t, std::int64_t> seen_;     // how many strings, by state and column
  std::vector<std::vector<ExpandedPrefix>> expanded_;                 // by state
  typename Columns::Column column_;
  LossAugmentedStrings result_{{}, {}, -1, 0};
};

Int128 largest_gain_in(const LossLattice& input, const LossFunction& loss_function) {
  std::size_t longest = 0;
  std::int64_t start = 0;
  for (const auto& reference : loss_function.references) {
    longest = std::max(longest, reference.words.size());
    start = std::max(start, std::abs(reference.start));
  }
  return start + largest_gain<Int128>(loss_function.gains, longest_path(input.lattice, true), static_cast<Int128>(longest));
}

void require_sums(const LossLattice& input, const LossFunction& loss_function) {
  const double cost = static_cast<double>(largest_cost(input.lattice, input.costs)) * input.lattice.states;
  double weight = 0;
  for (const auto& reference : loss_function.references)
    weight = std::max(weight, static_cast<double>(reference.weight));
  const double value = static_cast<double>(loss_function.cost_weight) * cost +
                       2 * weight * static_cast<double>(largest_gain_in(input, loss_function));
  if (cost > std::ldexp(1.0, 62) || value > std::ldexp(1.0, 125))
    throw TooLarge("weights and costs are too large to be added up; choose smaller ones");
}

// Finds a single string: the best of the paths of least loss against each reference.
LossAugmentedStrings least_loss(const LossLattice& input, const LossFunction& loss_function, SearchMethod method) {
  const auto is_better = [](const LeastLoss& one, const LeastLoss& other) {
    if (one.loss != other.loss) return one.loss < other.loss;
    return comes_first(one, other) || (costs_as_much(one, other) && one.arcs < other.arcs);
  };
  std::optional<LeastLoss> best;
  for (const auto& reference : loss_function.references) {
    LeastLoss found = search_least_loss(input.lattice, input.costs, reference.words.data(),
                                        static_cast<std::int32_t>(reference.words.size()), loss_function.gains,
                                        reference.weight, loss_function.cost_weight, method);
    found.loss -= reference.weight * reference.start;
    if (!best || is_better(found, *best)) best = std::move(found);
  }
  return {{std::move(best->arcs)}, {best->loss}, 1, 0};
}

template <bool penalize>
LossAugmentedStrings searched(const LossLattice& input, const LossFunction& loss_function, SearchLimits limits) {
  double table = 0;
  for (const auto& reference : loss_function.references)
    table += CompletionBounds<penalize>::Table::most_bytes(input.lattice.states, reference.words.size(),
                                                           loss_function.gains.order);
  if (table > static_cast<double>(limits.bytes) / 2)
    throw TooLarge("the search's tables do not fit into memory; prune the lattice, or give fewer or shorter references");
  limits.bytes -= static_cast<std::size_t>(table);
  if (fits<std::int32_t>(largest_gain_in(input, loss_function), 8))
    return StringSearch<std::int32_t, penalize>(input, loss_function, limits).run();
  return StringSearch<Int128, penalize>(input, loss_function, limits).run();
}

}  // namespace

LossAugmentedStrings loss_augmented_strings(const LossLattice& input, const LossFunction& loss_function,
                                            SearchLimits limits) {
  require_sums(input, loss_function);
  if (loss_function.penalize) return searched<true>(input, loss_function, limits);
  if (limits.strings == 1) return least_loss(input, loss_function, limits.method);
  return searched<false>(input, loss_function, limits);
}

}  // namespace latticemetric
