#include "strings/pair_counts.hpp"

#include <algorithm>
#include <string>

#include "memory/budget.hpp"
#include "strings/word_counts.hpp"

namespace latticemetric {
namespace {

// Up to so many words of a pair, counting them takes less time than aligning them.
constexpr std::int64_t most_counted = 300;

// Adds to `counts` the k-gram matches of an alignment for k = 1 .. order, then its S, D and I.
void count_edits(const std::string& edits, std::int32_t order, std::int64_t* counts) {
  std::int32_t run = 0;
  for (const char edit : edits) {
    if (edit == 'C') {
      run = std::min(run + 1, order);
      for (std::int32_t k = 0; k < run; ++k) ++counts[k];
    } else {
      run = 0;
      ++counts[order + (edit == 'S' ? 0 : edit == 'D' ? 1 : 2)];
    }
  }
}

}  // namespace

void PairCounter::add(String hypothesis, String reference, std::int32_t highest) {
  const std::int32_t order = gains_.order;
  const std::size_t before = rows_.size();
  rows_.resize(before + columns(), 0);
  std::int64_t* const row = rows_.data() + before;
  poll(10 * (hypothesis.size + reference.size));
  if (counts_words(gains_) && hypothesis.size + reference.size <= most_counted)
    count_words(hypothesis, reference, highest, row);
  else
    count_edits(aligner_.align(hypothesis, reference), order, row);
  for (std::int32_t k = 0; k < order; ++k) row[order + 3 + k] = std::max<std::int64_t>(0, reference.size - k);
}

void PairCounter::add(const TestSet& test) {
  const std::int32_t highest = test.hypotheses.bound() | test.references.bound();
  for (std::int64_t s = 0; s < test.hypotheses.count; ++s)
    for (auto r = test.owner[s]; r < test.owner[s + 1]; ++r)
      add(test.hypotheses.at(s), test.references.at(r), highest);
}

}  // namespace latticemetric
