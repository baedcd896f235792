#include "alignment.hpp"

#include <algorithm>
#include <cstdlib>

namespace latticemetric {
namespace {

constexpr std::uint8_t never = 255;  // order stays below it

}  // namespace

// One number orders alignments by (value, matches, -gaps):  value * value_unit + matches * match_unit - gaps.
// With V(i, j, m) the best completion after i reference and j candidate words, m matches just before
// (m <= order - 1), and N the best that does not match:
//
//   N(i, j)    = max( V(i+1, j+1, 0),  V(i+1, j, 0) - beta,  V(i, j+1, 0) - alpha )          S, D, I
//   V(i, j, m) = max( N(i, j),  m + 1 + V(i+1, j+1, min(m+1, order-1))  if c[j] = r[i] )
//
// Only V(., ., 0) is met away from matches, so the other rows are filled where words match. V grows with m:
// whether to match is a threshold on m, and a cell's decision fits in two bytes.
template <typename Key>
void Aligner::fill(const std::int32_t* candidate, std::int64_t candidate_words, const std::int32_t* reference,
                   std::int64_t reference_words, Key value_unit, Key match_unit) {
  const std::int64_t width = candidate_words + 1;
  const std::int32_t order = gains_.order;
  const Key insertion = -static_cast<Key>(gains_.alpha) * value_unit - 1;
  const Key deletion = -static_cast<Key>(gains_.beta) * value_unit - 1;
  const Key gram = static_cast<Key>(gains_.unit) * value_unit;
  // rows[parity of i] holds V(i, j, m) at [j * order + m].
  thread_local std::vector<Key> rows[2];
  for (auto& row : rows) row.resize(static_cast<std::size_t>(width) * order);
  choice_.resize(static_cast<std::size_t>(width) * (reference_words + 1));

  for (std::int64_t i = reference_words; i >= 0; --i) {
    Key* here = rows[i & 1].data();
    const Key* below = rows[(i + 1) & 1].data();
    Choice* choice = choice_.data() + i * width;
    for (std::int64_t j = candidate_words; j >= 0; --j) {
      Key* cell = here + j * order;
      const bool more_reference = i < reference_words, more_candidate = j < candidate_words;
      Key best = 0;
      std::uint8_t edit = 0;
      if (more_reference && more_candidate) {
        best = below[(j + 1) * order];
        edit = 'S';
      }
      if (more_reference) {
        const Key value = below[j * order] + deletion;
        if (!edit || value > best) best = value, edit = 'D';
      }
      if (more_candidate) {
        const Key value = here[(j + 1) * order] + insertion;
        if (!edit || value > best) best = value, edit = 'I';
      }
      choice[j] = {edit, never};
      if (!more_reference || !more_candidate || candidate[j] != reference[i]) {
        std::fill(cell, cell + order, best);
        continue;
      }
      const Key* matched = below + (j + 1) * order;
      for (std::int32_t m = order - 1; m >= 0; --m) {
        const Key value = (m + 1) * gram + match_unit + matched[std::min(m + 1, order - 1)];
        if (value >= best) choice[j].match_from = static_cast<std::uint8_t>(m);
        cell[m] = std::max(best, value);
      }
    }
  }
}

const std::string& Aligner::align(const std::int32_t* candidate, std::int64_t candidate_words,
                                  const std::int32_t* reference, std::int64_t reference_words) {
  const std::int64_t match_unit = candidate_words + reference_words + 1;
  const std::int64_t value_unit = match_unit * (reference_words + 2);
  const Wide largest = static_cast<Wide>(gains_.order + 1) * gains_.unit * (reference_words + 1) +
                       static_cast<Wide>(std::llabs(gains_.alpha)) * (candidate_words + 1) +
                       static_cast<Wide>(std::llabs(gains_.beta)) * (reference_words + 1);
  if (largest * value_unit < (static_cast<Wide>(1) << 61))
    fill<std::int64_t>(candidate, candidate_words, reference, reference_words, value_unit, match_unit);
  else
    fill<Wide>(candidate, candidate_words, reference, reference_words, value_unit, match_unit);

  edits_.clear();
  std::int64_t i = 0, j = 0;
  std::int32_t run = 0;
  while (i < reference_words || j < candidate_words) {
    const Choice choice = choice_[i * (candidate_words + 1) + j];
    const bool match = choice.match_from != never && run >= choice.match_from;
    const char edit = match ? 'C' : static_cast<char>(choice.edit);
    edits_.push_back(edit);
    run = match ? std::min(run + 1, gains_.order - 1) : 0;
    i += edit != 'I';
    j += edit != 'D';
  }
  return edits_;
}

// K(i, j) is the best of (M - I) * unit + M over alignments of i reference and j candidate words, unit larger than
// any M, so that it orders alignments by value, then by matches:
//
//   K(i, j) = max( K(i-1, j-1) + (r[i] = c[j] ? unit + 1 : 0),  K(i-1, j),  K(i, j-1) - unit )
//
// M + S + D = |r| and M + S + I = |c| make the other counts, so that nothing is left for the tie rule to decide.
// Cells of a diagonal i + j do not depend on one another: the loop over them becomes vector instructions.
bool WordCounter::count(const std::int32_t* candidate, std::int64_t candidate_words, const std::int32_t* reference,
                        std::int64_t reference_words, std::int64_t* counts) {
  constexpr std::int64_t largest = 15000;
  constexpr std::int16_t nothing = -30000;
  const std::int64_t unit = std::min(candidate_words, reference_words) + 1;
  if ((candidate_words + 1) * unit > largest || reference_words > largest) return false;
  const auto insertion = static_cast<std::int16_t>(unit), match = static_cast<std::int16_t>(unit + 1);
  reversed_.assign(candidate, candidate + candidate_words);
  std::reverse(reversed_.begin(), reversed_.end());
  // A cell before the first and one after the last hold nothing.
  for (auto& diagonal : diagonals_) diagonal.assign(static_cast<std::size_t>(reference_words) + 3, nothing);
  diagonals_[0][1] = 0;
  const std::int64_t last = candidate_words + reference_words;
  for (std::int64_t d = 1; d <= last; ++d) {
    const std::int64_t low = std::max<std::int64_t>(0, d - candidate_words), high = std::min(reference_words, d);
    const std::int16_t* __restrict before = diagonals_[(d + 2) % 3].data() + 1;
    const std::int16_t* __restrict twice = diagonals_[(d + 1) % 3].data();  // of i - 1
    std::int16_t* __restrict here = diagonals_[d % 3].data() + 1;
    const std::int32_t* __restrict said = reversed_.data();
    const std::int64_t offset = candidate_words - d;
    for (std::int64_t i = std::max<std::int64_t>(low, 1); i <= std::min(high, d - 1); ++i) {
      const auto gain = static_cast<std::int16_t>(reference[i - 1] == said[offset + i] ? match : 0);
      const auto diagonal = static_cast<std::int16_t>(twice[i] + gain);
      const auto inserted = static_cast<std::int16_t>(before[i] - insertion);
      here[i] = std::max(diagonal, std::max(before[i - 1], inserted));
    }
    if (low == 0) here[0] = static_cast<std::int16_t>(before[0] - insertion);
    if (high == d) here[d] = before[d - 1];
    here[low - 1] = here[high + 1] = nothing;
  }
  const std::int64_t key = diagonals_[last % 3][static_cast<std::size_t>(reference_words) + 1];
  const std::int64_t value = key >= 0 ? key / unit : -((unit - 1 - key) / unit);
  const std::int64_t matches = key - value * unit, insertions = matches - value;
  counts[0] = matches;
  counts[1] = candidate_words - matches - insertions;
  counts[2] = reference_words - matches - counts[1];
  counts[3] = insertions;
  return true;
}

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

}  // namespace latticemetric
