#include "strings/pair_errors.hpp"

#include <algorithm>
#include <numeric>

#include "memory/budget.hpp"
#include "recognition/myers_step.hpp"
#include "strings/word_alignment.hpp"

// D(i, j) is the least number of errors between the first i words of the reference and the first j of the hypothesis. A
// column is kept as the differences between neighbours, which are -1, 0 or 1: one bit per cell says where they are 1
// (`up`), another where they are -1 (`down`). A dozen operations make the next column (see `myers_step`).
//
// The references of a batch are lanes of vectors. A hypothesis is read once for all of them: each of its words selects a
// row of bits, which say where the references of the batch have that word. Lanes are as narrow as the references are
// short. A reference of more than 64 words takes several blocks; each hands the change of its last row down to the next
// one.
//
// If the hypotheses are the references, half the work is enough: errors are the same either way.
namespace latticemetric {
namespace {

// References longer than this are aligned pair by pair: an alignment fills a band that is narrower than the whole
// column.
constexpr std::int64_t longest_in_lanes = 4096;

template <typename Lane>
struct Lanes {
  typedef Lane Vector __attribute__((vector_size(16)));
  static constexpr std::int64_t count = 16 / sizeof(Lane);
  static constexpr int bits = 8 * sizeof(Lane);

  static Vector all(Lane value) { return Vector{} + value; }

  // Returns how many bits of each lane are set. The steps count the bits of pairs, of fours, of bytes, then of the
  // lane.
  static Vector set_bits(Vector x) {
    x -= (x >> 1) & all(static_cast<Lane>(0x5555555555555555));
    x = (x & all(static_cast<Lane>(0x3333333333333333))) + ((x >> 2) & all(static_cast<Lane>(0x3333333333333333)));
    x = (x + (x >> 4)) & all(static_cast<Lane>(0x0f0f0f0f0f0f0f0f));
    for (int shift = 8; shift < bits; shift *= 2) x += x >> shift;
    return x & all(0xff);  // a lane has at most 64 bits
  }
};

// A vector in a container keeps its alignment only as a member of a struct.
template <typename Lane>
struct Cell {
  typename Lanes<Lane>::Vector vector;
};

using Lane64 = std::uint64_t;

class PairErrors {
 public:
  PairErrors(const Strings& hypotheses, const Strings& references, std::int32_t* found)
      : hypotheses_(hypotheses),
        references_(references),
        found_(found),
        same_(hypotheses.words == references.words && hypotheses.begin == references.begin),
        row_(std::size_t{1} + static_cast<std::size_t>(hypotheses.bound() | references.bound()), absent) {}

  void find() {
    std::vector<std::int64_t> by_length(static_cast<std::size_t>(references_.count));
    std::iota(by_length.begin(), by_length.end(), 0);
    const auto size = [this](std::int64_t r) { return references_.at(r).size; };
    if (!same_) {
      left_.resize(static_cast<std::size_t>(hypotheses_.count));
      std::iota(left_.begin(), left_.end(), 0);
    }
    std::stable_sort(by_length.begin(), by_length.end(), [&](auto a, auto b) { return size(a) < size(b); });
    const std::int64_t* const end = by_length.data() + by_length.size();
    for (const std::int64_t* first = by_length.data(); first < end;) {
      const std::int64_t shortest = size(*first);
      // The strings before this batch have been scored against it already.
      if (same_) left_.assign(first, end);
      // Takes wider lanes if the longest reference of the batch needs them.
      if (const auto taken = batch<std::uint8_t>(first, end)) {
        first += taken;
      } else if (const auto wider = batch<std::uint16_t>(first, end)) {
        first += wider;
      } else if (const auto wide = batch<std::uint32_t>(first, end)) {
        first += wide;
      } else if (const auto widest = batch<std::uint64_t>(first, end)) {
        first += widest;
      } else if (shortest <= longest_in_lanes) {
        first += batch_of_blocks(first, end);
      } else {
        align(*first++);
      }
    }
  }

 private:
  static constexpr std::int32_t absent = 0;  // the row of words that no reference of the batch has
  // Vectors that are processed side by side: while a step of one waits for the step before it, the other's can be made.
  static constexpr std::int64_t groups = 2;

  // Scores the next references in lanes of this width. Returns how many; 0 if too few of them fit into such lanes.
  template <typename Lane>
  std::int64_t batch(const std::int64_t* first, const std::int64_t* end) {
    using L = Lanes<Lane>;
    constexpr std::int64_t most = groups * L::count;
    const std::int64_t taken = std::min<std::int64_t>(most, end - first);
    if (references_.at(first[taken - 1]).size > L::bits) {
      // If more than half of the lanes are taken, the others stay empty: the next width has no more lanes than that.
      std::int64_t fitting = 0;
      while (references_.at(first[fitting]).size <= L::bits) ++fitting;
      if (fitting <= most / 2) return 0;
      score<Lane>(first, fitting);
      return fitting;
    }
    score<Lane>(first, taken);
    return taken;
  }

  template <typename Lane>
  void score(const std::int64_t* batch, std::int64_t taken) {
    using L = Lanes<Lane>;
    using Vector = typename L::Vector;
    thread_local std::vector<Cell<Lane>> table;
    fill_table(batch, taken, 1, table);
    Vector cells[groups] = {}, size[groups] = {};
    for (std::int64_t lane = 0; lane < taken; ++lane) {
      const std::int64_t words = references_.at(batch[lane]).size;
      cells[lane / L::count][lane % L::count] =
          words == 0 ? Lane{0} : static_cast<Lane>(static_cast<Lane>(~Lane{0}) >> (L::bits - words));
      size[lane / L::count][lane % L::count] = static_cast<Lane>(words);
    }
    const Vector ones = L::all(static_cast<Lane>(~Lane{0})), one = L::all(1);
    for (const std::int64_t c : left_) {
      const String hypothesis = hypotheses_.at(c);
      poll(6 * hypothesis.size + 20);
      Vector up[groups], down[groups];
      for (std::int64_t g = 0; g < groups; ++g) {
        up[g] = ones;  // the first column: every reference word is deleted
        down[g] = Vector{};
      }
      for (std::int64_t j = 0; j < hypothesis.size; ++j) {
        const Cell<Lane>* same = table.data() + groups * row_[static_cast<std::size_t>(hypothesis.begin[j])];
        for (std::int64_t g = 0; g < groups; ++g) {
          Vector more_above = one, less_above{};
          myers_step(up[g], down[g], same[g].vector, more_above, less_above);
        }
      }
      for (std::int64_t g = 0; g < groups; ++g) {
        // D(|r|, j) = j + the sum of the differences. Cells that are not `down` are counted, so that no sum is
        // negative; the size of the reference is subtracted below.
        const Vector errors = L::set_bits(up[g] & cells[g]) + L::set_bits((ones ^ down[g]) & cells[g]);
        const std::int64_t lanes = std::min(L::count, taken - g * L::count);
        for (std::int64_t lane = 0; lane < lanes; ++lane)
          put(batch[g * L::count + lane], c,
              hypothesis.size + static_cast<std::int64_t>(errors[lane]) - static_cast<std::int64_t>(size[g][lane]));
      }
    }
    forget(batch, taken);
  }

  // Scores a batch of references of several blocks of 64 words. Returns how many.
  std::int64_t batch_of_blocks(const std::int64_t* first, const std::int64_t* end) {
    std::int64_t taken = std::min<std::int64_t>(groups * Lanes<Lane64>::count, end - first);
    while (references_.at(first[taken - 1]).size > longest_in_lanes) --taken;
    const std::int64_t blocks = (references_.at(first[taken - 1]).size + 63) / 64;
    // If there are few blocks and their number is known at compile time, they stay in registers.
    const auto score = blocks == 2   ? &PairErrors::template score_blocks<2>
                       : blocks == 3 ? &PairErrors::template score_blocks<3>
                       : blocks == 4 ? &PairErrors::template score_blocks<4>
                                     : &PairErrors::template score_blocks<0>;
    (this->*score)(first, taken, blocks);
    return taken;
  }

  template <std::int64_t known>
  void score_blocks(const std::int64_t* batch, std::int64_t taken, std::int64_t number) {
    using L = Lanes<Lane64>;
    using Vector = L::Vector;
    const std::int64_t blocks = known ? known : number;
    thread_local std::vector<Cell<Lane64>> table, columns, last_cells;
    fill_table(batch, taken, blocks, table);
    columns.resize(static_cast<std::size_t>(known ? 0 : 2 * groups * blocks));
    last_cells.assign(static_cast<std::size_t>(groups * blocks), Cell<Lane64>{});
    for (std::int64_t lane = 0; lane < taken; ++lane)
      for (std::int64_t words = references_.at(batch[lane]).size, b = 0; words > 0; words -= L::bits, ++b)
        last_cells[static_cast<std::size_t>(b * groups + lane / L::count)].vector[lane % L::count] =
            ~Lane64{0} >> std::max<std::int64_t>(0, L::bits - words);
    const Vector ones = L::all(~Lane64{0}), one = L::all(1);
    Cell<Lane64> registers[known ? 2 * groups * known : 1];
    Cell<Lane64> *const up = known ? registers : columns.data(), *const down = up + groups * blocks;
    for (const std::int64_t c : left_) {
      const String hypothesis = hypotheses_.at(c);
      if constexpr (known != 0) poll(6 * blocks * hypothesis.size);
      std::fill_n(up, groups * blocks, Cell<Lane64>{ones});
      std::fill_n(down, groups * blocks, Cell<Lane64>{Vector{}});
      for (std::int64_t j = 0; j < hypothesis.size; ++j) {
        if constexpr (known == 0) poll(6 * blocks);
        const auto* same = table.data() + groups * blocks * row_[static_cast<std::size_t>(hypothesis.begin[j])];
        for (std::int64_t g = 0; g < groups; ++g) {
          Vector more_above = one, less_above{};
          for (std::int64_t at = g; at < groups * blocks; at += groups)
            myers_step(up[at].vector, down[at].vector, same[at].vector, more_above, less_above);
        }
      }
      for (std::int64_t g = 0; g < groups; ++g) {
        Vector errors{};
        for (std::int64_t at = g; at < groups * blocks; at += groups) {
          const Vector cells = last_cells[static_cast<std::size_t>(at)].vector;
          errors += L::set_bits(up[at].vector & cells) - L::set_bits(down[at].vector & cells);
        }
        const std::int64_t lanes = std::min(L::count, taken - g * L::count);
        for (std::int64_t lane = 0; lane < lanes; ++lane)
          put(batch[g * L::count + lane], c, hypothesis.size + static_cast<std::int64_t>(errors[lane]));
      }
    }
    forget(batch, taken);
  }

  // Fills a row for each word of the batch's references. Lane l of group g of block b has the places of that block
  // where reference g * lanes + l has the word. Row `absent` has none.
  template <typename Lane>
  void fill_table(const std::int64_t* batch, std::int64_t taken, std::int64_t blocks, std::vector<Cell<Lane>>& table) {
    using L = Lanes<Lane>;
    const auto row_size = static_cast<std::size_t>(groups * blocks);
    table.assign(row_size, Cell<Lane>{});
    std::int32_t rows = 1;
    for (std::int64_t lane = 0; lane < taken; ++lane) {
      const String reference = references_.at(batch[lane]);
      poll(4 * reference.size);
      for (std::int64_t i = 0; i < reference.size; ++i) {
        std::int32_t& row = row_[static_cast<std::size_t>(reference.begin[i])];
        if (row == absent) {
          row = rows++;
          table.resize(static_cast<std::size_t>(rows) * row_size, Cell<Lane>{});
        }
        const std::int64_t block = i / L::bits;
        auto& cell = table[static_cast<std::size_t>(row) * row_size +
                           static_cast<std::size_t>(block * groups + lane / L::count)];
        cell.vector[lane % L::count] |= static_cast<Lane>(Lane{1} << (i % L::bits));
      }
    }
  }

  void forget(const std::int64_t* batch, std::int64_t taken) {
    for (std::int64_t lane = 0; lane < taken; ++lane) {
      const String reference = references_.at(batch[lane]);
      for (std::int64_t i = 0; i < reference.size; ++i) row_[static_cast<std::size_t>(reference.begin[i])] = absent;
    }
  }

  void align(std::int64_t r) {
    for (const std::int64_t c : left_) put(r, c, aligner_.fewest_errors(hypotheses_.at(c), references_.at(r)));
  }

  void put(std::int64_t reference, std::int64_t hypothesis, std::int64_t errors) {
    found_[reference * hypotheses_.count + hypothesis] = static_cast<std::int32_t>(errors);
    if (same_) found_[hypothesis * hypotheses_.count + reference] = static_cast<std::int32_t>(errors);
  }

  const Strings hypotheses_, references_;
  std::int32_t* const found_;
  const bool same_;                 // the hypotheses are the references
  std::vector<std::int64_t> left_;  // hypotheses that the next batch is scored against
  std::vector<std::int32_t> row_;   // by word: its row in the table, or `absent`
  WordAligner aligner_;
};

}  // namespace

std::vector<std::int32_t> pair_errors(const Strings& hypotheses, const Strings& references) {
  auto found = filled<std::int32_t>(static_cast<std::size_t>(hypotheses.count * references.count), 0);
  PairErrors(hypotheses, references, found.data()).find();
  return found;
}

}  // namespace latticemetric
