// Where a search gets the gains of n-grams from: they are all known, or become known as the search needs them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "ngrams/forest_ngrams.hpp"
#include "ngrams/known_ngrams.hpp"
#include "ngrams/search_effort.hpp"

namespace latticemetric {

using NumberedWords = std::vector<std::int32_t>;

class GainSource {
 public:
  virtual ~GainSource() = default;

  // Returns upper bounds of the gains of all n-grams.
  virtual const KnownNgrams& bounds() const = 0;

  // Returns the exact gain of a string.
  virtual double gain(const NumberedWords& words) = 0;

  // Replaces the bounds of the n-grams of these strings by their gains. Returns whether any bound has changed.
  virtual bool learn(const std::vector<NumberedWords>& strings) = 0;

  // Makes the bounds of all n-grams closer, if possible.
  virtual void refine(SearchEffort& effort) = 0;

  // Returns the work that the next call of `refine` takes, estimated in items of a search; infinity if there is
  // nothing to do.
  virtual double work_to_refine() const = 0;
};

// The gain of a string: `gain[g]` for each occurrence of each n-gram g of the trie, and `word` for each word. For each
// n-gram, the trie also holds every shorter n-gram within it.
struct ForestNgramGains {
  const NgramTrie& ngrams;
  const double* gain;
  double word;
  std::int32_t order;
};

// Gains that are all known.
class GivenGains : public GainSource {
 public:
  // N-grams of more than `longest` words occur in no string.
  GivenGains(const ForestNgramGains& gains, std::int32_t longest);

  const KnownNgrams& bounds() const override { return known_; }
  double gain(const NumberedWords& words) override { return known_.gain_of(words); }
  bool learn(const std::vector<NumberedWords>&) override { return false; }
  void refine(SearchEffort&) override {}
  double work_to_refine() const override { return std::numeric_limits<double>::infinity(); }

 private:
  KnownNgrams known_;
};

// An n-gram of n words gains `factor[n - 1]` times its posterior, and a word gains `word`. Gains are rounded to
// multiples of `unit`, so that sums are exact; `word` is such a multiple.
struct PosteriorGains {
  std::vector<double> factor;
  double word, unit;
};

// Gains from the posteriors of another forest, or of the same. Nothing is known before the first call of `refine`.
class EvidenceGains : public GainSource {
 public:
  EvidenceGains(ForestNgrams& evidence, PosteriorGains gains);

  const KnownNgrams& bounds() const override { return known_; }
  double gain(const NumberedWords& words) override;
  bool learn(const std::vector<NumberedWords>& strings) override;
  void refine(SearchEffort& effort) override;
  double work_to_refine() const override { return work_to_refine_; }

 private:
  double rounded(double gain) const;
  double rounded_up(double gain) const;
  KnownNgrams nothing_known(double posterior) const;
  bool set_gains(const NumberedWords& words);

  ForestNgrams& evidence_;
  const PosteriorGains gains_;
  std::size_t level_ = 0;   // the next level of bounds
  double work_to_refine_ = 0;
  KnownNgrams known_;
  std::vector<NumberedWords> learned_;
};

}  // namespace latticemetric
