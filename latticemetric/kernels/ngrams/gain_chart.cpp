#include "ngrams/gain_chart.hpp"

#include <algorithm>
#include <cmath>

#include "graphs/derivations.hpp"
#include "graphs/tie_order.hpp"
#include "memory/budget.hpp"

namespace latticemetric {
namespace {

constexpr double no_bound = std::numeric_limits<double>::infinity();
constexpr std::size_t all_items = std::numeric_limits<std::size_t>::max();
constexpr std::size_t most_numbered = std::size_t{1} << 31;   // their numbers have 31 bits

}  // namespace

GainLevel::GainLevel(const ForestRules& rules, const std::int32_t* words_of_symbols, const KnownNgrams& ngrams,
                     std::int32_t words, const GainLevel* before, const Limits& limits, SearchEffort& effort)
    : rules_(rules),
      words_of_symbols_(words_of_symbols),
      ngrams_(ngrams),
      words_(words),
      before_(before),
      limits_(limits),
      effort_(effort),
      table_(1024) {
  ranges_.resize(static_cast<std::size_t>(rules.longest()) + 1);
  ranges_[0] = {0, 1};
  items_.push_back({nowhere, NgramTrie::root, NgramTrie::root, true, 0, {0, 0, 0, none, none}});
  for (std::int32_t v = 0; v < rules.graph().nodes && is_complete_; ++v) read_node(v);
}

void GainLevel::read_node(std::int32_t v) {
  std::vector<Range> read;   // by rule: the items of all its symbols
  for (const Rule* rule = rules_.begin(v); rule != rules_.end(v); ++rule) {
    for (auto t = rule->shared; t < rule->length; ++t) ranges_[t + 1] = read_symbol(*rule, t, ranges_[t]);
    read.push_back(ranges_[rule->length]);
  }
  Range range{items_.size(), 0};
  for (std::size_t rule = 0; rule < read.size(); ++rule)
    for (auto i = read[rule].begin; i < read[rule].end && is_complete_; ++i)
      finish(v, i, static_cast<std::int32_t>(rule));
  keep_best(range);
  nodes_.push_back(range);
}

GainLevel::Range GainLevel::read_symbol(const Rule& rule, std::int32_t t, const Range& before) {
  const std::int64_t place = rules_.graph().nodes + rule.begin + t;
  const Symbol symbol = rules_.symbols(rule)[t];
  Range range{items_.size(), 0};
  for (auto i = before.begin; i < before.end && is_complete_; ++i) {
    if (!is_node(symbol)) {
      append_word(place, i, symbol == foreign ? KnownNgrams::foreign : words_of_symbols_[symbol - 1]);
      continue;
    }
    const Range& tail = nodes_[node_of(symbol)];
    for (auto j = tail.begin; j < tail.end && is_complete_; ++j) append_tail(place, i, j);
  }
  keep_best(range);
  return range;
}

void GainLevel::append_word(std::int64_t place, std::size_t item, std::int32_t word) {
  const auto alone = ngrams_.longer(NgramTrie::root, word);
  const bool is_known = alone != NgramTrie::none, is_kept = is_known && words_ > 0;
  const auto end = is_kept ? alone : NgramTrie::root;
  const GainItem& prefix = items_[item];
  auto combination = combined(prefix, {end, end, is_kept});
  combination.gain += ngrams_.per_word() + (is_known ? value(alone) : 0);
  const GainPart& before = prefix.best;
  put(place, combination.ends,
      {before.gain + combination.gain, before.cost, before.words + 1, static_cast<std::int32_t>(item), none},
      combination.gain, false);
}

void GainLevel::append_tail(std::int64_t place, std::size_t item, std::size_t tail) {
  const GainItem &first = items_[item], &second = items_[tail];
  const auto combination = combined(first, {second.left, second.right, second.whole});
  put(place, combination.ends,
      {first.best.gain + second.best.gain + combination.gain, first.best.cost + second.best.cost,
       first.best.words + second.best.words, static_cast<std::int32_t>(item), static_cast<std::int32_t>(tail)},
      combination.gain, true);
}

// Appends a second part to a first one. So far the first words of the second part have gained what they do after the
// words before them in that part. Now more words before them are known, and the difference is added, up to a word that
// ends no longer n-gram than before: then no later word does.
GainLevel::Combination GainLevel::combined(const GainItem& first, const Ends& second) const {
  Combination made{{first.left, first.right, first.whole}, 0};
  Ends& ends = made.ends;
  std::int32_t prefix[256];
  const auto length = ngrams_.length(second.left);
  auto own = second.left;
  for (auto k = length; k-- > 0; own = ngrams_.parent(own)) prefix[k] = own;
  auto context = first.right;
  bool matters = context != NgramTrie::root;
  for (std::int32_t k = 0; k < length && (matters || ends.whole); ++k) {
    const auto word = ngrams_.word(prefix[k]);
    if (matters) {
      context = ngrams_.after(ngrams_.last(context, words_), word);
      matters = ngrams_.length(context) > k + 1;
      if (matters) made.gain += value(context) - ngrams_.surplus(prefix[k]);
    }
    if (!ends.whole) continue;
    const auto longer = ngrams_.length(ends.left) < words_ ? ngrams_.longer(ends.left, word) : NgramTrie::none;
    ends.whole = longer != NgramTrie::none;
    if (ends.whole) ends.left = longer;
  }
  ends.whole = ends.whole && second.whole;
  ends.right = !second.whole ? second.right : matters ? ngrams_.last(context, words_) : second.left;
  return made;
}

// Returns the surplus of a word that ends this n-gram, or an upper bound of it. An n-gram of more than `words_` words
// may follow further words that this level does not know.
double GainLevel::value(std::int32_t ngram) const {
  return ngrams_.surplus(ngram) + (ngrams_.length(ngram) > words_ ? ngrams_.bound_of_longer(ngram) : 0);
}

void GainLevel::finish(std::int32_t v, std::size_t item, std::int32_t rule) {
  const GainItem& prefix = items_[item];
  GainPart part = prefix.best;
  part.cost += rules_.graph().cost[rules_.begin(v)[rule].edge];
  part.first = static_cast<std::int32_t>(item);
  part.second = rule;
  put(v, {prefix.left, prefix.right, prefix.whole}, part, 0, false);
}

void GainLevel::put(std::int64_t place, const Ends& ends, const GainPart& part, double gain, bool joins_items) {
  poll(100);
  if (!effort_.take_item()) is_complete_ = false;
  auto at = item_at(place, ends);
  if (at < 0) at = new_item(place, ends, part.gain);
  if (at < 0 || part.gain + items_[at].outside < limits_.least) return;
  if (limits_.most_kept == all_items)
    steps_.push_back({static_cast<std::int32_t>(at), part.first, joins_items ? part.second : none, gain});
  if ((items_.size() + steps_.size()) % 1024 == 0 && !has_room()) {
    is_full_ = true;
    is_complete_ = false;
  }
  GainPart& best = items_[at].best;
  const bool is_better = part.gain != best.gain        ? part.gain > best.gain
                         : !costs_as_much(part, best) ? comes_first(part, best)
                                                      : comes_before({place, &part}, {place, &best});
  if (is_better) best = part;
}

std::int64_t GainLevel::new_item(std::int64_t place, const Ends& ends, double gain) {
  const double rest = before_ ? before_->outside_bound(place, ends) : no_bound;
  if (gain + rest < limits_.least) return -1;
  items_.push_back({place, ends.left, ends.right, ends.whole, rest, {}});
  if (2 * ++filled_ > table_.size()) rehash();
  table_[slot(place, ends)] = static_cast<std::uint32_t>(items_.size());
  return static_cast<std::int64_t>(items_.size()) - 1;
}

// Returns an upper bound of the gain around an item of a finer level, which knows more words than this one. For this
// level, the words of `left` beyond its own `words_` were complete: their bounds were added inside the part. The finer
// level has not added them yet, so they are added here.
double GainLevel::outside_bound(std::int64_t place, Ends ends) const {
  double more = 0;
  for (; ngrams_.length(ends.left) > words_; ends.left = ngrams_.parent(ends.left)) {
    more += ngrams_.bound_of_longer(ends.left);
    ends.whole = false;
  }
  ends.right = ngrams_.last(ends.right, words_);
  const auto at = item_at(place, ends);
  return at < 0 ? -no_bound : items_[at].outside + more;
}

std::int64_t GainLevel::item_at(std::int64_t place, const Ends& ends) const {
  return static_cast<std::int64_t>(table_[slot(place, ends)]) - 1;
}

// Returns the slot where an item is or belongs: open addressing after Fibonacci hashing.
std::size_t GainLevel::slot(std::int64_t place, const Ends& ends) const {
  constexpr std::uint64_t golden = 0x9E3779B97F4A7C15u;
  auto hash = (static_cast<std::uint64_t>(place) * golden ^ static_cast<std::uint64_t>(ends.left)) * golden;
  hash = (hash ^ hash >> 29 ^ (static_cast<std::uint64_t>(ends.right) * 2 + ends.whole)) * golden;
  const auto mask = table_.size() - 1;
  for (auto at = (hash >> 20) & mask;; at = (at + 1) & mask) {
    if (table_[at] == 0) return at;
    if (table_[at] > items_.size()) continue;   // `keep_best` has dropped it
    const GainItem& item = items_[table_[at] - 1];
    if (item.place == place && item.left == ends.left && item.right == ends.right && item.whole == ends.whole)
      return at;
  }
}

// Makes room for a new item, the last one. A table that is mostly filled by items that `keep_best` has dropped does not
// grow: it forgets these.
void GainLevel::rehash() {
  table_.assign((4 * items_.size() > table_.size() ? 2 : 1) * table_.size(), 0);
  filled_ = items_.size() - 1;  // all but the first, which no table has
  for (std::size_t i = 1; i + 1 < items_.size(); ++i)
    table_[slot(items_[i].place, {items_[i].left, items_[i].right, items_[i].whole})] =
        static_cast<std::uint32_t>(i) + 1;
}

// Ends the range of a place once all of its items are there, and keeps only its best items.
void GainLevel::keep_best(Range& range) {
  range.end = items_.size();
  if (range.end - range.begin <= limits_.most_kept) return;
  const auto begin = items_.begin() + static_cast<std::ptrdiff_t>(range.begin);
  const auto middle = begin + static_cast<std::ptrdiff_t>(limits_.most_kept);
  std::nth_element(begin, middle, items_.end(), [](const GainItem& a, const GainItem& b) {
    return a.best.gain + a.outside > b.best.gain + b.outside;
  });
  items_.erase(middle, items_.end());
  range.end = items_.size();
}

GainLevel::Goal GainLevel::best_goal() const {
  const auto& graph = rules_.graph();
  Goal found;
  for (std::int32_t v = 0; v < graph.nodes; ++v) {
    if (!std::isfinite(graph.goal_cost[v])) continue;
    for (auto i = nodes_[v].begin; i < nodes_[v].end; ++i) {
      GainPart part = items_[i].best;
      part.gain -= excess(items_[i]);
      part.cost += graph.goal_cost[v];
      const bool is_better =
          found.item == none             ? true
          : part.gain != found.part.gain ? part.gain > found.part.gain
          : !costs_as_much(part, found.part)
              ? comes_first(part, found.part)
              : comes_before({v, &part}, {items_[static_cast<std::size_t>(found.item)].place, &found.part});
      if (is_better) found = {static_cast<std::int32_t>(i), part};
    }
  }
  return found;
}

double GainLevel::bound() const { return best_goal().part.gain; }

std::vector<std::int64_t> GainLevel::best_derivation() const {
  const auto goal = best_goal();
  return goal.item == none ? std::vector<std::int64_t>{} : derivation(goal.item);
}

std::vector<std::vector<std::int64_t>> GainLevel::best_derivations(std::size_t most) const {
  std::vector<std::pair<double, std::int32_t>> goals;
  for (std::int32_t v = 0; v < rules_.graph().nodes; ++v)
    if (std::isfinite(rules_.graph().goal_cost[v]))
      for (auto i = nodes_[v].begin; i < nodes_[v].end; ++i)
        goals.emplace_back(excess(items_[i]) - items_[i].best.gain, static_cast<std::int32_t>(i));
  std::sort(goals.begin(), goals.end());
  if (goals.size() > most) goals.resize(most);
  std::vector<std::vector<std::int64_t>> derivations;
  for (const auto& [loss, item] : goals) derivations.push_back(derivation(item));
  return derivations;
}

std::vector<std::int64_t> GainLevel::derivation(std::int32_t goal) const {
  std::vector<std::int64_t> edges;
  std::vector<std::int32_t> pending{goal};   // items of nodes
  while (!pending.empty()) {
    const GainItem& item = items_[pending.back()];
    pending.pop_back();
    edges.push_back(edge({item.place, &item.best}));
    require_writable(edges.size());
    for (auto i = item.best.first; items_[i].place != nowhere; i = items_[i].best.first)
      if (items_[i].best.second != none) pending.push_back(items_[i].best.second);
  }
  return edges;
}

std::int64_t GainLevel::edge(const Made& made) const {
  return rules_.begin(static_cast<std::int32_t>(made.place))[made.part->second].edge;
}

// Returns whether the edges of `one` come before those of `other` in preorder. Both were made at the same place, or at
// two goals. Different items of a place have different strings, so different derivations: it is enough to descend where
// the first of these differ.
bool GainLevel::comes_before(Made one, Made other) const {
  while (true) {
    if (one.place < rules_.graph().nodes && edge(one) != edge(other)) return edge(one) < edge(other);
    const bool first_differs = one.part->first != other.part->first;
    if (!first_differs && one.part->second == other.part->second) return false;
    const GainItem& a = items_[first_differs ? one.part->first : one.part->second];
    const GainItem& b = items_[first_differs ? other.part->first : other.part->second];
    one = {a.place, &a.best};
    other = {b.place, &b.best};
  }
}

// Goes backwards over the steps: everything that an item is part of is settled before the item itself.
void GainLevel::compute_outside() {
  for (auto& item : items_) item.outside = -no_bound;
  for (std::int32_t v = 0; v < rules_.graph().nodes; ++v)
    if (std::isfinite(rules_.graph().goal_cost[v]))
      for (auto i = nodes_[v].begin; i < nodes_[v].end; ++i) items_[i].outside = -excess(items_[i]);
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    poll(10);
    const double above = items_[step->result].outside + step->gain;
    GainItem& first = items_[step->first];
    if (step->second == none) {
      first.outside = std::max(first.outside, above);
      continue;
    }
    GainItem& second = items_[step->second];
    first.outside = std::max(first.outside, above + second.best.gain);
    second.outside = std::max(second.outside, above + first.best.gain);
  }
  steps_ = {};
}

bool GainLevel::has_room() const {
  return items_.size() < most_numbered - 1024 && bytes() + (before_ ? before_->bytes() : 0) <= limits_.most_bytes;
}

std::size_t GainLevel::bytes() const {
  return items_.size() * (2 * sizeof(GainItem) + 16) + 2 * steps_.size() * sizeof(Step) + ngrams_.bytes();
}

}  // namespace latticemetric
