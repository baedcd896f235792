#include "strings/compound_counts.hpp"

#include <algorithm>
#include <utility>

#include "memory/budget.hpp"

namespace latticemetric {
namespace {

// A cell is one number that packs, from the highest bits on: errors, two bits for the choice among equals, insertions,
// deletions. The choice is the smallest number, so errors decide; among equals an insertion is best, then a deletion,
// then a match or substitution. This is the order of kaldialign; the numbers of insertions, deletions and substitutions
// depend on it.
using PackedCounts = std::uint64_t;
constexpr int cost_bit = 42, choice_bit = 40, insertion_bit = 20;
constexpr PackedCounts one_error = PackedCounts{1} << cost_bit;
constexpr PackedCounts insertion = one_error + (PackedCounts{1} << insertion_bit);
constexpr PackedCounts deletion = one_error + 1;
constexpr PackedCounts is_deletion = PackedCounts{1} << choice_bit, is_pair = PackedCounts{2} << choice_bit;
constexpr PackedCounts without_choice = ~(PackedCounts{3} << choice_bit);
constexpr PackedCounts count_mask = (PackedCounts{1} << insertion_bit) - 1;

using Row = std::pair<std::int64_t, std::int64_t>;  // a word or a place, and a place or a row with it

class CompoundAligner {
 public:
  // Writes the counts of one pair.
  void count(String candidate, String reference, JoinedWords candidate_joins, std::int64_t s,
             JoinedWords reference_joins, std::int64_t r, std::int64_t* counts) {
    prepare(candidate, candidate_joins, s, reference_joins, r);
    const std::int64_t breadth = candidate.size + 1;
    rows_.assign(static_cast<std::size_t>(depth_ * breadth), 0);
    for (std::int64_t j = 0; j < breadth; ++j) rows_[j] = static_cast<PackedCounts>(j) * insertion;
    for (std::int64_t i = 1; i <= reference.size; ++i) {
      poll(2 * breadth);
      const std::int32_t word = reference.begin[i - 1];
      find_jumps(i, word, reference_joins);
      fill(candidate, i, word);
    }
    const PackedCounts last = row(reference.size)[candidate.size];
    const auto insertions = static_cast<std::int64_t>(last >> insertion_bit & count_mask);
    const auto deletions = static_cast<std::int64_t>(last & count_mask);
    counts[0] = static_cast<std::int64_t>(last >> cost_bit) - insertions - deletions;
    counts[1] = deletions;
    counts[2] = insertions;
  }

 private:
  // A jump: the cell `at` may take the value of the distant cell `from`, since the words between them are joined.
  struct Jump {
    std::int64_t at;
    const PackedCounts* from;
  };

  PackedCounts* row(std::int64_t i) { return rows_.data() + i % depth_ * breadth_; }

  // Lists the candidate's words, and its joined words, by word; and the reference's joined words by place.
  void prepare(String candidate, JoinedWords candidate_joins, std::int64_t s, JoinedWords reference_joins,
               std::int64_t r) {
    breadth_ = candidate.size + 1;
    depth_ = 2;
    by_end_.clear();
    for (auto k = reference_joins.begin[r]; k < reference_joins.begin[r + 1]; ++k) {
      depth_ = std::max<std::int64_t>(depth_, reference_joins.length[k] + 1);
      by_end_.emplace_back(reference_joins.end[k], k);
    }
    std::sort(by_end_.begin(), by_end_.end());
    places_.clear();
    if (!by_end_.empty())
      for (std::int64_t j = 0; j < candidate.size; ++j) places_.emplace_back(candidate.begin[j], j + 1);
    std::sort(places_.begin(), places_.end());
    joined_.clear();
    for (auto k = candidate_joins.begin[s]; k < candidate_joins.begin[s + 1]; ++k)
      joined_.emplace_back(candidate_joins.word[k], k);
    std::sort(joined_.begin(), joined_.end());
    next_ = 0;
    candidate_joins_ = candidate_joins;
  }

  // Finds the jumps into row i: first those where one candidate word equals several reference words, then those where
  // this reference word equals several candidate words.
  void find_jumps(std::int64_t i, std::int32_t word, JoinedWords reference_joins) {
    jumps_.clear();
    for (; next_ < by_end_.size() && by_end_[next_].first == i; ++next_) {
      const auto k = by_end_[next_].second;
      const PackedCounts* const before = row(i - reference_joins.length[k]);
      for (auto p = first_of(places_, reference_joins.word[k]); p != places_.end() &&
           p->first == reference_joins.word[k]; ++p)
        jumps_.push_back({p->second, before + p->second - 1});
    }
    const PackedCounts* const above = row(i - 1);
    for (auto p = first_of(joined_, word); p != joined_.end() && p->first == word; ++p) {
      const std::int32_t end = candidate_joins_.end[p->second];
      jumps_.push_back({end, above + end - candidate_joins_.length[p->second]});
    }
    std::stable_sort(jumps_.begin(), jumps_.end(), [](const Jump& a, const Jump& b) { return a.at < b.at; });
  }

  static std::vector<Row>::const_iterator first_of(const std::vector<Row>& rows, std::int64_t word) {
    return std::lower_bound(rows.begin(), rows.end(), Row{word, -1});
  }

  void fill(String candidate, std::int64_t i, std::int32_t word) {
    PackedCounts* const here = row(i);
    const PackedCounts* const above = row(i - 1);
    here[0] = above[0] + deletion;
    std::int64_t j = 1;
    for (const Jump& jump : jumps_) {
      fill(candidate, word, above, here, j, jump.at + 1);
      j = jump.at + 1;
      if (*jump.from >> cost_bit < here[jump.at] >> cost_bit) here[jump.at] = *jump.from;
    }
    fill(candidate, word, above, here, j, candidate.size + 1);
  }

  static void fill(String candidate, std::int32_t word, const PackedCounts* above, PackedCounts* here, std::int64_t j,
                   std::int64_t end) {
    PackedCounts left = here[j - 1];
    for (; j < end; ++j) {
      const PackedCounts pair = above[j - 1] + (candidate.begin[j - 1] == word ? is_pair : is_pair + one_error);
      const PackedCounts other = std::min(pair, above[j] + (deletion + is_deletion));
      const PackedCounts inserted = left + insertion;
      left = other < inserted ? other & without_choice : inserted;
      here[j] = left;
    }
  }

  std::int64_t breadth_ = 1, depth_ = 2;
  std::size_t next_ = 0;
  JoinedWords candidate_joins_{};
  std::vector<Row> by_end_, places_, joined_;
  std::vector<Jump> jumps_;
  std::vector<PackedCounts> rows_;
};

}  // namespace

std::vector<std::int64_t> compound_counts(const TestSet& test, JoinedWords candidates, JoinedWords references) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(3 * test.references.count));
  CompoundAligner aligner;
  for (std::int64_t s = 0; s < test.candidates.count; ++s)
    for (auto r = test.owner[s]; r < test.owner[s + 1]; ++r)
      aligner.count(test.candidates.at(s), test.references.at(r), candidates, s, references, r, &counts[3 * r]);
  return counts;
}

}  // namespace latticemetric
