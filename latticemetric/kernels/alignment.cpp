#include "alignment.hpp"

#include <algorithm>
#include <cstdlib>

#include "budget.hpp"

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
  const auto cells = static_cast<std::size_t>(width) * (reference_words + 1);
  if (choice_.size() < cells) choice_ = filled(cells, Choice{0, never});

  for (std::int64_t i = reference_words; i >= 0; --i) {
    poll(2 * width);
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

}  // namespace latticemetric
