#include "ngrams/forest_occurrence.hpp"

#include <algorithm>
#include <cmath>

#include "memory/budget.hpp"
#include "ngrams/failure_function.hpp"

namespace latticemetric {

ForestOccurrence::ForestOccurrence(const ForestRules& rules, const std::vector<double>& rule_mass, const double* ending,
                                   std::size_t most_bytes)
    : shapes_(rules, rule_mass), ending_(ending), most_bytes_(most_bytes) {}

void ForestOccurrence::set_ngram(const std::vector<Symbol>& words) {
  words_ = words;
  failure_ = failure_function(words);
  shapes_.set_words(words);
}

// Returns the state after a word, for a state below n. Returns n only if the word completes the n-gram.
std::size_t ForestOccurrence::next(std::size_t state, Symbol word) const {
  while (state > 0 && words_[state] != word) state = failure_[state];
  return words_[state] == word ? state + 1 : 0;
}

// A mask is a set of states: bit q is state q before the n-gram was read, bit n + q is state q after it was read once,
// and bit 2n means that it was read twice.
bool ForestOccurrence::can_repeat() {
  const auto n = words_.size();
  if (n > longest_exact) return true;
  const Mask twice = Mask{1} << 2 * n;
  const auto& producers = shapes_.producers();
  masks_.assign(producers.size() * n, 0);
  for (std::size_t at = 0; at < producers.size(); ++at) {
    for (const RuleGroup& group : shapes_.groups(at))
      for (std::size_t p = 0; p < n; ++p) {
        Mask states = Mask{1} << p;
        for (std::int32_t t = 0; t < group.length; ++t) states = after(states, group.symbols[t]);
        masks_[at * n + p] |= states;
      }
    if (std::isfinite(shapes_.graph().goal_cost[producers[at]]) && masks_[at * n] & twice) return true;
  }
  return false;
}

ForestOccurrence::Mask ForestOccurrence::after(Mask states, Symbol symbol) const {
  const auto n = words_.size();
  poll(static_cast<std::int64_t>(4 * n));
  Mask all = states & Mask{1} << 2 * n;
  for (std::size_t q = 0; q < n; ++q) {
    const bool before = states >> q & 1, after_ngram = states >> (n + q) & 1;
    if (!before && !after_ngram) continue;
    const Mask reached = after_one(q, symbol);
    if (before) all |= reached;
    if (after_ngram) all |= once_more(reached);
  }
  return all;
}

ForestOccurrence::Mask ForestOccurrence::after_one(std::size_t state, Symbol symbol) const {
  const auto n = words_.size();
  if (!is_node(symbol)) {
    const auto to = next(state, symbol);
    return to == n ? Mask{1} << (n + failure_[n]) : Mask{1} << to;
  }
  const auto tail = node_of(symbol);
  if (shapes_.place(tail) >= 0) return masks_[shapes_.place(tail) * n + state];
  return (shapes_.can_be_empty(tail) ? Mask{1} << state : 0) | (shapes_.can_yield_words(tail) ? Mask{1} : 0);
}

ForestOccurrence::Mask ForestOccurrence::once_more(Mask states) const {
  const auto n = words_.size();
  const Mask low = (Mask{1} << n) - 1;
  return (states & low) << n | (states & ~low ? Mask{1} << 2 * n : 0);
}

// A matrix has a row for each start state below n and a column for each state reached. The additional column n is for
// strings that contain the n-gram.
double ForestOccurrence::probability() {
  const auto n = words_.size(), size = n * (n + 1);
  const auto& producers = shapes_.producers();
  if ((producers.size() + shapes_.longest() + 1) * size > most_bytes_ / sizeof(double))
    throw TooLarge("long n-grams of the forest do not fit into memory");
  matrices_.assign(producers.size() * size, 0);
  rows_.resize((shapes_.longest() + 1) * size);
  std::fill(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(size), 0.0);
  for (std::size_t p = 0; p < n; ++p) rows_[p * (n + 1) + p] = 1;
  double total = 0;
  for (std::size_t at = 0; at < producers.size(); ++at) {
    double* const matrix = matrices_.data() + at * size;
    for (const RuleGroup& group : shapes_.groups(at)) {
      for (std::int32_t t = 0; t < group.length; ++t) {
        const Symbol symbol = group.symbols[t];
        poll(static_cast<std::int64_t>(n * size));
        const double* before = rows_.data() + t * size;
        double* after = rows_.data() + (t + 1) * size;
        if (is_node(symbol))
          advance_by_tail(before, after, node_of(symbol));
        else
          advance_by_word(before, after, symbol);
      }
      const double* reached = rows_.data() + group.length * size;
      for (std::size_t k = 0; k < size; ++k) matrix[k] += group.mass * reached[k];
    }
    total += ending_[producers[at]] * matrix[n];
  }
  return total;
}

void ForestOccurrence::advance_by_word(const double* before, double* after, Symbol word) const {
  const auto n = words_.size();
  for (std::size_t p = 0; p < n; ++p, before += n + 1, after += n + 1) {
    std::fill(after, after + n, 0.0);
    after[n] = before[n];
    for (std::size_t q = 0; q < n; ++q)
      if (before[q] != 0) after[next(q, word)] += before[q];
  }
}

void ForestOccurrence::advance_by_tail(const double* before, double* after, std::int32_t tail) const {
  const auto n = words_.size();
  const auto place = shapes_.place(tail);
  const double* const matrix = place >= 0 ? matrices_.data() + place * n * (n + 1) : nullptr;
  const double empty_probability = shapes_.empty_probability(tail);
  for (std::size_t p = 0; p < n; ++p, before += n + 1, after += n + 1) {
    std::fill(after, after + n, 0.0);
    after[n] = before[n];
    for (std::size_t q = 0; q < n; ++q) {
      if (before[q] == 0) continue;
      if (matrix) {
        for (std::size_t to = 0; to <= n; ++to) after[to] += before[q] * matrix[q * (n + 1) + to];
      } else {
        after[q] += before[q] * empty_probability;
        after[0] += before[q] * (1 - empty_probability);
      }
    }
  }
}

}  // namespace latticemetric
