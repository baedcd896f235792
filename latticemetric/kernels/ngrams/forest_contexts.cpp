#include "ngrams/forest_contexts.hpp"

#include <algorithm>

#include "memory/budget.hpp"

namespace latticemetric {
namespace {

// Bytes of an n-gram, with everything that is kept of it elsewhere, and of a context. Vectors and hash tables may hold
// twice what they need.
constexpr std::size_t bytes_of_ngram = 136;
constexpr std::size_t bytes_of_context = 2 * sizeof(Context) + sizeof(std::uint32_t);

}  // namespace

std::vector<double> rule_masses(const ForestRules& rules, const ForestProbabilities& probabilities) {
  std::vector<double> masses(static_cast<std::size_t>(rules.size()), 0);
  for (std::int64_t r = 0; r < rules.size(); ++r) {
    const Rule& rule = rules.begin(0)[r];
    for (const auto* e = rules.alike_begin(rule); e != rules.alike_end(rule); ++e)
      masses[r] += probabilities.transition[*e];
  }
  return masses;
}

ForestContexts::ForestContexts(const ForestRules& rules, const ForestProbabilities& probabilities,
                               const std::vector<double>& rule_mass, std::int32_t order, const Limits& limits)
    : expected{1}, rules_(rules), probabilities_(probabilities), rule_mass_(rule_mass), limits_(limits) {
  beginnings_.resize(static_cast<std::size_t>(rules.longest()) + 1);
  if (limits.least_count <= 0) {
    count(1, order);
    return;
  }
  for (std::int32_t length = 1; length <= order && is_complete_; ++length) count(length, length);
}

// Counts the n-grams of these lengths. All n-grams that are shorter have been counted.
void ForestContexts::count(std::int32_t shortest, std::int32_t longest) {
  shortest_ = shortest;
  longest_ = longest;
  const auto nodes = rules_.graph().nodes;
  nodes_.assign(static_cast<std::size_t>(nodes), {});
  before_.assign(static_cast<std::size_t>(nodes), {});
  kept_ = 0;
  beginnings_[0].whole.clear();
  if (longest > 1) beginnings_[0].whole.push_back({NgramTrie::root, 1});
  for (std::int32_t v = 0; v < nodes && is_complete_; ++v) {
    read(rules_.begin(v), rules_.end(v), probabilities_.node[v]);
    nodes_[v] = settled();
    if (limits_.effort != nullptr && limits_.effort->is_over()) is_complete_ = false;
    kept_ += nodes_[v].begins.size() + nodes_[v].ends.size() + nodes_[v].whole.size();
    require_memory();
  }
  for (std::int32_t v = 0; v < nodes && is_complete_; ++v) cross(v);
  for (std::size_t g = 1; g < expected.size(); ++g)
    if (ngrams.length(static_cast<std::int32_t>(g)) >= shortest) is_frequent_[g] = expected[g] >= limits_.least_count;
}

// Reads the rules of a node. They are sorted, so rules that begin alike are neighbours: each shared beginning is read
// once, with the total probability of these rules.
void ForestContexts::read(const Rule* rules, const Rule* end, double outside) {
  begins_.clear();
  ends_.clear();
  whole_.clear();
  const double* mass = rule_mass_.data() + (rules - rules_.begin(0));
  for (const Rule* rule = rules; rule != end && is_complete_; ++rule, ++mass) {
    for (auto t = rule->shared; t < rule->length; ++t) {
      double all = *mass;
      for (const Rule* other = rule + 1; other != end && other->shared > t; ++other) all += mass[other - rule];
      read_symbol(rules_.symbols(*rule)[t], all, outside, beginnings_[t], beginnings_[t + 1]);
    }
    const auto& beginning = beginnings_[rule->length];
    for (const auto& [ngram, probability] : beginning.ends) ends_.add(ngram, probability * *mass);
    for (const auto& [ngram, probability] : beginning.whole) whole_.add(ngram, probability * *mass);
  }
}

void ForestContexts::read_symbol(Symbol symbol, double mass, double outside, const Beginning& before,
                                 Beginning& after) {
  if (is_node(symbol))
    read_tail(node_of(symbol), mass, outside, before, after);
  else
    read_word(symbol, mass, outside, before, after);
}

void ForestContexts::read_word(Symbol word, double mass, double outside, const Beginning& before, Beginning& after) {
  after.ends.clear();
  after.whole.clear();
  const auto alone = longer(NgramTrie::root, word);
  if (alone == NgramTrie::none) return;
  add_count(alone, mass * outside);
  if (longest_ > 1) after.ends.push_back({alone, 1});
  for (const auto& [ngram, probability] : before.ends) {
    const auto more = longer(ngram, word);
    if (more == NgramTrie::none) continue;
    add_count(more, mass * outside * probability);
    if (ngrams.length(more) < longest_) after.ends.push_back({more, probability});
  }
  for (const auto& [ngram, probability] : before.whole) {
    const auto more = longer(ngram, word);
    if (more == NgramTrie::none) continue;
    begins_.add(more, mass * probability);
    if (ngrams.length(more) < longest_ - 1) after.whole.push_back({more, probability});
  }
}

void ForestContexts::read_tail(std::int32_t node, double mass, double outside, const Beginning& before,
                               Beginning& after) {
  const Node& tail = nodes_[node];
  add_before(node, before.ends, mass * outside);
  next_.clear();
  for (const auto& [ngram, probability] : tail.ends) next_.add(ngram, probability);
  const auto join = [&](const Context& first, std::int32_t below) {
    poll(static_cast<std::int64_t>(tail.whole.size()));
    for (const auto& whole : tail.whole) {
      if (ngrams.length(first.ngram) + ngrams.length(whole.ngram) >= below) continue;
      const auto both = joined(first.ngram, whole.ngram);
      if (both != NgramTrie::none) next_.add(both, first.mass * whole.mass);
    }
  };
  for (const auto& end : before.ends) join(end, longest_);
  after.ends = next_.entries();
  next_.clear();
  for (const auto& whole : before.whole) {
    join(whole, longest_ - 1);
    const auto last = tail.length_end[longest_ - 1 - ngrams.length(whole.ngram)];
    made_.resize(tail.begins.size());
    for (std::size_t i = 0; i < last; ++i) {
      made_[i] = continued(whole.ngram, tail, i);
      if (made_[i] != NgramTrie::none) begins_.add(made_[i], mass * whole.mass * tail.begins[i].mass);
    }
  }
  after.whole = next_.entries();
}

void ForestContexts::add_before(std::int32_t node, const std::vector<Context>& ends, double mass) {
  Before& before = before_[node];
  for (const auto& [ngram, probability] : ends) before.ends.push_back({ngram, mass * probability});
  kept_ += ends.size();
  if (before.ends.size() < before.many) return;
  add_up(before);
  before.many = 2 * before.ends.size() + 4096;
}

// Adds up the counts of each n-gram.
void ForestContexts::add_up(Before& before) {
  poll(static_cast<std::int64_t>(before.ends.size()));
  sums_.clear();
  for (const auto& [ngram, count] : before.ends) sums_.add(ngram, count);
  kept_ += sums_.entries().size();
  kept_ -= before.ends.size();
  before.ends = sums_.entries();
}

// Counts the n-grams that begin before a node and end in it.
void ForestContexts::cross(std::int32_t node) {
  add_up(before_[node]);
  const Node& tail = nodes_[node];
  made_.resize(tail.begins.size());
  for (const auto& [ngram, count] : before_[node].ends) {
    const auto last = tail.length_end[longest_ - ngrams.length(ngram)];
    for (std::size_t i = 0; i < last; ++i) {
      made_[i] = continued(ngram, tail, i);
      if (made_[i] != NgramTrie::none) add_count(made_[i], count * tail.begins[i].mass);
    }
    if (limits_.effort != nullptr && limits_.effort->is_over()) is_complete_ = false;
    if (!is_complete_) return;
    require_memory();
  }
  kept_ -= before_[node].ends.size();
  before_[node].ends = {};
}

// Returns a node once all of its rules are read. Sorts what its strings begin with by length, so that an n-gram comes
// after its parent.
ForestContexts::Node ForestContexts::settled() {
  Node node{begins_.entries(), ends_.entries(), whole_.entries(), {}, {}};
  poll(static_cast<std::int64_t>(50 * node.begins.size()));
  const auto shorter = [&](const Context& a, const Context& b) {
    return ngrams.length(a.ngram) < ngrams.length(b.ngram);
  };
  std::stable_sort(node.begins.begin(), node.begins.end(), shorter);
  begins_.clear();
  node.length_end.assign(static_cast<std::size_t>(longest_), 0);
  for (const auto& [ngram, mass] : node.begins) {
    const auto parent = ngrams.parent(ngram);
    node.parent.push_back(parent == NgramTrie::root ? 0 : static_cast<std::uint32_t>(begins_.at(parent)));
    begins_.add(ngram, mass);
    node.length_end[ngrams.length(ngram)] = begins_.entries().size();
  }
  for (std::size_t length = 1; length < node.length_end.size(); ++length)
    node.length_end[length] = std::max(node.length_end[length], node.length_end[length - 1]);
  return node;
}

// Shorter n-grams were counted before.
void ForestContexts::add_count(std::int32_t ngram, double count) {
  if (ngrams.length(ngram) >= shortest_) expected[ngram] += count;
}

// Returns an n-gram with a word after it; `none` if some n-gram within it is rare.
std::int32_t ForestContexts::longer(std::int32_t ngram, Symbol word) {
  poll(20);
  ++steps_;
  const auto known = ngrams.child(ngram, word);
  if (ngrams.length(ngram) + 1 < shortest_)
    return known == NgramTrie::none || !is_frequent_[known] ? NgramTrie::none : known;
  if (known != NgramTrie::none) return known;
  auto suffix = NgramTrie::root;
  if (shortest_ > 1) {
    suffix = ngrams.child(suffix_[ngram], word);
    if (suffix == NgramTrie::none || !is_frequent_[suffix]) return NgramTrie::none;
  }
  if (ngrams.size() > limits_.most_ngrams) {
    is_complete_ = false;
    return NgramTrie::none;
  }
  expected.push_back(0);
  is_frequent_.push_back(0);
  suffix_.push_back(suffix);
  return ngrams.add(ngram, word);
}

std::int32_t ForestContexts::joined(std::int32_t first, std::int32_t second) {
  spelled_.clear();
  for (auto ngram = second; ngram != NgramTrie::root; ngram = ngrams.parent(ngram))
    spelled_.push_back(ngrams.word(ngram));
  for (auto word = spelled_.rbegin(); word != spelled_.rend() && first != NgramTrie::none; ++word)
    first = longer(first, *word);
  return first;
}

// Returns an n-gram followed by one that a node's strings begin with. `made_` has the same for the shorter ones.
std::int32_t ForestContexts::continued(std::int32_t ngram, const Node& node, std::size_t begin) {
  const auto next = node.begins[begin].ngram;
  const auto before = ngrams.length(next) == 1 ? ngram : made_[node.parent[begin]];
  return before == NgramTrie::none ? NgramTrie::none : longer(before, ngrams.word(next));
}

void ForestContexts::require_memory() const {
  if (expected.size() * bytes_of_ngram + kept_ * bytes_of_context > limits_.most_bytes)
    throw TooLarge("the n-grams of the forest do not fit into memory");
}

}  // namespace latticemetric
