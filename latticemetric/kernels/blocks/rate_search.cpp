#include "blocks/rate_search.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

#include "blocks/kaldi_lattice.hpp"
#include "blocks/threads.hpp"
#include "graphs/best_path.hpp"
#include "graphs/cost_columns.hpp"
#include "graphs/pairwise_sum.hpp"
#include "memory/int128.hpp"
#include "search/lattice_search.hpp"

namespace latticemetric {
namespace {

// States of a metric's automaton have 32-bit numbers: at most `order + 1` for each position in the reference.
constexpr std::size_t longest_reference = (std::size_t{1} << 24) - 1, most_states = (std::size_t{1} << 31) - 1;

// The rate of an alignment, from its counts.
Ratio rate_of(const std::vector<std::int64_t>& counts, Gains gains) {
  const auto order = static_cast<std::size_t>(gains.order);
  Int128 matches = 0, total = 0;
  for (std::size_t k = 0; k < order; ++k) {
    matches += counts[k];
    total += counts[order + 3 + k];
  }
  const std::int64_t deletions = counts[order + 1], insertions = counts[order + 2];
  return {matches * gains.unit - static_cast<Int128>(insertions) * gains.alpha -
              static_cast<Int128>(deletions) * gains.beta,
          total};
}

// Returns the number of n-grams of 1 .. `order` words in a text.
std::int64_t ngrams(std::size_t words, std::int32_t order) {
  std::int64_t total = 0;
  for (std::int64_t n = 1; n <= order; ++n) total += std::max<std::int64_t>(0, static_cast<std::int64_t>(words) - n + 1);
  return total;
}

// Compares rates exactly: a negative number if the first is smaller, 0 if they are equal. Totals are positive.
int compared(Ratio first, Ratio second) {
  const Int128 left = first.gain * second.total, right = second.gain * first.total;
  return left < right ? -1 : left > right ? 1 : 0;
}

bool read_lattice(const RateTask& task, ReadLattice& lattice) {
  if (task.format == RateTask::kaldi_binary) return read_kaldi_machine(task.bytes, task.table, lattice);
  return read_kaldi_lattice(task.bytes, task.format == RateTask::kaldi_words, task.table, lattice);
}

// Returns the words of arcs, with 0 in the place of some words, whose numbers ascend.
std::vector<std::int32_t> without(const std::vector<std::int32_t>& words, const std::vector<std::int32_t>& left_out) {
  auto found = words;
  poll(10 * static_cast<std::int64_t>(words.size()));
  for (auto& word : found)
    if (std::binary_search(left_out.begin(), left_out.end(), word)) word = 0;
  return found;
}

// Returns the numbers of words that a lattice has, in ascending order.
std::vector<std::int32_t> numbers_of(const std::vector<std::string>& texts, const LatticeWords& words) {
  std::vector<std::int32_t> found;
  for (const auto& text : texts)
    if (const auto number = words.number(text); number > 0) found.push_back(number);
  std::sort(found.begin(), found.end());
  return found;
}

// Finds the word that comes first on all paths, as `_reached` in `corpus/outer_words.py` does: from the states `reached`
// on, over arcs with ε, as long as the way does not end. Arcs into a state come before those out of it.
class FirstWord {
 public:
  FirstWord(std::vector<std::uint8_t> reached, std::vector<std::uint8_t> ends)
      : reached_(std::move(reached)), ends_(std::move(ends)) {
    for (std::size_t s = 0; s < ends_.size(); ++s) has_none_ |= reached_[s] && ends_[s];
  }

  void pass(std::int32_t from, std::int32_t to, std::int32_t word) {
    if (!reached_[static_cast<std::size_t>(from)]) return;
    if (word == 0) {
      has_none_ |= ends_[static_cast<std::size_t>(to)];
      reached_[static_cast<std::size_t>(to)] = 1;
    } else if (word_ != 0 && word_ != word) {
      has_none_ = true;
    } else {
      word_ = word;
    }
  }

  // Returns the number of the word; 0 if there is none.
  std::int32_t word() const { return has_none_ ? 0 : word_; }

 private:
  std::vector<std::uint8_t> reached_, ends_;
  std::int32_t word_ = 0;
  bool has_none_ = false;
};

void find_outer_words(const ReadLattice& read, RateFindings& found) {
  const auto states = static_cast<std::size_t>(read.states);
  std::vector<std::uint8_t> start(states, 0), final(states, 0);
  start[0] = 1;
  for (const auto state : read.final) final[static_cast<std::size_t>(state)] = 1;
  FirstWord first(start, final), last(final, start);
  const std::size_t arcs = read.source.size();
  poll(4 * static_cast<std::int64_t>(arcs));
  for (std::size_t a = 0; a < arcs; ++a) first.pass(read.source[a], read.target[a], read.word[a]);
  for (std::size_t a = arcs; a-- > 0;) last.pass(read.target[a], read.source[a], read.word[a]);
  if (first.word() != 0) read.words.append(first.word(), found.first_word);
  if (last.word() != 0) read.words.append(last.word(), found.last_word);
}

String as_string(const std::vector<std::int32_t>& words) {
  return {words.data(), static_cast<std::int64_t>(words.size())};
}

std::string distinct_words(const ReadLattice& read) {
  auto numbers = read.word;
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::string text;
  for (const auto number : numbers) {
    poll(10);
    if (number == 0) continue;
    if (!text.empty()) text.push_back(' ');
    read.words.append(number, text);
  }
  return text;
}

}  // namespace

RateSearcher::RateSearcher(RateSettings settings) : settings_(std::move(settings)) {
  std::sort(settings_.silent.begin(), settings_.silent.end());
  seen_.resize(settings_.sought.size());
  for (const Gains gains : settings_.rates) aligners_.emplace_back(gains);
}

RateFindings RateSearcher::found(const RateTask& task, const TaskLimits& limits) {
  // Python reads such a lattice again, and says what is wrong. Other exceptions end the whole call: interrupts.
  try {
    const LimitedTask limited(limits);
    return searched(task);
  } catch (const TimedOut&) {
    RateFindings late;
    late.outcome = RateFindings::timed_out;
    return late;
  } catch (const ParseError&) {
  } catch (const std::bad_alloc&) {
  } catch (const std::logic_error&) {
  } catch (const std::runtime_error&) {
  }
  return {};
}

RateFindings RateSearcher::searched(const RateTask& task) {
  RateFindings found;
  ReadLattice read;
  if (!read_lattice(task, read)) return found;
  ignored_ = numbers_of(settings_.ignored, read.words);
  silent_ = numbers_of(settings_.silent, read.words);
  if (!number_references(read.words, task)) return found;
  std::vector<CostColumn> columns;
  for (std::size_t k = 0; k < read.costs.size(); ++k)
    if (settings_.weights[k] != 0)
      columns.push_back({read.costs[k].arc.data(), read.costs[k].final.data(), settings_.weights[k]});
  const TotalCost cost = total_cost(columns, read.arcs(), read.states, read.final.data(),
                                    static_cast<std::int64_t>(read.final.size()));
  if (!cost.can_be_added) return found;
  std::vector<std::int32_t> label, shown;  // if they differ from the words
  if (!silent_.empty()) label = without(read.word, silent_);
  if (!ignored_.empty()) shown = without(read.word, ignored_);
  const auto& said = ignored_.empty() ? read.word : shown;
  std::vector<std::uint8_t> is_word(read.word.size());
  std::transform(said.begin(), said.end(), is_word.begin(), [](std::int32_t word) { return word != 0; });
  const Lattice lattice{read.states,
                        read.arcs(),
                        read.source.data(),
                        read.target.data(),
                        silent_.empty() ? read.word.data() : label.data(),
                        is_word.data(),
                        cost.arc.data(),
                        cost.ends.data()};
  auto one_best = best_path(lattice.states, lattice.arcs, lattice.source, lattice.target, lattice.cost, lattice.is_word,
                            lattice.final_cost);
  for (std::size_t k = 0; k < settings_.rates.size(); ++k) {
    if (!add_oracle(lattice, k, found)) return {};
    found.one_best_score.push_back(scored(one_best, lattice, k));
  }
  for (auto& path : found.oracle) path = fields_of(std::move(path.arcs), read, lattice);
  if (settings_.outer_words) find_outer_words(read, found);
  if (is_poor(task, found)) found.used_words = distinct_words(read);
  look_for_words(read, task);
  found.one_best = fields_of(std::move(one_best), read, lattice);
  found.outcome = RateFindings::plain;
  return found;
}

// Numbers the words of the references that count. Returns false if Python may have to say something about them.
bool RateSearcher::number_references(const LatticeWords& words, const RateTask& task) {
  for (const auto& forms : task.forms)
    if (words.number(forms.front()) == unknown_word &&
        std::any_of(forms.begin() + 1, forms.end(), [&](auto form) { return words.number(form) != unknown_word; }))
      return false;
  const auto is_silent = [&](std::string_view word) {
    return std::binary_search(settings_.silent.begin(), settings_.silent.end(), word);
  };
  bool any = false, none_known = true;
  references_.resize(task.references.size());
  for (std::size_t r = 0; r < references_.size(); ++r) {
    auto& numbers = references_[r];
    numbers.clear();
    for (const auto word : task.references[r]) {
      const std::int32_t number = words.number(word);
      if (number == 0) return false;
      any = true;
      none_known &= number == unknown_word;
      if (!is_silent(word)) numbers.push_back(number);
    }
    if (!fits(numbers.size()) || (numbers.empty() && references_.size() > 1)) return false;
  }
  return !words.are_numbers() || !any || !none_known;  // numbers alone never match words
}

void RateSearcher::look_for_words(const ReadLattice& read, const RateTask& task) {
  for (std::size_t k = 0; k < seen_.size(); ++k) {
    if (seen_[k]) continue;
    const std::string_view word = settings_.sought[k];
    const std::int32_t number = read.words.number(word);
    seen_[k] = number > 0 && std::find(read.word.begin(), read.word.end(), number) != read.word.end();
    for (const auto& reference : task.references)
      seen_[k] |= std::find(reference.begin(), reference.end(), word) != reference.end();
  }
}

void RateSearcher::add_seen(std::set<std::string>& seen) const {
  for (std::size_t k = 0; k < seen_.size(); ++k)
    if (seen_[k]) seen.insert(settings_.sought[k]);
}

bool RateSearcher::fits(std::size_t reference_words) const {
  return reference_words <= longest_reference && std::all_of(settings_.rates.begin(), settings_.rates.end(), [&](Gains gains) {
    return (reference_words + 1) * (static_cast<std::size_t>(gains.order) + 1) <= most_states;
  });
}

// Finds the best path by a rate. Returns false if the tie rule must choose among paths that are best by different
// references.
bool RateSearcher::add_oracle(const Lattice& lattice, std::size_t rate, RateFindings& found) {
  const Gains gains = settings_.rates[rate];
  std::optional<Ratio> best;
  std::vector<std::int64_t> arcs;
  for (const auto& reference : references_) {
    auto path = search_lattice(lattice, reference.data(), static_cast<std::int32_t>(reference.size()), gains, {});
    const Ratio reached{path.gain, ngrams(reference.size(), gains.order)};
    const int order = best ? compared(reached, *best) : 1;
    if (order == 0 && path.arcs != arcs) return false;
    if (order <= 0) continue;
    best = reached;
    arcs = std::move(path.arcs);
  }
  found.oracle_score.push_back(scored(arcs, lattice, rate));
  const Ratio counted = rate_of(found.oracle_score.back().counts, gains);
  found.oracle.push_back({std::move(arcs), {}, {}});
  // If not, Python reports a bug.
  return best->total == 0 ? counted.gain == best->gain && counted.total == 0 : compared(counted, *best) == 0;
}

// Returns whether an oracle matches less than half of the words of its reference.
bool RateSearcher::is_poor(const RateTask& task, const RateFindings& found) const {
  return std::any_of(found.oracle_score.begin(), found.oracle_score.end(), [&](const ScoredFields& score) {
    const auto words = task.references[static_cast<std::size_t>(score.reference)].size();
    return 2 * score.counts[0] < static_cast<std::int64_t>(words);
  });
}

// Scores a path against the reference for which its rate is the best; of several, the first.
ScoredFields RateSearcher::scored(const std::vector<std::int64_t>& arcs, const Lattice& lattice, std::size_t rate) {
  said_.clear();
  for (const auto a : arcs)
    if (lattice.label[a] != 0) said_.push_back(lattice.label[a]);
  ScoredFields best;
  for (std::size_t r = 0; r < references_.size(); ++r) {
    const std::string& edits = aligners_[rate].align(as_string(said_), as_string(references_[r]));
    auto counts = count_edits(edits, settings_.rates[rate].order);
    if (r > 0 && compared(rate_of(counts, settings_.rates[rate]), rate_of(best.counts, settings_.rates[rate])) <= 0) continue;
    best = {static_cast<std::int32_t>(r), edits, std::move(counts)};
  }
  return best;
}

PathFields RateSearcher::fields_of(std::vector<std::int64_t> arcs, const ReadLattice& read, const Lattice& lattice) {
  PathFields path;
  const std::int32_t end = arcs.empty() ? 0 : lattice.target[arcs.back()];
  path.cost[0] = sum_along(arcs, lattice.cost, lattice.final_cost[end], values_);
  for (std::size_t k = 0; k < read.costs.size(); ++k)
    path.cost[k + 1] = sum_along(arcs, read.costs[k].arc.data(), read.costs[k].final[read.row_of(end)], values_);
  for (const auto a : arcs) {
    if (!lattice.is_word[a]) continue;
    if (!path.text.empty()) path.text.push_back(' ');
    read.words.append(read.word[static_cast<std::size_t>(a)], path.text);
  }
  path.arcs = std::move(arcs);
  return path;
}

std::vector<RateFindings> found_in_threads(const std::vector<RateTask>& tasks, const RateSettings& settings,
                                           const TaskLimits& limits, std::size_t threads, Budget::MostBytes most_bytes,
                                           std::set<std::string>& seen) {
  std::vector<RateFindings> found(tasks.size());
  std::deque<RateSearcher> searchers;
  for (std::size_t k = 0; k < threads; ++k) searchers.emplace_back(settings);
  in_threads(threads, tasks.size(), most_bytes, [&](std::size_t thread, std::size_t k) {
    if (!tasks[k].bytes.empty()) found[k] = searchers[thread].found(tasks[k], limits);
  });
  for (const RateSearcher& one : searchers) one.add_seen(seen);
  return found;
}

}  // namespace latticemetric
