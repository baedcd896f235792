#include "ngrams/forest_ngrams.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "memory/budget.hpp"

namespace latticemetric {
namespace {

constexpr std::int32_t most_ngrams = std::int32_t{1} << 21;
constexpr double first_least_count = 0.02;   // of the first level; each further level has a quarter of it

// Sums of rounded products may be too small by far less than this share.
constexpr double above_rounding = 1 + 1e-9;

std::int32_t longest_of(const ForestRules& rules, std::int32_t order) {
  return static_cast<std::int32_t>(std::max(1.0, std::min(rules.most_words(), static_cast<double>(order))));
}

}  // namespace

ForestNgrams::ForestNgrams(const ForestRules& rules, const ForestProbabilities& probabilities, std::int32_t order,
                           std::size_t most_bytes)
    : rules_(rules),
      probabilities_(probabilities),
      order_(longest_of(rules, order)),
      most_bytes_(most_bytes),
      rule_mass_(rule_masses(rules, probabilities)),
      occurrence_(rules, rule_mass_, probabilities.ending, most_bytes),
      posterior_{1} {}

const ForestNgrams::Bounds* ForestNgrams::bounds(std::size_t level, SearchEffort& effort) {
  try {
    while (levels_.size() <= level && !is_last_ && !effort.is_over())
      count_frequent(first_least_count * std::pow(0.25, static_cast<double>(levels_.size())), effort);
  } catch (const TooLarge&) {
    is_last_ = true;
  } catch (const OverBudget&) {
    is_last_ = true;
  }
  return level < levels_.size() ? levels_[level].get() : nullptr;
}

void ForestNgrams::count_frequent(double least_count, SearchEffort& effort) {
  const ForestContexts counted(rules_, probabilities_, rule_mass_, order_,
                               {least_count, most_ngrams, most_bytes_, &effort});
  if (!counted.is_complete()) {
    is_last_ = !effort.is_over();
    return;
  }
  auto bounds = std::make_unique<Bounds>();
  bounds->posterior.push_back(1);
  bounds->others = least_count * above_rounding;
  bounds->steps = counted.steps();
  std::vector<std::int32_t> kept(counted.expected.size(), NgramTrie::root);
  for (std::int32_t g = 1; g < counted.ngrams.size(); ++g) {
    if (!counted.is_frequent(g)) continue;
    kept[g] = bounds->ngrams.add(kept[counted.ngrams.parent(g)], counted.ngrams.word(g));
    bounds->posterior.push_back(std::min(counted.expected[g] * above_rounding, 1.0));
  }
  levels_.push_back(std::move(bounds));
}

double ForestNgrams::posterior(const std::vector<Symbol>& words) {
  if (static_cast<std::int32_t>(words.size()) > order_ || std::find(words.begin(), words.end(), foreign) != words.end())
    return 0;
  auto ngram = NgramTrie::root;
  for (const auto word : words) {
    ngram = asked_.add(ngram, word);
    if (static_cast<std::size_t>(ngram) == posterior_.size())
      posterior_.push_back(std::numeric_limits<double>::quiet_NaN());
  }
  if (std::isnan(posterior_[ngram])) {
    occurrence_.set_ngram(words);
    posterior_[ngram] = std::min(std::max(occurrence_.probability(), 0.0), 1.0);
  }
  return posterior_[ngram];
}

std::size_t ForestNgrams::size() const {
  auto size = static_cast<std::size_t>(asked_.size());
  for (const auto& level : levels_) size += level->posterior.size();
  return size;
}

}  // namespace latticemetric
