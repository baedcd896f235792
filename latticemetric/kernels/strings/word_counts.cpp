#include "strings/word_counts.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "memory/budget.hpp"

// K(i, j) is the largest (M - I) * unit + M over alignments of i reference and j hypothesis words. `unit` is larger than
// any M, so K orders alignments by value, then by matches:
//
//   K(i, j) = max( K(i-1, j-1) + (r[i] = c[j] ? unit + 1 : 0),  K(i-1, j),  K(i, j-1) - unit )
//
// M + S + D = |r| and M + S + I = |c| determine the other counts, so nothing is left for the tie rule to decide. Cells
// with the same i + j do not depend on each other: they are the lanes of vectors. Since M - I = |r| - (S + D + I), an
// alignment of few errors strays little from the diagonal. So a band of diagonals is enough if its best alignment has
// fewer errors than it takes to leave the band; otherwise the band is doubled (Ukkonen 1985).
namespace latticemetric {
namespace {

// Sixteen bytes of keys, which stay in a vector register. They are shifted by a lane with shifts of 64-bit halves:
// where the machine has no instruction for a shuffle of all lanes, compilers shuffle one lane at a time.
template <typename Key>
struct Block {
  typedef Key Vector __attribute__((vector_size(16)));
  static constexpr std::int64_t lanes = 16 / sizeof(Key);

  static Vector where_equal(const Key* left, const Key* right, Vector gain) {
    return reinterpret_cast<Vector>(load(left) == load(right)) & gain;
  }

  static Vector all(Key key) { return Vector{} + key; }

  static Vector larger(Vector a, Vector b) { return a > b ? a : b; }

  // Returns the last lane of `left`, then all of `right` but its last lane.
  static Vector one_before(Vector left, Vector right) {
    const Halves middle = between(left, right);
    if constexpr (bits == 64) return reinterpret_cast<Vector>(middle);
    return reinterpret_cast<Vector>(reinterpret_cast<Halves>(right) << bits % 64 | middle >> (64 - bits));
  }

  // Returns all of `left` but its first lane, then the first lane of `right`.
  static Vector one_after(Vector left, Vector right) {
    const Halves middle = between(left, right);
    if constexpr (bits == 64) return reinterpret_cast<Vector>(middle);
    return reinterpret_cast<Vector>(reinterpret_cast<Halves>(left) >> bits % 64 | middle << (64 - bits));
  }

  Vector vector;

 private:
  typedef std::uint64_t Halves __attribute__((vector_size(16)));
  static constexpr int bits = 8 * sizeof(Key);
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first lane must be the low end of the first half");

  static Vector load(const Key* from) {
    Vector vector;
    std::memcpy(&vector, from, sizeof vector);
    return vector;
  }

  static Halves between(Vector left, Vector right) {
    return Halves{reinterpret_cast<Halves>(left)[1], reinterpret_cast<Halves>(right)[0]};
  }
};

// `most` bounds the keys of alignments; `nothing` is the key of a cell without one. Both leave room, so that no sum
// overflows.
template <typename Key>
constexpr Key most = std::numeric_limits<Key>::max() / 16 * 7;
template <typename Key>
constexpr Key nothing = -2 * most<Key>;

// A band of the diagonals i - j from 2 * first - 1 to 2 * (first + lanes - 1). Of the cells with i + j = d, lane l has
// i = first + d / 2 + l.
struct CountBand {
  std::int64_t lanes;
  std::int64_t first;
  std::int64_t leaving;  // the fewest errors of an alignment that leaves it

  // `drift` is the diagonal of the last cell.
  CountBand(std::int64_t lanes, std::int64_t drift) : lanes(lanes), first((drift + 3 - 2 * lanes) / 4) {
    const std::int64_t under = std::min<std::int64_t>(0, drift) - (2 * first - 1);
    const std::int64_t over = 2 * (first + lanes - 1) - std::max<std::int64_t>(0, drift);
    leaving = std::min(under, over) < 0 ? 0 : std::abs(drift) + 2 * (std::min(under, over) + 1);
  }
};

// A pair as keys (the hypothesis from its last word to its first), and two rows of cells.
template <typename Key>
struct Pair {
  std::vector<Key> hypothesis_keys, reference_keys;
  std::vector<Block<Key>> rows;
  std::int64_t room;  // around strings, for lanes outside of them

  void set(String hypothesis, String reference, std::int64_t lanes) {
    room = lanes + 2;
    // Padding of one string equals nothing in the other.
    hypothesis_keys.assign(static_cast<std::size_t>(hypothesis.size + 2 * room), -1);
    reference_keys.assign(static_cast<std::size_t>(reference.size + 2 * room), -2);
    std::reverse_copy(hypothesis.begin, hypothesis.begin + hypothesis.size, hypothesis_keys.begin() + room);
    std::copy_n(reference.begin, reference.size, reference_keys.begin() + room);
    rows.resize(static_cast<std::size_t>(2 * lanes / Block<Key>::lanes));
  }
};

// Returns the key of the last cell. If there are `few` blocks of lanes, they stay in registers; `few` = 0 stands for
// any number of blocks.
template <std::int64_t few, typename Key>
Key last_key(Pair<Key>& pair, std::int64_t hypothesis_words, std::int64_t reference_words, CountBand band, Key unit) {
  using B = Block<Key>;
  using Vector = typename B::Vector;
  const std::int64_t blocks = few ? few : band.lanes / B::lanes;
  B registers[few ? 2 * few : 1];
  B *const even = few ? registers : pair.rows.data(), *const odd = even + blocks;
  const Vector insertion = B::all(unit), match = B::all(static_cast<Key>(unit + 1)), none = B::all(nothing<Key>);
  for (std::int64_t b = 0; b < 2 * blocks; ++b) even[b].vector = none;
  even[-band.first / B::lanes].vector[-band.first % B::lanes] = 0;
  const std::int64_t last = hypothesis_words + reference_words;
  const Key* hypothesis_keys = pair.hypothesis_keys.data() + pair.room + hypothesis_words + band.first - 1;
  const Key* reference_keys = pair.reference_keys.data() + pair.room + band.first - 1;
  for (std::int64_t d = 1; d <= last; d += 2, --hypothesis_keys, ++reference_keys) {
    if constexpr (few == 0) poll(2 * blocks);
    Vector before = none;
    for (std::int64_t b = 0; b < blocks; ++b) {
      const Vector here = even[b].vector;
      const Vector gain = B::where_equal(hypothesis_keys + b * B::lanes, reference_keys + b * B::lanes, match);
      const Vector other = B::larger(B::one_before(before, here), here - insertion);
      odd[b].vector = B::larger(odd[b].vector + gain, other);
      before = here;
    }
    if (d == last) break;
    for (std::int64_t b = 0; b < blocks; ++b) {
      const Vector here = odd[b].vector, after = b + 1 < blocks ? odd[b + 1].vector : none;
      const Vector gain = B::where_equal(hypothesis_keys + b * B::lanes, reference_keys + 1 + b * B::lanes, match);
      const Vector other = B::larger(here, B::one_after(here, after) - insertion);
      even[b].vector = B::larger(even[b].vector + gain, other);
    }
  }
  const std::int64_t lane = reference_words - band.first - last / 2;
  return (last % 2 ? odd : even)[lane / B::lanes].vector[lane % B::lanes];
}

// The numbers of matches and errors of the best alignment.
struct Found {
  std::int64_t matches, errors;
};

template <typename Key>
Found best(String hypothesis, String reference) {
  thread_local Pair<Key> buffers;
  Pair<Key>& pair = buffers;  // a thread-local variable is looked up only once
  const std::int64_t unit = std::min(hypothesis.size, reference.size) + 1;
  for (std::int64_t lanes = Block<Key>::lanes;; lanes *= 2) {
    const CountBand band(lanes, reference.size - hypothesis.size);
    if (band.leaving == 0) continue;
    pair.set(hypothesis, reference, lanes);
    const std::int64_t blocks = lanes / Block<Key>::lanes;
    const auto find = blocks == 1 ? last_key<1, Key> : blocks == 2 ? last_key<2, Key> : last_key<0, Key>;
    const std::int64_t key = find(pair, hypothesis.size, reference.size, band, static_cast<Key>(unit));
    const std::int64_t value = key >= 0 ? key / unit : -((unit - 1 - key) / unit);
    const Found found{key - value * unit, reference.size - value};
    if (found.errors < band.leaving) return found;
  }
}

template <typename Key>
bool fits(String hypothesis, String reference, std::int32_t highest) {
  return (hypothesis.size + 1) * (std::min(hypothesis.size, reference.size) + 1) <= most<Key> &&
         highest <= std::numeric_limits<Key>::max();
}

Found best_core(String hypothesis, String reference, std::int32_t highest) {
  if (hypothesis.size == 0 || reference.size == 0) return {0, hypothesis.size + reference.size};
  if (fits<std::int16_t>(hypothesis, reference, highest)) return best<std::int16_t>(hypothesis, reference);
  if (fits<std::int32_t>(hypothesis, reference, highest)) return best<std::int32_t>(hypothesis, reference);
  return best<std::int64_t>(hypothesis, reference);
}

}  // namespace

void count_words(String hypothesis, String reference, std::int32_t highest, std::int64_t* counts) {
  // Some best alignment matches the words that both strings begin with, and those that both end with: whatever else an
  // alignment does with two equal first words, matching them with each other makes no more errors and no fewer matches.
  const std::int64_t shorter = std::min(hypothesis.size, reference.size);
  std::int64_t first = 0, last = 0;
  while (first < shorter && hypothesis.begin[first] == reference.begin[first]) ++first;
  while (last < shorter - first &&
         hypothesis.begin[hypothesis.size - 1 - last] == reference.begin[reference.size - 1 - last])
    ++last;
  const std::int64_t common = first + last;
  const Found core = best_core({hypothesis.begin + first, hypothesis.size - common},
                               {reference.begin + first, reference.size - common}, highest);
  // M + S + D = |r|, M + S + I = |c|, S + D + I = errors.
  counts[0] = core.matches + common;
  counts[1] = hypothesis.size + reference.size - 2 * counts[0] - core.errors;
  counts[2] = reference.size - counts[0] - counts[1];
  counts[3] = hypothesis.size - counts[0] - counts[1];
}

}  // namespace latticemetric
