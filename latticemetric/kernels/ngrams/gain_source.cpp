#include "ngrams/gain_source.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace latticemetric {
namespace {

// The work of the next level, in items of a search, for each step of the level before. With a quarter of the threshold,
// there may be 64 times as many steps; a step takes about a tenth of the time of an item.
constexpr double items_a_step = 64 * 0.1;

}  // namespace

GivenGains::GivenGains(const ForestNgramGains& gains, std::int32_t longest)
    : known_(gains.word, std::vector<double>(static_cast<std::size_t>(std::min(gains.order, longest)), 0)) {
  const NgramTrie& given = gains.ngrams;
  std::vector<std::int32_t> known(static_cast<std::size_t>(given.size()), NgramTrie::root);
  for (const auto g : given.by_length())
    if (g != NgramTrie::root && given.length(g) <= known_.order())
      known[g] = known_.set(known[given.parent(g)], given.word(g), gains.gain[g]);
  known_.settle();
}

EvidenceGains::EvidenceGains(ForestNgrams& evidence, PosteriorGains gains)
    : evidence_(evidence), gains_(std::move(gains)), known_(nothing_known(1)) {}

double EvidenceGains::gain(const NumberedWords& words) {
  double gain = gains_.word * static_cast<double>(words.size());
  for (std::size_t n = 1; n <= gains_.factor.size(); ++n)
    for (auto first = words.begin(); words.end() - first >= static_cast<std::ptrdiff_t>(n); ++first)
      gain += rounded(gains_.factor[n - 1] * evidence_.posterior({first, first + static_cast<std::ptrdiff_t>(n)}));
  return gain;
}

bool EvidenceGains::learn(const std::vector<NumberedWords>& strings) {
  bool any_changes = false;
  for (const auto& words : strings) any_changes |= set_gains(words);
  learned_.insert(learned_.end(), strings.begin(), strings.end());
  known_.settle();
  return any_changes;
}

void EvidenceGains::refine(SearchEffort& effort) {
  const auto* const bounds = evidence_.bounds(level_, effort);
  if (bounds == nullptr) {
    work_to_refine_ = std::numeric_limits<double>::infinity();
    return;
  }
  ++level_;
  work_to_refine_ = items_a_step * static_cast<double>(bounds->steps);
  known_ = nothing_known(bounds->others);
  std::vector<std::int32_t> known(static_cast<std::size_t>(bounds->ngrams.size()), NgramTrie::root);
  for (const auto g : bounds->ngrams.by_length()) {
    const auto length = bounds->ngrams.length(g);
    if (length == 0 || length > known_.order()) continue;
    known[g] = known_.set(known[bounds->ngrams.parent(g)], bounds->ngrams.word(g),
                          rounded_up(gains_.factor[length - 1] * bounds->posterior[g]));
  }
  for (const auto& words : learned_) set_gains(words);
  known_.settle();
}

// Shorter n-grams go first: with an n-gram, all within it must be known.
bool EvidenceGains::set_gains(const NumberedWords& words) {
  bool any_changes = false;
  for (std::size_t n = 1; n <= gains_.factor.size(); ++n)
    for (auto first = words.begin(); words.end() - first >= static_cast<std::ptrdiff_t>(n); ++first) {
      const NumberedWords ngram(first, first + static_cast<std::ptrdiff_t>(n));
      auto parent = NgramTrie::root;
      for (std::size_t k = 0; k + 1 < n; ++k) parent = known_.longer(parent, ngram[k]);
      const double gain = rounded(gains_.factor[n - 1] * evidence_.posterior(ngram));
      const auto known = known_.longer(parent, ngram.back());
      any_changes |= known == NgramTrie::none || known_.gain(known) != gain;
      known_.set(parent, ngram.back(), gain);
    }
  return any_changes;
}

double EvidenceGains::rounded(double gain) const { return std::nearbyint(gain / gains_.unit) * gains_.unit; }

double EvidenceGains::rounded_up(double gain) const { return std::ceil(gain / gains_.unit) * gains_.unit; }

// Returns bounds for n-grams that all have at most this posterior.
KnownNgrams EvidenceGains::nothing_known(double posterior) const {
  std::vector<double> others;
  for (const double factor : gains_.factor) others.push_back(rounded_up(factor * posterior));
  return {gains_.word, std::move(others)};
}

}  // namespace latticemetric
