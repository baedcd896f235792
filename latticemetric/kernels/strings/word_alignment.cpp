#include "strings/word_alignment.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "memory/budget.hpp"
#include "recognition/myers_step.hpp"

// D(i, j) is the least number of errors between the first i words of the reference and the first j of the hypothesis.
// Neighbours differ by at most one, so 64 cells of a column are two words of bits, and a dozen operations make them
// from the column before (see `myers_step`). An alignment of few errors strays little from the diagonal. So a
// band of diagonals is enough if its best alignment has no more errors than it takes to leave the band (Ukkonen 1985).
// Once it is known how many errors are enough, the band is narrowed on its way: a block is left out once all its cells
// need more errors than that, counting the insertions or deletions that must follow because the rest differs in length.
//
// Of the alignments with the fewest errors, the tie rule wants the one with the most matches (which also determines the
// number of insertions and deletions); then, from the left, C before S before D before I. So cells of best alignments
// are marked from the end, one to four per word. Each holds the most matches that may follow, and the letter that such
// an alignment goes on with.
//
// The bits of columns are kept for one part of the band at a time. The column before each part is always kept; from it,
// the part is made again when it is marked, and once more when it is read.
namespace latticemetric {
namespace {

using Bits = std::uint64_t;
constexpr std::int64_t width = 64;

enum Letter : std::uint8_t { match, substitution, deletion, insertion };
constexpr char spelled[] = "CSDI";

// The diagonals i - j from first to last. No alignment of at most `errors` errors leaves them.
struct Band {
  std::int64_t errors, first, last;

  Band(std::int64_t most_errors, std::int64_t reference_words, std::int64_t hypothesis_words) : errors(most_errors) {
    const std::int64_t end = reference_words - hypothesis_words;
    const std::int64_t beside = std::max<std::int64_t>(0, errors - std::llabs(end)) / 2;
    first = std::min<std::int64_t>(0, end) - beside;
    last = std::max<std::int64_t>(0, end) + beside;
  }
};

// The places in the reference of each word of the hypothesis.
class Places {
 public:
  void set(String hypothesis, String reference) {
    std::size_t slots = 16;
    while (slots < 2 * static_cast<std::size_t>(reference.size)) slots *= 2;
    word_.assign(slots, free);
    class_of_.resize(slots);
    begin_.assign(1, 0);
    next_.clear();
    classes_.clear();
    for (std::int64_t i = 0; i < reference.size; ++i) {
      const std::size_t slot = slot_of(reference.begin[i]);
      if (word_[slot] == free) {
        word_[slot] = reference.begin[i];
        class_of_[slot] = static_cast<std::int32_t>(begin_.size()) - 1;
        begin_.push_back(0);
      }
      classes_.push_back(class_of_[slot]);
      ++begin_[static_cast<std::size_t>(classes_.back()) + 1];
    }
    for (std::size_t c = 1; c < begin_.size(); ++c) begin_[c] += begin_[c - 1];
    next_.assign(begin_.begin(), begin_.end() - 1);
    place_.resize(static_cast<std::size_t>(reference.size));
    for (std::int64_t i = 0; i < reference.size; ++i) place_[next_[classes_[i]]++] = static_cast<std::int32_t>(i);
    hypothesis_.clear();
    for (std::int64_t j = 0; j < hypothesis.size; ++j) {
      const std::size_t slot = slot_of(hypothesis.begin[j]);
      hypothesis_.push_back(word_[slot] == free ? strange : class_of_[slot]);
    }
    set_rows();
  }

  // Returns the places of the hypothesis's j-th word, one bit each; null if the word is rare or unknown: then use
  // `each`.
  const Bits* row(std::int64_t j) const {
    const std::int32_t word_class = hypothesis_[static_cast<std::size_t>(j)];
    return word_class == strange || row_of_[word_class] == none ? nullptr : rows_.data() + row_of_[word_class];
  }

  // Calls visit(i) for each word of the reference from `first` up to `end` that is the hypothesis's j-th.
  template <typename Visit>
  void each(std::int64_t j, std::int64_t first, std::int64_t end, Visit visit) const {
    const std::int32_t word_class = hypothesis_[static_cast<std::size_t>(j)];
    if (word_class == strange) return;
    const auto* place = place_.data() + begin_[word_class];
    const auto* const last = place_.data() + begin_[word_class + 1];
    if (place < last && *place < first) place = std::lower_bound(place, last, first);
    for (; place < last && *place < end; ++place) visit(*place);
  }

  bool same(std::int64_t i, std::int64_t j) const {
    return classes_[static_cast<std::size_t>(i)] == hypothesis_[static_cast<std::size_t>(j)];
  }

 private:
  static constexpr std::int32_t free = -1, strange = -1;
  static constexpr std::int64_t none = -1;

  // Makes rows of bits for words that are so frequent that visiting each place takes longer: at most 128 words.
  void set_rows() {
    const auto size = static_cast<std::int64_t>(classes_.size());
    const std::int64_t blocks = (size - 1) / width + 1;
    row_of_.assign(begin_.size() - 1, none);
    rows_.clear();
    for (std::size_t c = 0; c + 1 < begin_.size(); ++c) {
      if (begin_[c + 1] - begin_[c] <= std::max<std::int64_t>(1, size / 128)) continue;
      row_of_[c] = static_cast<std::int64_t>(rows_.size());
      rows_.resize(rows_.size() + static_cast<std::size_t>(blocks), 0);
      Bits* const row = rows_.data() + row_of_[c];
      for (auto k = begin_[c]; k < begin_[c + 1]; ++k) row[place_[k] / width] |= Bits{1} << (place_[k] % width);
    }
  }

  std::size_t slot_of(std::int32_t word) const {
    const std::size_t mask = word_.size() - 1;
    std::size_t slot = (static_cast<std::size_t>(word) * 0x9E3779B97F4A7C15u >> 20) & mask;
    while (word_[slot] != free && word_[slot] != word) slot = (slot + 1) & mask;
    return slot;
  }

  std::vector<std::int32_t> word_, class_of_;  // a hash table
  std::vector<std::int32_t> classes_, hypothesis_;   // the class of each word of the reference; of the hypothesis
  std::vector<std::int32_t> begin_, next_, place_;
  std::vector<std::int64_t> row_of_;  // by class: where its row begins, or none
  std::vector<Bits> rows_;
};

}  // namespace

class WordAligner::Table {
 public:
  explicit Table(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  const std::string& align(String hypothesis, String reference) {
    const std::int64_t common = set(hypothesis, reference);
    edits_.assign(static_cast<std::size_t>(common), 'C');
    if (hypothesis_words_ == 0 || reference_words_ == 0) {
      edits_.append(static_cast<std::size_t>(hypothesis_words_ + reference_words_), hypothesis_words_ == 0 ? 'D' : 'I');
      return edits_;
    }
    find_band();
    read_edits();
    return edits_;
  }

  std::int64_t fewest_errors(String hypothesis, String reference) {
    set(hypothesis, reference);
    if (hypothesis_words_ == 0 || reference_words_ == 0) return hypothesis_words_ + reference_words_;
    find_band();
    return errors();
  }

 private:
  // Returns with how many equal words both strings begin, and leaves these out. Some best alignment matches them, and
  // no letter comes before C.
  std::int64_t set(String hypothesis, String reference) {
    std::int64_t common = 0;
    while (common < std::min(hypothesis.size, reference.size) && hypothesis.begin[common] == reference.begin[common])
      ++common;
    hypothesis_words_ = hypothesis.size - common;
    reference_words_ = reference.size - common;
    if (hypothesis_words_ > 0 && reference_words_ > 0)
      places_.set({hypothesis.begin + common, hypothesis_words_}, {reference.begin + common, reference_words_});
    return common;
  }

  // ---- Columns ------------------------------------------------------------------------------------------------

  // How 64 cells of a column differ from their neighbours, one bit each. Once a cell is marked, its letter (a number of
  // two bits) replaces its bits `down` and `right`.
  struct Steps {
    Bits down;   // one error more than the cell before it in the column
    Bits right;  // one error more than the cell in the column before it
    Bits level;  // as many errors as the cell before both
  };
  // A column to go on from: its blocks of 64 cells, and which cells have one error more, or one less, than the cell
  // before.
  struct PartStart {
    std::int64_t first, last;
    std::vector<Bits> more, less;
  };

  // The blocks of a column, and where their steps begin among those that are kept.
  struct Blocks {
    std::int64_t first, last, kept;
  };
  // Returns the blocks of column j that the band covers.
  Blocks in_band(std::int64_t j) const {
    return {(std::max<std::int64_t>(1, j + band_.first) - 1) / width,
            (std::clamp<std::int64_t>(j + band_.last, 1, reference_words_) - 1) / width, 0};
  }

  // Makes column 0: all reference words are deleted.
  void start() {
    const auto blocks = static_cast<std::size_t>((reference_words_ - 1) / width + 1);
    more_.resize(blocks);
    less_.resize(blocks);
    same_.assign(blocks, 0);
    blocks_of_.resize(static_cast<std::size_t>(hypothesis_words_) + 1);
    next_ = in_band(1);
    blocks_of_[0] = {0, 0, 0};
    last_ = -1;
    errors_ = 0;
    errors_of_first_ = width;
    part_ = 0;
  }

  // Makes the columns after `from`, up to `to`, for the first time. Keeps their steps if `keep`.
  void advance(std::int64_t from, std::int64_t to, bool keep) {
    std::int64_t kept = blocks_;
    for (std::int64_t j = from + 1; j <= to; ++j) {
      Blocks blocks = in_band(j);
      if (is_narrowed_) blocks = {std::max(blocks.first, next_.first), std::min(blocks.last, next_.last), 0};
      blocks.kept = kept;
      blocks_of_[static_cast<std::size_t>(j)] = blocks;
      make_column(j, blocks, keep ? steps_.get() + kept : nullptr);
      kept += blocks.last - blocks.first + 1;
      if (is_narrowed_) choose_next(j, blocks);
      if (j == 1) errors_until_[0] = errors_;
      while (part_ < parts && j == hypothesis_words_ * (part_ + 1) / parts) errors_until_[++part_] = errors_;
    }
  }

  // Makes a column from the one before it. Writes its steps to `kept` unless that is null.
  void make_column(std::int64_t j, Blocks blocks, Steps* kept) {
    Bits *const more = more_.data(), *const less = less_.data(), *const same = same_.data();
    const std::int64_t first = blocks.first, last = blocks.last;
    poll(3 * (last - first + 4));
    for (; last_ < last; errors_ += width) {
      more[++last_] = ~Bits{0};
      less[last_] = 0;
    }
    const Bits* matches = places_.row(j - 1);
    const bool is_visited = matches == nullptr;
    if (is_visited) {
      places_.each(j - 1, first * width, (last + 1) * width,
                   [&](std::int64_t i) { same[i / width] |= Bits{1} << (i % width); });
      matches = same;
    }
    Bits more_above = 1, less_above = 0;  // above the first row, words are inserted
    const auto make_block = [&](std::int64_t b) {
      const auto step = myers_step(more[b], less[b], matches[b], more_above, less_above);
      if (kept) kept[b - first] = {more[b], step.right, step.level};
    };
    make_block(first);
    errors_of_first_ += static_cast<std::int64_t>(more_above) - static_cast<std::int64_t>(less_above);
    for (std::int64_t b = first + 1; b <= last; ++b) make_block(b);
    if (is_visited) std::fill(same + first, same + last + 1, Bits{0});
    errors_ += static_cast<std::int64_t>(more_above) - static_cast<std::int64_t>(less_above);
  }

  // Returns by how many errors the last cell of a block exceeds the last cell of the block before it.
  std::int64_t errors_in(std::int64_t block) const {
    return __builtin_popcountll(more_[block]) - __builtin_popcountll(less_[block]);
  }

  // Chooses the blocks of the next column. Leaves out the last blocks if even their first cells need too many errors,
  // and the first blocks if even their last cells do. After a cell, one error follows for each word by which one
  // string's rest is longer than the other's; for the hypothesis's, this is `longer` plus the cell's row. A step down or
  // up saves at most one of these, and a cell has at most one error less than its neighbour.
  void choose_next(std::int64_t j, Blocks blocks) {
    const std::int64_t errors = band_.errors, longer = (hypothesis_words_ - j) - reference_words_;  // at row 0
    next_ = blocks;
    while (next_.last > next_.first) {
      const std::int64_t before = errors_ - errors_in(next_.last), end = next_.last * width;
      if (before + longer + end <= errors) break;
      errors_ = before;
      last_ = --next_.last;
    }
    if (errors_ + longer + (next_.last + 1) * width <= errors + 2) ++next_.last;
    const std::int64_t least = in_band(j + 1).first;
    while (next_.first < last_) {
      if (next_.first >= least && errors_of_first_ - longer - (next_.first + 1) * width <= errors) break;
      errors_of_first_ += errors_in(++next_.first);
    }
  }

  // Returns the errors of the last cell, once the last column is made.
  std::int64_t errors() const {
    const std::int64_t beyond = (last_ + 1) * width - reference_words_;
    if (beyond == 0) return errors_;
    const Bits cells = ~Bits{0} << (width - beyond);
    return errors_ - __builtin_popcountll(more_[last_] & cells) + __builtin_popcountll(less_[last_] & cells);
  }

  // ---- Parts of the band ----------------------------------------------------------------------------------------

  // Finds a band that holds all best alignments. If a band is too narrow, its best alignment tells how broad the next
  // one has to be.
  void find_band() {
    bool is_enough = false;
    for (std::int64_t most = std::llabs(reference_words_ - hypothesis_words_) + width;;) {
      band_ = Band(most, reference_words_, hypothesis_words_);
      is_narrowed_ = is_enough;
      allot();
      start();
      part_starts_.clear();
      for (std::int64_t from = 0; from < hypothesis_words_; from += columns_) {
        part_starts_.push_back(part_start(from));
        make(from, columns_ == hypothesis_words_);
      }
      const std::int64_t found = errors();
      if (found <= most) return;
      is_enough = found <= 16 * most || is_even(found);
      most = is_enough ? found : 4 * most;
    }
  }

  // Returns whether the errors are so few, and so evenly spread, that a broader band is not likely to hold an alignment
  // of far fewer errors.
  bool is_even(std::int64_t found) const {
    if (found > std::max(hypothesis_words_, reference_words_) * 7 / 10) return false;
    std::int64_t least = found, most = 0;
    for (int part = 0; part < parts; ++part) {
      const std::int64_t errors = errors_until_[part + 1] - errors_until_[part];
      least = std::min(least, errors);
      most = std::max(most, errors);
    }
    return 2 * most <= 3 * least;
  }

  // Chooses how many columns are kept at a time.
  void allot() {
    blocks_ = std::min((band_.last - band_.first) / width + 2, (reference_words_ - 1) / width + 1);
    const auto bytes = static_cast<std::size_t>(blocks_) * sizeof(Steps) + sizeof(Letter);
    columns_ = std::clamp<std::int64_t>(static_cast<std::int64_t>(most_bytes_ / bytes), 1, hypothesis_words_);
  }

  std::int64_t part_end(std::int64_t from) const { return std::min(hypothesis_words_, from + columns_); }

  PartStart part_start(std::int64_t from) const {
    if (from == 0) return {0, -1, {}, {}};
    const std::int64_t first = blocks_of_[static_cast<std::size_t>(from)].first;
    const auto blocks = [&](const std::vector<Bits>& column) {
      return std::vector<Bits>(column.begin() + first, column.begin() + last_ + 1);
    };
    return {first, last_, blocks(more_), blocks(less_)};
  }

  // Makes the columns of a part for the first time. Keeps their steps if `keep`.
  void make(std::int64_t from, bool keep) {
    if (keep) make_room((part_end(from) - from + 1) * blocks_);
    advance(from, part_end(from), keep);
  }

  // Makes the columns of a part again, with the same blocks, and keeps their steps.
  void make_again(std::int64_t from) {
    const PartStart& part_start = part_starts_[static_cast<std::size_t>(from / columns_)];
    last_ = part_start.last;
    std::copy(part_start.more.begin(), part_start.more.end(), more_.begin() + part_start.first);
    std::copy(part_start.less.begin(), part_start.less.end(), less_.begin() + part_start.first);
    make_room((part_end(from) - from + 1) * blocks_);
    for (std::int64_t j = from + 1; j <= part_end(from); ++j) {
      const Blocks blocks = blocks_of_[static_cast<std::size_t>(j)];
      last_ = std::min(last_, blocks.last);
      make_column(j, blocks, steps_.get() + blocks.kept);
    }
  }

  // Makes room for the steps of `blocks` blocks. It is not initialised: only what was written is read.
  void make_room(std::int64_t blocks) {
    if (blocks <= room_) return;
    steps_.reset();
    steps_.reset(new Steps[static_cast<std::size_t>(blocks)]);
    room_ = blocks;
  }

  // ---- Cells of best alignments ---------------------------------------------------------------------------------

  // A cell, the most matches that may follow it, and the first letter of that rest.
  struct Cell {
    std::int64_t row, matches;
    Letter letter;
  };
  static void reach(Cell& cell, std::int64_t matches, Letter letter) {
    if (matches < cell.matches || (matches == cell.matches && letter > cell.letter)) return;
    cell.matches = matches;
    cell.letter = letter;
  }
  // Adds a cell, or improves it if it is the last one of the list. Rows come in descending order.
  static void reach(std::vector<Cell>& cells, Cell cell) {
    if (!cells.empty() && cells.back().row == cell.row)
      reach(cells.back(), cell.matches, cell.letter);
    else
      cells.push_back(cell);
  }

  // Calls visit(cell) for the cells of a column, from the last row to the first. If `visit` returns true, a deletion
  // leads from the cell one row up to this one, so that one is visited, too.
  template <typename Visit>
  static void each_upwards(const std::vector<Cell>& cells, Visit visit) {
    Cell deleting{-1, 0, deletion};
    for (auto next = cells.begin(); next != cells.end() || deleting.row >= 0;) {
      Cell cell = deleting;
      if (next != cells.end() && next->row >= deleting.row) {
        cell = *next++;
        if (cell.row == deleting.row) reach(cell, deleting.matches, deletion);
      }
      deleting.row = visit(static_cast<const Cell&>(cell)) ? cell.row - 1 : -1;
      deleting.matches = cell.matches;
    }
  }

  // Marks the cells of best alignments in a part. Takes in `cells` those of its last column that are reached other than
  // by deletions. Replaces them with those of the last column of the part before.
  void mark(std::int64_t from, std::vector<Cell>& cells) {
    first_letters_.resize(static_cast<std::size_t>(part_end(from) - from) + 1);
    for (std::int64_t j = part_end(from); j > from; --j) {
      before_.clear();
      each_upwards(cells, [&](const Cell& cell) {
        poll(10);
        if (cell.row == 0) {
          first_letters_[static_cast<std::size_t>(j - from)] = cell.letter;
          reach(before_, {0, cell.matches, insertion});
          return false;
        }
        const std::int64_t i = cell.row - 1;
        const Steps steps = steps_at(from, j, i);
        const Bits bit = Bits{1} << (i % width);
        keep(from, j, i, cell.letter);
        if (steps.right & bit) reach(before_, {cell.row, cell.matches, insertion});
        if (places_.same(i, j - 1))
          reach(before_, {i, cell.matches + 1, match});
        else if (!(steps.level & bit))
          reach(before_, {i, cell.matches, substitution});
        return (steps.down & bit) != 0;
      });
      cells.swap(before_);
    }
    if (from > 0) return;
    each_upwards(cells, [&](const Cell& cell) {
      if (cell.row == 0)
        first_letters_[0] = cell.letter;
      else
        keep(0, 0, cell.row - 1, cell.letter);
      return cell.row > 0;
    });
  }

  // Returns the steps of the i-th word of the reference in column j. The steps of column `from`, before the part, come
  // first.
  Steps& steps_at(std::int64_t from, std::int64_t j, std::int64_t i) {
    const Blocks blocks = blocks_of_[static_cast<std::size_t>(j)];
    return steps_[static_cast<std::size_t>((j == from ? 0 : blocks.kept) + i / width - blocks.first)];
  }
  void keep(std::int64_t from, std::int64_t j, std::int64_t i, Letter letter) {
    Steps& steps = steps_at(from, j, i);
    const auto shift = static_cast<int>(i % width);
    const Bits others = ~(Bits{1} << shift);
    steps.down = (steps.down & others) | static_cast<Bits>(letter & 1) << shift;
    steps.right = (steps.right & others) | static_cast<Bits>(letter >> 1) << shift;
  }
  // Returns the letter of a marked cell.
  Letter letter_at(std::int64_t from, std::int64_t j, std::int64_t row) {
    if (row == 0) return first_letters_[static_cast<std::size_t>(j - from)];
    const Steps& steps = steps_at(from, j, row - 1);
    const auto shift = static_cast<int>((row - 1) % width);
    return static_cast<Letter>((steps.down >> shift & 1) | (steps.right >> shift & 1) << 1);
  }

  void read_edits() {
    std::vector<std::vector<Cell>> cells(part_starts_.size());
    cells.back().push_back({reference_words_, 0, match});
    for (std::size_t part = part_starts_.size() - 1; part > 0; --part) {
      make_again(static_cast<std::int64_t>(part) * columns_);
      cells[part - 1] = cells[part];
      mark(static_cast<std::int64_t>(part) * columns_, cells[part - 1]);
    }
    std::int64_t i = 0, j = 0;
    for (std::size_t part = 0; part < part_starts_.size(); ++part) {
      const std::int64_t from = static_cast<std::int64_t>(part) * columns_, to = part_end(from);
      if (part_starts_.size() > 1) make_again(from);
      mark(from, cells[part]);
      while (j <= to && (i < reference_words_ || j < hypothesis_words_)) {
        const Letter letter = letter_at(from, j, i);
        edits_ += spelled[letter];
        i += letter != insertion;
        j += letter != deletion;
      }
    }
  }

  const std::size_t most_bytes_;
  std::string edits_;
  Places places_;
  std::int64_t hypothesis_words_ = 0, reference_words_ = 0;
  Band band_{0, 0, 0};
  bool is_narrowed_ = false;     // `band_.errors` is known to be enough
  std::int64_t blocks_ = 0;      // the most that a column has
  std::int64_t columns_ = 0;     // how many a part has
  std::vector<PartStart> part_starts_;  // before each part
  // The column that was made last.
  std::vector<Bits> more_, less_, same_;
  std::int64_t last_ = 0, errors_ = 0;  // its last block, and the errors of that block's last cell
  std::int64_t errors_of_first_ = 0;    // the errors of the last cell of its first block
  static constexpr int parts = 4;
  std::int64_t errors_until_[parts + 1] = {};  // as `errors_`, after each quarter of the columns
  int part_ = 0;                               // how many quarters are made
  std::vector<Blocks> blocks_of_;              // by column
  Blocks next_{0, 0, 0};                       // the most blocks of the column after it
  // The steps of the part at hand, column by column, beginning with the column before the part.
  std::unique_ptr<Steps[]> steps_;
  std::int64_t room_ = 0;
  std::vector<Letter> first_letters_;  // by column of the part: the letter of its first cell
  std::vector<Cell> before_;
};

WordAligner::WordAligner(std::size_t most_bytes) : table_(std::make_unique<Table>(most_bytes)) {}
WordAligner::~WordAligner() = default;

const std::string& WordAligner::align(String hypothesis, String reference) {
  return table_->align(hypothesis, reference);
}

std::int64_t WordAligner::fewest_errors(String hypothesis, String reference) {
  return table_->fewest_errors(hypothesis, reference);
}

}  // namespace latticemetric
