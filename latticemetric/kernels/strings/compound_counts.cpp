#include "strings/compound_counts.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "memory/budget.hpp"
#include "strings/word_alignment.hpp"

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

constexpr PackedCounts unreached = one_error << 21;  // no two strings have so many errors

using Numbers = std::pair<std::int64_t, std::int64_t>;  // a word or a place, and a place or a row with it

// A row holds only cells that an alignment of at most so many errors may pass: those whose errors, plus a lower bound
// of the errors that must follow, are no more. If a best alignment has no more, the cells that it passes have the
// values of the whole table, and no cell has less. An alignment that joins no words tells how many are enough; where
// many words may be joined, fewer are tried first.
class CompoundAligner {
 public:
  // Strings of more words are aligned without joined words first. For shorter ones, that does not save time.
  explicit CompoundAligner(std::int64_t longest) : longest_(longest) {}

  // Writes the counts of one pair.
  void count(String hypothesis, String reference, JoinedWords hypothesis_joins, std::int64_t s,
             JoinedWords reference_joins, std::int64_t r, std::int64_t* counts) {
    hypothesis_ = hypothesis;
    reference_ = reference;
    prepare(hypothesis_joins, s, reference_joins, r);
    const std::int64_t enough = errors_without_joins();
    most_errors_ = saves_most_of(enough) ? few_errors : enough;
    for (make_all(reference_joins); !row(reference.size).has(hypothesis.size); make_all(reference_joins))
      most_errors_ = std::min(4 * most_errors_, enough);
    const PackedCounts last = row(reference.size).at(hypothesis.size);
    const auto insertions = static_cast<std::int64_t>(last >> insertion_bit & count_mask);
    const auto deletions = static_cast<std::int64_t>(last & count_mask);
    counts[0] = static_cast<std::int64_t>(last >> cost_bit) - insertions - deletions;
    counts[1] = deletions;
    counts[2] = insertions;
  }

 private:
  static constexpr std::int64_t few_errors = 64;

  // The cells from `first` to `last`, and an unreached one on either side. There may be none.
  struct Row {
    std::int64_t first = 0, last = -1;
    std::int64_t origin = 0;  // cells[0] belongs here
    std::vector<PackedCounts> cells;

    bool is_empty() const { return first > last; }
    bool has(std::int64_t j) const { return first <= j && j <= last; }
    PackedCounts& at(std::int64_t j) { return cells[static_cast<std::size_t>(j - origin)]; }
    // Sets a cell that may come after all others.
    void put(std::int64_t j, PackedCounts counts) {
      if (static_cast<std::size_t>(j - origin) == cells.size()) cells.push_back(0);
      at(j) = counts;
    }
  };

  // Several words of the hypothesis that make one word: the row of the list that has them.
  struct Joined {
    std::int64_t word, end, row;
    bool operator<(const Joined& other) const {
      return std::tie(word, end, row) < std::tie(other.word, other.end, other.row);
    }
  };

  // A jump: the cell `at` may take the value of a distant cell, since the words between them are joined.
  struct Jump {
    std::int64_t at;
    PackedCounts value;
  };

  Row& row(std::int64_t i) { return rows_[static_cast<std::size_t>(i % depth_)]; }

  // ---- Before the rows ------------------------------------------------------------------------------------------

  // Lists the hypothesis's words, and its joined words, by word; and the reference's joined words by place.
  void prepare(JoinedWords hypothesis_joins, std::int64_t s, JoinedWords reference_joins, std::int64_t r) {
    depth_ = 2;
    list_by_end(hypothesis_joins, s);
    find_saved(hypothesis_joins, hypothesis_.size, hypothesis_saves_);
    list_by_end(reference_joins, r);
    find_saved(reference_joins, reference_.size, reference_saves_);
    for (const auto& [end, k] : by_end_) depth_ = std::max<std::int64_t>(depth_, reference_joins.length[k] + 1);
    places_.clear();
    if (!by_end_.empty())
      for (std::int64_t j = 0; j < hypothesis_.size; ++j) places_.emplace_back(hypothesis_.begin[j], j + 1);
    std::sort(places_.begin(), places_.end());
    joined_.clear();
    longest_joined_ = 0;
    for (auto k = hypothesis_joins.begin[s]; k < hypothesis_joins.begin[s + 1]; ++k) {
      joined_.push_back({hypothesis_joins.word[k], hypothesis_joins.end[k], k});
      longest_joined_ = std::max<std::int64_t>(longest_joined_, hypothesis_joins.length[k]);
    }
    std::sort(joined_.begin(), joined_.end());
    hypothesis_joins_ = hypothesis_joins;
  }

  void list_by_end(JoinedWords joins, std::int64_t s) {
    by_end_.clear();
    for (auto k = joins.begin[s]; k < joins.begin[s + 1]; ++k) by_end_.emplace_back(joins.end[k], k);
    std::sort(by_end_.begin(), by_end_.end());
  }

  // Finds, for each place, by how many words a string can become shorter at most if words after the place are joined.
  // Takes the joined words in `by_end_`.
  void find_saved(JoinedWords joins, std::int64_t size, std::vector<std::int64_t>& saves) const {
    saves.assign(static_cast<std::size_t>(size) + 1, 0);
    if (by_end_.empty()) return;
    auto next = by_end_.rbegin();
    for (auto place = size; place >= 0; --place) {
      const auto at = static_cast<std::size_t>(place);
      if (place < size) saves[at] = std::max(saves[at], saves[at + 1]);
      for (; next != by_end_.rend() && next->first == place; ++next) {
        const std::int64_t length = joins.length[next->second];
        auto& before = saves[at - static_cast<std::size_t>(length)];
        before = std::max(before, saves[at] + length - 1);
      }
    }
  }

  std::int64_t errors_without_joins() {
    const auto [shorter, longer] = std::minmax(hypothesis_.size, reference_.size);
    if (shorter <= longest_) return longer;
    return words_.fewest_errors(hypothesis_, reference_);
  }

  // Returns whether joined words may save three quarters of the errors. Joined words save at most one error each, and a
  // string has at most twice as many of them as it becomes shorter.
  bool saves_most_of(std::int64_t errors) const {
    return errors > few_errors && 2 * (hypothesis_saves_[0] + reference_saves_[0]) > errors / 4 * 3;
  }

  // ---- Rows -----------------------------------------------------------------------------------------------------

  void make_all(JoinedWords reference_joins) {
    next_ = 0;
    rows_.resize(static_cast<std::size_t>(depth_));
    start();
    for (std::int64_t i = 1; i <= reference_.size; ++i) {
      find_jumps(i, reference_joins);
      make(i);
    }
  }

  void start() {
    Row& here = row(0);
    here.first = here.last = 0;
    here.origin = -1;
    here.cells.assign({unreached, 0, unreached});
    limit(0, here);
  }

  // Finds the jumps into row i: first those where one hypothesis word equals several reference words, then those where
  // this reference word equals several hypothesis words.
  void find_jumps(std::int64_t i, JoinedWords reference_joins) {
    jumps_.clear();
    const auto jump = [this](Row& from, std::int64_t before, std::int64_t at) {
      if (from.has(before)) jumps_.push_back({at, from.at(before)});
    };
    for (; next_ < by_end_.size() && by_end_[next_].first == i; ++next_) {
      const auto k = by_end_[next_].second;
      Row& from = row(i - reference_joins.length[k]);
      const std::int64_t word = reference_joins.word[k];
      auto p = std::lower_bound(places_.begin(), places_.end(), Numbers{word, from.first + 1});
      for (; p != places_.end() && p->first == word && p->second <= from.last + 1; ++p)
        jump(from, p->second - 1, p->second);
    }
    Row& above = row(i - 1);
    const std::int32_t word = reference_.begin[i - 1];
    auto p = std::lower_bound(joined_.begin(), joined_.end(), Joined{word, above.first, 0});
    for (; p != joined_.end() && p->word == word && p->end <= above.last + longest_joined_; ++p)
      jump(above, p->end - hypothesis_joins_.length[p->row], p->end);
    const auto is_before = [](const Jump& a, const Jump& b) { return a.at < b.at; };
    if (!std::is_sorted(jumps_.begin(), jumps_.end(), is_before))
      std::stable_sort(jumps_.begin(), jumps_.end(), is_before);
  }

  void make(std::int64_t i) {
    Row &here = row(i), &above = row(i - 1);
    here.first = above.is_empty() ? hypothesis_.size + 1 : above.first;
    here.last = above.is_empty() ? -1 : std::min(hypothesis_.size, above.last + 1);
    if (!jumps_.empty()) {
      here.first = std::min(here.first, jumps_.front().at);
      here.last = std::max(here.last, jumps_.back().at);
    }
    if (here.is_empty()) return;
    poll(2 * (here.last - here.first));
    here.origin = here.first - 1;
    here.cells.resize(static_cast<std::size_t>(here.last - here.first + 3));
    here.at(here.first - 1) = unreached;
    std::int64_t j = here.first;
    for (const Jump& jump : jumps_) {
      fill(i, above, here, j, jump.at + 1);
      j = std::max(j, jump.at + 1);
      PackedCounts& cell = here.at(jump.at);
      if (jump.value >> cost_bit < cell >> cost_bit) cell = jump.value;
    }
    fill(i, above, here, j, here.last + 1);
    limit(i, here);
  }

  // Fills the cells from `j` up to `end`. Beside the row above, they are reached only by insertions.
  void fill(std::int64_t i, Row& above, Row& here, std::int64_t j, std::int64_t end) const {
    const std::int32_t word = reference_.begin[i - 1];
    PackedCounts* const cells = here.cells.data() - here.origin;
    PackedCounts left = here.at(j - 1);
    const auto insert = [&](std::int64_t until) {
      for (; j < until; ++j) cells[j] = left += insertion;
    };
    if (!above.is_empty()) {
      insert(std::min(end, above.first));
      const PackedCounts* const up = above.cells.data() - above.origin;
      if (j == 0 && end > 0) cells[j++] = left = up[0] + deletion;  // no word of the hypothesis comes before
      for (const auto until = std::min(end, above.last + 2); j < until; ++j) {
        const PackedCounts pair = up[j - 1] + (hypothesis_.begin[j - 1] == word ? is_pair : is_pair + one_error);
        const PackedCounts other = std::min(pair, up[j] + (deletion + is_deletion));
        const PackedCounts inserted = left + insertion;
        left = other < inserted ? other & without_choice : inserted;
        cells[j] = left;
      }
    }
    insert(end);
  }

  // Limits a row to the cells that a best alignment may pass. Adds those that it reaches by insertions.
  void limit(std::int64_t i, Row& here) {
    while (here.last >= here.first && !may_be_passed(i, here.last, here.at(here.last))) --here.last;
    while (here.first <= here.last && !may_be_passed(i, here.first, here.at(here.first))) ++here.first;
    if (here.is_empty()) return;
    while (here.last < hypothesis_.size) {
      const PackedCounts next = here.at(here.last) + insertion;
      if (!may_be_passed(i, here.last + 1, next)) break;
      here.put(++here.last, next);
    }
    here.put(here.last + 1, unreached);
    here.at(here.first - 1) = unreached;
  }

  // Where one rest has more words than the other, even with as many of them joined as possible, errors must follow.
  bool may_be_passed(std::int64_t i, std::int64_t j, PackedCounts counts) const {
    const std::int64_t longer = (hypothesis_.size - j) - (reference_.size - i);
    const std::int64_t must_follow = std::max(longer - hypothesis_saves_[static_cast<std::size_t>(j)],
                                              -longer - reference_saves_[static_cast<std::size_t>(i)]);
    return static_cast<std::int64_t>(counts >> cost_bit) + std::max<std::int64_t>(0, must_follow) <= most_errors_;
  }

  const std::int64_t longest_;
  WordAligner words_;
  String hypothesis_{}, reference_{};
  std::int64_t depth_ = 2, most_errors_ = 0;
  std::size_t next_ = 0;
  JoinedWords hypothesis_joins_{};
  std::int64_t longest_joined_ = 0;
  std::vector<Numbers> by_end_, places_;
  std::vector<Joined> joined_;
  std::vector<std::int64_t> hypothesis_saves_, reference_saves_;
  std::vector<Jump> jumps_;
  std::vector<Row> rows_;
};

}  // namespace

std::vector<std::int64_t> compound_counts(const TestSet& test, JoinedWords hypotheses, JoinedWords references,
                                          std::int64_t longest) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(3 * test.references.count));
  CompoundAligner aligner(longest);
  for (std::int64_t s = 0; s < test.hypotheses.count; ++s)
    for (auto r = test.owner[s]; r < test.owner[s + 1]; ++r)
      aligner.count(test.hypotheses.at(s), test.references.at(r), hypotheses, s, references, r, &counts[3 * r]);
  return counts;
}

}  // namespace latticemetric
