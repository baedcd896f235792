#include "ngrams/forest_contexts.hpp"

#include <algorithm>

#include "memory/budget.hpp"

namespace latticemetric {
namespace {

// Bytes of an n-gram, with everything that is kept of it elsewhere, and of a context. Vectors and hash tables may hold
// twice what they need.
constexpr std::size_t bytes_of_ngram = 128;
constexpr std::size_t bytes_of_context = 2 * sizeof(Context) + sizeof(std::uint32_t);

}  // namespace

ForestContexts::ForestContexts(const ForestRules& rules, const ForestProbabilities& probabilities, std::int32_t order,
                               std::size_t most_bytes)
    : expected{1}, rules_(rules), order_(order), most_bytes_(most_bytes) {
  const auto& graph = rules.graph();
  rule_mass.resize(static_cast<std::size_t>(rules.size()), 0);
  nodes_.resize(static_cast<std::size_t>(graph.nodes));
  beginnings_.resize(static_cast<std::size_t>(rules.longest()) + 1);
  if (order > 1) beginnings_[0].whole.push_back({NgramTrie::root, 1});
  const Rule* first = rules.begin(0);
  for (std::int32_t v = 0; v < graph.nodes; ++v) {
    for (const Rule* rule = rules.begin(v); rule != rules.end(v); ++rule)
      for (const auto* e = rules.alike_begin(*rule); e != rules.alike_end(*rule); ++e)
        rule_mass[rule - first] += probabilities.transition[*e];
    read(rules.begin(v), rules.end(v), probabilities.node[v]);
    nodes_[v] = settled();
    kept_ += nodes_[v].begins.size() + nodes_[v].ends.size() + nodes_[v].whole.size();
    require_memory();
  }
}

// Reads the rules of a node. They are sorted, so rules that begin alike are neighbours: each shared beginning is read
// once, with the total probability of these rules.
void ForestContexts::read(const Rule* rules, const Rule* end, double outside) {
  begins_.clear();
  ends_.clear();
  whole_.clear();
  const double* mass = rule_mass.data() + (rules - rules_.begin(0));
  for (const Rule* rule = rules; rule != end; ++rule, ++mass) {
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
    read_tail(nodes_[node_of(symbol)], mass, outside, before, after);
  else
    read_word(symbol, mass, outside, before, after);
}

void ForestContexts::read_word(Symbol word, double mass, double outside, const Beginning& before, Beginning& after) {
  after.ends.clear();
  after.whole.clear();
  const auto alone = made(NgramTrie::root, word);
  expected[alone] += mass * outside;
  if (order_ > 1) after.ends.push_back({alone, 1});
  for (const auto& [ngram, probability] : before.ends) {
    const auto longer = made(ngram, word);
    expected[longer] += mass * outside * probability;
    if (ngrams.length(longer) < order_) after.ends.push_back({longer, probability});
  }
  for (const auto& [ngram, probability] : before.whole) {
    const auto longer = made(ngram, word);
    begins_.add(longer, mass * probability);
    if (ngrams.length(longer) < order_ - 1) after.whole.push_back({longer, probability});
  }
}

void ForestContexts::read_tail(const Node& tail, double mass, double outside, const Beginning& before,
                               Beginning& after) {
  cross(before.ends, tail, mass * outside);
  next_.clear();
  for (const auto& [ngram, probability] : tail.ends) next_.add(ngram, probability);
  for (const auto& [ngram, probability] : before.ends) {
    poll(static_cast<std::int64_t>(tail.whole.size()));
    for (const auto& whole : tail.whole)
      if (ngrams.length(ngram) + ngrams.length(whole.ngram) < order_)
        next_.add(joined(ngram, whole.ngram), probability * whole.mass);
  }
  after.ends = next_.entries();
  next_.clear();
  for (const auto& [ngram, probability] : before.whole) {
    poll(static_cast<std::int64_t>(tail.whole.size()));
    const auto length = ngrams.length(ngram);
    for (const auto& whole : tail.whole)
      if (length + ngrams.length(whole.ngram) < order_ - 1)
        next_.add(joined(ngram, whole.ngram), probability * whole.mass);
    const auto last = tail.length_end[order_ - 1 - length];
    made_.resize(tail.begins.size());
    for (std::size_t i = 0; i < last; ++i) {
      const auto& [begin, begins] = tail.begins[i];
      made_[i] = made(ngrams.length(begin) == 1 ? ngram : made_[tail.parent[i]], ngrams.word(begin));
      begins_.add(made_[i], mass * probability * begins);
    }
  }
  after.whole = next_.entries();
}

// Counts the n-grams that begin before the tail and end in it.
void ForestContexts::cross(const std::vector<Context>& ends, const Node& tail, double mass) {
  made_.resize(tail.begins.size());
  for (const auto& [ngram, probability] : ends) {
    const auto last = tail.length_end[order_ - ngrams.length(ngram)];
    for (std::size_t i = 0; i < last; ++i) {
      const auto& [begin, begins] = tail.begins[i];
      made_[i] = made(ngrams.length(begin) == 1 ? ngram : made_[tail.parent[i]], ngrams.word(begin));
      expected[made_[i]] += mass * probability * begins;
    }
    require_memory();
  }
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
  node.length_end.assign(static_cast<std::size_t>(order_), 0);
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

std::int32_t ForestContexts::made(std::int32_t ngram, Symbol word) {
  poll(20);
  const auto longer = ngrams.add(ngram, word);
  if (static_cast<std::size_t>(longer) == expected.size()) expected.push_back(0);
  return longer;
}

std::int32_t ForestContexts::joined(std::int32_t first, std::int32_t second) {
  spelled_.clear();
  for (auto ngram = second; ngram != NgramTrie::root; ngram = ngrams.parent(ngram))
    spelled_.push_back(ngrams.word(ngram));
  for (auto word = spelled_.rbegin(); word != spelled_.rend(); ++word) first = made(first, *word);
  return first;
}

void ForestContexts::require_memory() const {
  if (expected.size() * bytes_of_ngram + kept_ * bytes_of_context > most_bytes_)
    throw TooLarge("the n-grams of the forest do not fit into memory");
}

}  // namespace latticemetric
