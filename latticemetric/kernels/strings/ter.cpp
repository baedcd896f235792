#include "strings/ter.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <tuple>

#include "memory/bits.hpp"
#include "memory/budget.hpp"
#include "recognition/myers_step.hpp"

// The fewest edits with shifts are hard to find (Shapira & Storer 2002), so the search is greedy. Of all shifts that
// the rules allow, it makes the one that leaves the fewest edits; it repeats this until no shift leaves fewer (Snover
// et al. 2006, section 3). The result depends on these rules and limits. They are tercom's, with sacrebleu's limits of
// the band and of the number of shifts that are tried:
//
// - At most 10 words move, to where the reference has them. The numbers of both places differ by 50 at most.
// - Some of the words are edited where they stand, and so are some of the reference words where they would go.
// - They go after a word that is aligned with one of those reference words, or with the reference word before them.
//   The first of those reference words is not aligned with a word that moves.
// - Of shifts that leave equally few edits, the longest is made, then the first, then the one that goes furthest left.
//
// Edits are counted in a band around the diagonal. Ties prefer a match or a substitution, then a deletion.
namespace latticemetric {
namespace {

constexpr std::int64_t most_shifted = 10, furthest = 50, half_band = 25, most_tried = 1000;

// The columns that are filled in each row, for one size of both strings. There is a row for each word of the hypothesis.
struct Band {
  std::int64_t hypothesis, reference, half;
  double slope;

  Band(std::int64_t hypothesis, std::int64_t reference)
      : hypothesis(hypothesis), reference(reference), half(half_band),
        slope(hypothesis ? static_cast<double>(reference) / hypothesis : 1) {
    // Rows of a steep band must overlap.
    if (half_band < slope / 2) half = static_cast<std::int64_t>(std::ceil(slope / 2 + half_band));
  }

  std::int64_t diagonal(std::int64_t i) const { return static_cast<std::int64_t>(std::floor(i * slope)); }
  std::int64_t first(std::int64_t i) const { return i == 0 ? 0 : std::max<std::int64_t>(0, diagonal(i) - half); }
  std::int64_t end(std::int64_t i) const {
    return i == 0 || i == hypothesis ? reference + 1 : std::min(reference + 1, diagonal(i) + half);
  }

  // Returns a number of edits: no alignment of so few edits leaves the band.
  std::int64_t surely_inside() const {
    if (reference < half) return std::numeric_limits<std::int64_t>::max();
    const std::int64_t drift = reference - hypothesis;
    std::int64_t room = std::numeric_limits<std::int32_t>::max();
    for (std::int64_t i = 1; i <= hypothesis; ++i) {
      if (first(i) > 0) room = std::min(room, i + std::min<std::int64_t>(0, drift) - first(i));
      if (end(i) <= reference) room = std::min(room, end(i) - 1 - i - std::max<std::int64_t>(0, drift));
    }
    // An alignment that goes k diagonals beyond those of its two ends has at least |drift| + 2 k edits.
    return room < 0 ? -1 : std::llabs(drift) + 2 * room + 1;
  }
};

// An alignment of a hypothesis with the reference.
struct Alignment {
  std::int64_t edits = 0;
  std::vector<std::int64_t> after;           // by reference word: the hypothesis word that it is aligned with or follows
  std::vector<std::int64_t> wrong, missed;   // how many of the first words of each string are edited

  void clear(std::size_t hypothesis, std::size_t reference) {
    after.assign(reference, 0);
    wrong.assign(hypothesis + 1, 0);
    missed.assign(reference + 1, 0);
  }
  void add_up() {
    for (auto* sums : {&wrong, &missed})
      for (std::size_t k = 1; k < sums->size(); ++k) (*sums)[k] += (*sums)[k - 1];
  }
};

// Edits of hypotheses of one size against one reference. One hypothesis is aligned; others are measured from where they
// first differ from it.
class Distance {
 public:
  void set(String reference, std::int64_t hypothesis) {
    for (const auto word : reference_)
      if (static_cast<std::size_t>(word) < places_.size()) places_[static_cast<std::size_t>(word)] = 0;
    reference_.assign(reference.begin, reference.begin + reference.size);
    band_ = Band(hypothesis, reference.size);
    has_bits_ = reference.size <= 64;
    sure_ = has_bits_ ? band_.surely_inside() : -1;
    if (!has_bits_) return;
    cells_ = reference.size == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << reference.size) - 1;
    for (std::size_t j = 0; j < reference_.size(); ++j) {
      const auto word = static_cast<std::size_t>(reference_[j]);
      if (word >= places_.size()) places_.resize(2 * word + 1, 0);
      places_[word] |= std::uint64_t{1} << j;
    }
  }

  const Alignment& align(const std::vector<std::int32_t>& hypothesis) {
    alignment_.clear(hypothesis.size(), reference_.size());
    rows_are_kept_ = false;
    if (has_bits_) {
      steps_.resize(hypothesis.size() + 1);
      Column column;
      steps_[0].before = column;
      for (std::size_t i = 0; i < hypothesis.size(); ++i) {
        steps_[i].before = column;
        advance(column, hypothesis[i], steps_[i].level, steps_[i].right);
      }
      alignment_.edits = edits(column);
      if (alignment_.edits <= sure_) {
        read_bits(hypothesis);
        return alignment_;
      }
    }
    keep_rows(hypothesis);
    read_rows(hypothesis);
    return alignment_;
  }

  // Returns the edits of a hypothesis whose first `same` words are those of the hypothesis that was aligned.
  std::int64_t of(const std::vector<std::int32_t>& hypothesis, std::size_t same) {
    poll(static_cast<std::int64_t>(4 * (hypothesis.size() - same) + 20));
    if (has_bits_) {
      Column column = same < hypothesis.size() ? steps_[same].before : Column{};
      if (same == hypothesis.size()) same = 0;
      std::uint64_t level, right;
      for (std::size_t i = same; i < hypothesis.size(); ++i) advance(column, hypothesis[i], level, right);
      const std::int64_t found = edits(column);
      if (found <= sure_) return found;
    }
    if (!rows_are_kept_) return in_band(hypothesis, 0);
    return in_band(hypothesis, same);
  }

 private:
  using Cost = std::int64_t;
  static constexpr Cost nothing = std::numeric_limits<Cost>::max() / 2;
  enum Edit : std::uint8_t { none, keep_or_substitute, delete_word, insert_word };

  // ---- By bits: differences between neighbours in a column of costs ----

  struct Column {
    std::uint64_t up = ~std::uint64_t{0}, down = 0;
  };
  struct Step {
    Column before;
    std::uint64_t level, right;  // as many edits as diagonally before; one more than in the column before
  };

  void advance(Column& column, std::int32_t word, std::uint64_t& level, std::uint64_t& right) const {
    std::uint64_t more_above = 1, less_above = 0;
    const auto step = myers_step(column.up, column.down, places(word), more_above, less_above);
    level = step.level;
    right = step.right;
  }

  std::uint64_t places(std::int32_t word) const {
    return static_cast<std::size_t>(word) < places_.size() ? places_[static_cast<std::size_t>(word)] : 0;
  }

  std::int64_t edits(const Column& column) const {
    return band_.hypothesis + count_bits(column.up & cells_) - count_bits(column.down & cells_);
  }

  void read_bits(const std::vector<std::int32_t>& hypothesis) {
    std::size_t i = hypothesis.size(), j = reference_.size();
    while (i > 0 || j > 0) {
      Edit edit = i == 0 ? insert_word : delete_word;
      if (i > 0 && j > 0) {
        const std::uint64_t bit = std::uint64_t{1} << (j - 1);
        edit = places(hypothesis[i - 1]) & bit || !(steps_[i - 1].level & bit) ? keep_or_substitute
               : steps_[i - 1].right & bit                               ? delete_word
                                                                         : insert_word;
      }
      step_back(hypothesis, i, j, edit);
    }
    alignment_.add_up();
  }

  void step_back(const std::vector<std::int32_t>& hypothesis, std::size_t& i, std::size_t& j, Edit edit) {
    if (edit == keep_or_substitute) {
      const bool differ = hypothesis[i - 1] != reference_[j - 1];
      alignment_.wrong[i] = alignment_.missed[j] = differ;
      alignment_.after[j - 1] = static_cast<std::int64_t>(i) - 1;
      --i, --j;
    } else if (edit == delete_word) {
      alignment_.wrong[i--] = 1;
    } else {
      alignment_.missed[j] = 1;
      alignment_.after[j - 1] = static_cast<std::int64_t>(i) - 1;
      --j;
    }
  }

  // ---- By rows of the band, where an alignment may leave it, or the reference is long ----

  struct Row {
    std::int64_t first, end;
    std::vector<Cost> cost;
    Cost at(std::int64_t j) const { return first <= j && j < end ? cost[static_cast<std::size_t>(j - first)] : nothing; }
  };

  // Fills row i from the row before it. Also stores the edit of each cell, if `edits` is given.
  void fill(Row& row, const Row& before, std::int64_t i, std::int32_t word, std::vector<Edit>* edits) const {
    row.first = band_.first(i);
    row.end = band_.end(i);
    poll(4 * (row.end - row.first));
    row.cost.resize(static_cast<std::size_t>(row.end - row.first));
    if (edits) edits->resize(row.cost.size());
    Cost left = nothing;
    for (std::int64_t j = row.first; j < row.end; ++j) {
      const Cost above = before.at(j) + 1;
      Cost best = nothing;
      Edit edit = none;
      if (j > 0) {
        best = before.at(j - 1) + (reference_[static_cast<std::size_t>(j - 1)] != word);
        edit = keep_or_substitute;
      }
      if (above < best) {
        best = above;
        edit = delete_word;
      }
      if (left + 1 < best) {
        best = left + 1;
        edit = insert_word;
      }
      left = std::min(best, nothing);
      row.cost[static_cast<std::size_t>(j - row.first)] = left;
      if (edits) (*edits)[static_cast<std::size_t>(j - row.first)] = edit;
    }
  }

  void first_row(Row& row) const {
    row.first = 0;
    row.end = band_.reference + 1;
    row.cost.resize(static_cast<std::size_t>(row.end));
    for (std::int64_t j = 0; j < row.end; ++j) row.cost[static_cast<std::size_t>(j)] = j;
  }

  void keep_rows(const std::vector<std::int32_t>& hypothesis) {
    rows_.resize(hypothesis.size() + 1);
    edits_.resize(hypothesis.size() + 1);
    first_row(rows_[0]);
    for (std::size_t i = 1; i <= hypothesis.size(); ++i)
      fill(rows_[i], rows_[i - 1], static_cast<std::int64_t>(i), hypothesis[i - 1], &edits_[i]);
    rows_are_kept_ = true;
    alignment_.edits = rows_.back().cost.back();
  }

  void read_rows(const std::vector<std::int32_t>& hypothesis) {
    std::size_t i = hypothesis.size(), j = reference_.size();
    while (i > 0 || j > 0)
      step_back(hypothesis, i, j,
                i == 0 ? insert_word : edits_[i][j - static_cast<std::size_t>(rows_[i].first)]);
    alignment_.add_up();
  }

  std::int64_t in_band(const std::vector<std::int32_t>& hypothesis, std::size_t same) {
    const Row* before = &rows_scratch_[0];
    if (same > 0)
      before = &rows_[same];
    else
      first_row(rows_scratch_[0]);
    for (std::size_t i = same; i < hypothesis.size(); ++i) {
      Row& here = rows_scratch_[1 + i % 2];
      fill(here, *before, static_cast<std::int64_t>(i) + 1, hypothesis[i], nullptr);
      before = &here;
    }
    return before->cost.back();
  }

  std::vector<std::int32_t> reference_;
  Band band_{0, 0};
  bool has_bits_ = false;
  std::int64_t sure_ = -1;  // up to so many edits, those counted by bits are those in the band
  std::uint64_t cells_ = 0;
  std::vector<std::uint64_t> places_;  // by word: a bit for each place in the reference
  std::vector<Step> steps_;
  bool rows_are_kept_ = false;
  std::vector<Row> rows_;
  std::vector<std::vector<Edit>> edits_;
  Row rows_scratch_[3];
  Alignment alignment_;
};

class Shifting {
 public:
  std::int64_t edits(String hypothesis, String reference) {
    if (reference.size == 0) return hypothesis.size;
    hypothesis_.assign(hypothesis.begin, hypothesis.begin + hypothesis.size);
    distance_.set(reference, hypothesis.size);
    tried_ = 0;
    for (std::int64_t shifts = 0;; ++shifts) {
      const Alignment& alignment = distance_.align(hypothesis_);
      const std::int64_t before = alignment.edits;
      best_ = {};
      try_shifts(alignment, reference);
      // Once too many shifts have been tried, none is made, not even one that was found.
      if (tried_ >= most_tried || best_.gain <= 0) return shifts + before;
      shift(best_.begin, best_.words, best_.to);
      hypothesis_.swap(shifted_);
    }
  }

 private:
  struct Shift {
    std::int64_t gain = std::numeric_limits<std::int64_t>::min(), words = 0, begin = 0, to = 0;

    bool beats(const Shift& other) const {
      return std::tuple(gain, words, -begin, -to) > std::tuple(other.gain, other.words, -other.begin, -other.to);
    }
  };

  void try_shifts(const Alignment& alignment, String reference) {
    const auto size = static_cast<std::int64_t>(hypothesis_.size());
    for (std::int64_t h = 0; h < size; ++h) {
      const std::int64_t last = std::min(reference.size - 1, h + furthest);
      poll(last - h + furthest + 1);
      for (std::int64_t r = std::max<std::int64_t>(0, h - furthest); r <= last; ++r) {
        const std::int64_t longest = std::min({most_shifted, size - h, reference.size - r});
        for (std::int64_t words = 1; words <= longest; ++words) {
          if (hypothesis_[static_cast<std::size_t>(h + words - 1)] != reference.begin[r + words - 1]) break;
          try_places(alignment, h, r, words);
          if (tried_ >= most_tried) break;
        }
        // Once too many shifts have been tried, the whole search is over.
        if (tried_ >= most_tried) return;
      }
    }
  }

  // Tries to shift the hypothesis's `words` words from h on to where the reference has them, from r on.
  void try_places(const Alignment& alignment, std::int64_t h, std::int64_t r, std::int64_t words) {
    const auto sum = [words](const std::vector<std::int64_t>& sums, std::int64_t at) {
      return sums[static_cast<std::size_t>(at + words)] - sums[static_cast<std::size_t>(at)];
    };
    if (sum(alignment.wrong, h) == 0 || sum(alignment.missed, r) == 0) return;
    const std::int64_t there = alignment.after[static_cast<std::size_t>(r)];
    if (h <= there && there < h + words) return;
    std::int64_t before = -1;
    for (std::int64_t at = r - 1; at < r + words; ++at) {
      const std::int64_t to = at < 0 ? 0 : alignment.after[static_cast<std::size_t>(at)] + 1;
      if (to == before) continue;
      before = to;
      shift(h, words, to);
      const auto same = static_cast<std::size_t>(std::min(h, to));
      const Shift found{alignment.edits - distance_.of(shifted_, same), words, h, to};
      ++tried_;
      if (found.beats(best_)) best_ = found;
    }
  }

  // Sets `shifted_` to the hypothesis with `words` words from `begin` on moved to before the word at `to`. If `to` lies
  // among these words or right after them, they move right by `to` - `begin` words instead.
  void shift(std::int64_t begin, std::int64_t words, std::int64_t to) {
    shifted_.assign(hypothesis_.begin(), hypothesis_.end());
    const auto at = shifted_.begin();
    if (to < begin)
      std::rotate(at + to, at + begin, at + begin + words);
    else if (to > begin + words)
      std::rotate(at + begin, at + begin + words, at + to);
    else
      std::rotate(at + begin, at + begin + words,
                  at + std::min(static_cast<std::int64_t>(hypothesis_.size()), words + to));
  }

  Distance distance_;
  std::vector<std::int32_t> hypothesis_, shifted_;
  std::int64_t tried_ = 0;
  Shift best_;
};

}  // namespace

std::vector<std::int64_t> ter_edits(const TestSet& test) {
  std::vector<std::int64_t> found;
  found.reserve(static_cast<std::size_t>(test.references.count));
  Shifting shifting;
  for (std::int64_t s = 0; s < test.hypotheses.count; ++s)
    for (auto r = test.owner[s]; r < test.owner[s + 1]; ++r)
      found.push_back(shifting.edits(test.hypotheses.at(s), test.references.at(r)));
  return found;
}

}  // namespace latticemetric
