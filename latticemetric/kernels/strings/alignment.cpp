#include "strings/alignment.hpp"

#include <algorithm>
#include <cstdlib>

#include "memory/budget.hpp"
#include "strings/long_alignment.hpp"

namespace latticemetric {
namespace {

constexpr std::uint8_t never = 255;  // larger than every order

}  // namespace

// One number orders alignments by (value, matches, -gaps): value * value_unit + matches * match_unit - gaps. V(i, j, m)
// is the best completion after i reference and j hypothesis words, with m matches just before (m <= order - 1). N is the
// best completion that does not begin with a match:
//
//   N(i, j)    = max( V(i+1, j+1, 0),  V(i+1, j, 0) - beta,  V(i, j+1, 0) - alpha )          S, D, I
//   V(i, j, m) = max( N(i, j),  m + 1 + V(i+1, j+1, min(m+1, order-1))  if c[j] = r[i] )
//
// This is an unrolled form of `EditGains::each_reading`. Away from matches, only V(., ., 0) is needed, so the other rows are filled only where words match. V does not fall as
// m grows: whether to match is a threshold on m, and the decision of a cell fits into two bytes.
template <typename Key>
void Aligner::fill(String hypothesis, String reference, Key value_unit, Key match_unit) {
  const std::int64_t breadth = hypothesis.size + 1;
  const std::int32_t order = gains_.order;
  const auto key = [&](std::int64_t gain) { return static_cast<Key>(static_cast<Key>(gain) * value_unit); };
  const EditGains<Key> gains(order, key(gains_.unit), key(gains_.alpha), key(gains_.beta));
  const Key insertion = gains.insertion - 1, deletion = gains.deletion - 1;
  // rows[parity of i] holds V(i, j, m) at [j * order + m].
  thread_local std::vector<Key> rows[2];
  for (auto& row : rows) row.resize(static_cast<std::size_t>(hypothesis.size + 1) * order);
  const auto cells = static_cast<std::size_t>(breadth * (reference.size + 1));
  if (choice_.size() < cells) choice_ = filled(cells, Choice{0, never});

  for (std::int64_t i = reference.size; i >= 0; --i) {
    poll(2 * breadth);
    Key* here = rows[i & 1].data();
    const Key* below = rows[(i + 1) & 1].data();
    Choice* choice = choice_.data() + i * breadth;
    for (std::int64_t j = hypothesis.size; j >= 0; --j) {
      Key* cell = here + j * order;
      const bool more_reference = i < reference.size, more_hypothesis = j < hypothesis.size;
      Key best = 0;
      std::uint8_t edit = 0;
      if (more_reference && more_hypothesis) {
        best = below[(j + 1) * order] + gains.substitution;
        edit = 'S';
      }
      if (more_reference) {
        const Key value = below[j * order] + deletion;
        if (!edit || value > best) best = value, edit = 'D';
      }
      if (more_hypothesis) {
        const Key value = here[(j + 1) * order] + insertion;
        if (!edit || value > best) best = value, edit = 'I';
      }
      choice[j] = {edit, never};
      if (!more_reference || !more_hypothesis || hypothesis.begin[j] != reference.begin[i]) {
        std::fill(cell, cell + order, best);
        continue;
      }
      const Key* matched = below + (j + 1) * order;
      for (std::int32_t m = order - 1; m >= 0; --m) {
        const Key value = gains.match(m) + match_unit + matched[gains.next_run(m)];
        if (value >= best) choice[j].match_from = static_cast<std::uint8_t>(m);
        cell[m] = std::max(best, value);
      }
    }
  }
}

const std::string& Aligner::align(String hypothesis, String reference) {
  if (counts_words(gains_)) return words_.align(hypothesis, reference);
  const std::int64_t match_unit = hypothesis.size + reference.size + 1;
  const std::int64_t value_unit = match_unit * (reference.size + 2);
  const auto largest = 2 * largest_gain<Int128>(gains_, hypothesis.size, reference.size);
  const bool is_long = std::max(hypothesis.size, reference.size) > longest_in_table_;
  if (is_long && align_long(hypothesis, reference, gains_, edits_)) return edits_;
  if (largest * value_unit < (static_cast<Int128>(1) << 61))
    fill<std::int64_t>(hypothesis, reference, value_unit, match_unit);
  else
    fill<Int128>(hypothesis, reference, value_unit, match_unit);
  read(hypothesis, reference);
  return edits_;
}

void Aligner::read(String hypothesis, String reference) {
  edits_.clear();
  std::int64_t i = 0, j = 0;
  std::int32_t run = 0;
  while (i < reference.size || j < hypothesis.size) {
    const Choice choice = choice_[i * (hypothesis.size + 1) + j];
    const bool match = choice.match_from != never && run >= choice.match_from;
    const char edit = match ? 'C' : static_cast<char>(choice.edit);
    edits_.push_back(edit);
    run = match ? next_run(gains_.order, run) : 0;
    i += edit != 'I';
    j += edit != 'D';
  }
}

std::vector<std::int64_t> count_edits(std::string_view edits, std::int32_t order) {
  std::vector<std::int64_t> counts(2 * static_cast<std::size_t>(order) + 3, 0);
  auto *const others = counts.data() + order, *const ngrams = others + 3;
  std::int64_t run = 0, words = 0;  // matches in a row; words of the reference
  for (const char edit : edits) {
    run = edit == 'C' ? run + 1 : 0;
    // The k-th match in a row completes one n-gram of each length up to k.
    for (std::int64_t k = 0; k < std::min<std::int64_t>(run, order); ++k) ++counts[k];
    others[0] += edit == 'S';
    others[1] += edit == 'D';
    others[2] += edit == 'I';
    words += edit != 'I';
  }
  for (std::int64_t k = 0; k < order; ++k) ngrams[k] = std::max<std::int64_t>(0, words - k);
  return counts;
}

}  // namespace latticemetric
