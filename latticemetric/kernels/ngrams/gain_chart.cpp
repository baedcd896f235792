#include "ngrams/gain_chart.hpp"

#include <algorithm>
#include <cmath>

#include "graphs/tie_order.hpp"
#include "memory/budget.hpp"

namespace latticemetric {

GainLevel::GainLevel(const ForestRules& rules, const std::int32_t* known, GainContexts& contexts, std::int32_t words,
                     const GainLevel* before, const Limits& limits)
    : rules_(rules), known_(known), contexts_(contexts), words_(words), before_(before), limits_(limits), table_(1024) {
  ranges_.resize(static_cast<std::size_t>(rules.longest()) + 1);
  ranges_[0] = {0, 1};
  const auto empty = derivations_.add(Derivations::no_edge, {});
  items_.push_back({nowhere, NgramTrie::root, NgramTrie::root, 0, 0, {0, 0, 0, empty}});
  for (std::int32_t v = 0; v < rules.graph().nodes; ++v) read_node(v);
}

void GainLevel::read_node(std::int32_t v) {
  std::vector<std::pair<const Rule*, Range>> prefix;
  for (const Rule* rule = rules_.begin(v); rule != rules_.end(v); ++rule) {
    for (auto t = rule->shared; t < rule->length; ++t) ranges_[t + 1] = read_symbol(*rule, t, ranges_[t]);
    prefix.emplace_back(rule, ranges_[rule->length]);
  }
  Range range{items_.size(), 0};
  for (const auto& [rule, read] : prefix)
    for (auto i = read.begin; i < read.end; ++i) finish(v, i, *rule);
  keep_best(range);
  nodes_.push_back(range);
}

GainLevel::Range GainLevel::read_symbol(const Rule& rule, std::int32_t t, const Range& before) {
  const std::int64_t place = rules_.graph().nodes + rule.begin + t;
  const Symbol symbol = rules_.symbols(rule)[t];
  Range range{items_.size(), 0};
  for (auto i = before.begin; i < before.end; ++i) {
    if (!is_node(symbol)) {
      append_word(place, i, symbol == foreign ? GainContexts::foreign : known_[symbol - 1]);
      continue;
    }
    const Range& tail = nodes_[node_of(symbol)];
    for (auto j = tail.begin; j < tail.end; ++j) append_tail(place, i, j);
  }
  keep_best(range);
  return range;
}

void GainLevel::append_word(std::int64_t place, std::size_t item, std::int32_t word) {
  const GainItem prefix = items_[item];
  const auto string = contexts_.with(prefix.right, word);
  const bool is_short = contexts_.length(prefix.left) < words_;
  const Combination combination{is_short ? string : prefix.left, contexts_.last(string, words_), value(string)};
  GainCandidate candidate = prefix.best;
  candidate.gain += combination.gain;
  candidate.words += 1;
  put(place, combination, candidate, item, nowhere, combination.gain, [&] { return prefix.best.derivation; });
}

void GainLevel::append_tail(std::int64_t place, std::size_t item, std::size_t tail) {
  const GainItem &first = items_[item], &second = items_[tail];
  const Combination combination = combine(first, second);
  const auto before = first.best.derivation, behind = second.best.derivation;
  const GainCandidate candidate{first.best.gain + second.best.gain + combination.gain, first.best.cost + second.best.cost,
                              first.best.words + second.best.words, -1};
  put(place, combination, candidate, item, static_cast<std::int64_t>(tail), combination.gain,
      [&] { return derivations_.add(Derivations::no_edge, {before, behind}); });
}

// Appends a second part to a first one. So far the first words of the second part have gained what they do after the
// words before them in that part. Now more words before them are known, and the difference is added.
GainLevel::Combination GainLevel::combine(const GainItem& first, const GainItem& second) {
  Combination combination{first.left, first.right, 0};
  std::int32_t prefix[256];
  const auto length = contexts_.length(second.left);
  auto own = second.left;
  for (auto k = length; k-- > 0; own = contexts_.parent(own)) prefix[k] = own;
  for (std::int32_t k = 0; k < length; ++k) {
    const auto word = contexts_.word(prefix[k]);
    const auto string = contexts_.with(combination.right, word);
    combination.gain += value(string) - contexts_.gain(prefix[k]);
    combination.right = contexts_.last(string, words_);
    if (contexts_.length(combination.left) < words_) combination.left = contexts_.with(combination.left, word);
  }
  if (length == words_) combination.right = second.right;
  return combination;
}

// Returns the gain of a string's last word, or an upper bound of it. A string of more than `words_` words may follow
// further words that this level does not know, so longer n-grams are bounded.
double GainLevel::value(std::int32_t string) const {
  return contexts_.gain(string) + (contexts_.length(string) > words_ ? contexts_.bound(string) : 0);
}

void GainLevel::finish(std::int32_t v, std::size_t item, const Rule& rule) {
  const GainItem prefix = items_[item];
  GainCandidate candidate = prefix.best;
  candidate.cost += rules_.graph().cost[rule.edge];
  put(v, {prefix.left, prefix.right, 0}, candidate, item, nowhere, 0,
      [&] { return derivations_.add(rule.edge, {prefix.best.derivation}); });
}

template <typename Derive>
void GainLevel::put(std::int64_t place, const Combination& combination, GainCandidate candidate, std::size_t first,
                    std::int64_t second, double gain, Derive&& derive) {
  poll(100);
  auto at = item_at(place, combination.left, combination.right);
  if (at < 0) at = new_item(place, combination, candidate.gain);
  if (at < 0 || candidate.gain + items_[at].outside_bound < limits_.least) return;
  if (limits_.most_items == std::numeric_limits<std::size_t>::max())
    steps_.push_back({at, static_cast<std::int64_t>(first), second, gain});
  if ((items_.size() + steps_.size()) % 1024 == 0) require_memory();
  GainCandidate& best = items_[at].best;
  if (candidate.gain != best.gain ? candidate.gain < best.gain : comes_first(best, candidate)) return;
  candidate.derivation = derive();
  if (best.derivation >= 0 && candidate.gain == best.gain && costs_as_much(candidate, best) &&
      !derivations_.less(candidate.derivation, best.derivation))
    return;
  best = candidate;
}

std::int64_t GainLevel::new_item(std::int64_t place, const Combination& combination, double gain) {
  const double rest = before_ ? before_->outside_bound(place, combination.left, combination.right) : 0;
  if (gain + rest < limits_.least) return -1;
  GainItem item{place, combination.left, combination.right, rest, -std::numeric_limits<double>::infinity(), {}};
  items_.push_back(item);
  if (2 * ++filled_ > table_.size()) rehash();
  table_[slot(place, combination.left, combination.right)] = static_cast<std::uint32_t>(items_.size());
  return static_cast<std::int64_t>(items_.size()) - 1;
}

// Returns an upper bound of the gain around an item of a finer level, which knows more words than this one. For this
// level, the words of `left` beyond its own `words_` were complete: their bounds were added inside the part. The finer
// level has not added them yet, so they are added here.
double GainLevel::outside_bound(std::int64_t place, std::int32_t left, std::int32_t right) const {
  double more = 0;
  for (; contexts_.length(left) > words_; left = contexts_.parent(left)) more += contexts_.bound(left);
  const auto at = item_at(place, left, contexts_.last(right, words_));
  return at < 0 ? -std::numeric_limits<double>::infinity() : items_[at].outside + more;
}

std::int64_t GainLevel::item_at(std::int64_t place, std::int32_t left, std::int32_t right) const {
  return static_cast<std::int64_t>(table_[slot(place, left, right)]) - 1;
}

// Returns the slot where an item is or belongs: open addressing after Fibonacci hashing.
std::size_t GainLevel::slot(std::int64_t place, std::int32_t left, std::int32_t right) const {
  constexpr std::uint64_t golden = 0x9E3779B97F4A7C15u;
  auto hash = (static_cast<std::uint64_t>(place) * golden ^ static_cast<std::uint64_t>(left)) * golden;
  hash = (hash ^ hash >> 29 ^ static_cast<std::uint64_t>(right)) * golden;
  const auto mask = table_.size() - 1;
  for (auto at = (hash >> 20) & mask;; at = (at + 1) & mask) {
    if (table_[at] == 0) return at;
    if (table_[at] > items_.size()) continue;   // `keep_best` has dropped it
    const GainItem& item = items_[table_[at] - 1];
    if (item.place == place && item.left == left && item.right == right) return at;
  }
}

// Makes room for a new item, the last one. A table that is mostly filled by items that `keep_best` has dropped does not
// grow: it forgets these.
void GainLevel::rehash() {
  table_.assign((4 * items_.size() > table_.size() ? 2 : 1) * table_.size(), 0);
  filled_ = items_.size() - 1;  // all but the first, which no table has
  for (std::size_t i = 1; i + 1 < items_.size(); ++i)
    table_[slot(items_[i].place, items_[i].left, items_[i].right)] = static_cast<std::uint32_t>(i) + 1;
}

// Ends the range of a place once all of its items are there, and keeps only its best items.
void GainLevel::keep_best(Range& range) {
  range.end = items_.size();
  if (range.end - range.begin <= limits_.most_items) return;
  const auto begin = items_.begin() + static_cast<std::ptrdiff_t>(range.begin);
  const auto middle = begin + static_cast<std::ptrdiff_t>(limits_.most_items);
  std::nth_element(begin, middle, items_.end(), [](const GainItem& a, const GainItem& b) {
    return a.best.gain + a.outside_bound > b.best.gain + b.outside_bound;
  });
  items_.erase(middle, items_.end());
  range.end = items_.size();
}

std::vector<std::int64_t> GainLevel::best_derivation() {
  const auto& graph = rules_.graph();
  GainCandidate found;
  for (std::int32_t v = 0; v < graph.nodes; ++v) {
    if (!std::isfinite(graph.goal_cost[v])) continue;
    for (auto i = nodes_[v].begin; i < nodes_[v].end; ++i) {
      GainCandidate one = items_[i].best;
      one.cost += graph.goal_cost[v];
      if (found.derivation >= 0 &&
          (one.gain != found.gain        ? one.gain < found.gain
           : !costs_as_much(one, found)  ? comes_first(found, one)
                                         : !derivations_.less(one.derivation, found.derivation)))
        continue;
      found = one;
    }
  }
  return found.derivation < 0 ? std::vector<std::int64_t>{} : derivations_.preorder(found.derivation);
}

// Goes backwards over the steps: everything that an item is part of is settled before the item itself.
void GainLevel::compute_outside() {
  for (auto& item : items_) item.outside = -std::numeric_limits<double>::infinity();
  for (std::int32_t v = 0; v < rules_.graph().nodes; ++v)
    if (std::isfinite(rules_.graph().goal_cost[v]))
      for (auto i = nodes_[v].begin; i < nodes_[v].end; ++i) items_[i].outside = 0;
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    poll(10);
    const double above = items_[step->result].outside + step->gain;
    GainItem& first = items_[step->first];
    if (step->second == nowhere) {
      first.outside = std::max(first.outside, above);
      continue;
    }
    GainItem& second = items_[step->second];
    first.outside = std::max(first.outside, above + second.best.gain);
    second.outside = std::max(second.outside, above + first.best.gain);
  }
  steps_ = {};
}

void GainLevel::require_memory() const {
  const auto bytes = items_.size() * (2 * sizeof(GainItem) + 16) + 2 * steps_.size() * sizeof(Step) +
                     derivations_.bytes() + contexts_.bytes();
  if (bytes > limits_.most_bytes) throw TooLarge("the search for n-grams of the forest does not fit into memory");
}

}  // namespace latticemetric
