// Edit distances by bits, in single words, several words and lanes, against the recurrence of Levenshtein.
#include <algorithm>

#include "driver.hpp"
#include "recognition/myers_step.hpp"
#include "strings/pair_errors.hpp"
#include "strings/word_alignment.hpp"

namespace latticemetric::tests {
namespace {

constexpr std::int32_t kinds = 4;

std::vector<std::int64_t> next_column(const std::vector<std::int64_t>& before,
                                      const std::vector<std::int32_t>& reference, std::int32_t word) {
  std::vector<std::int64_t> column{before[0] + 1};
  for (std::size_t i = 1; i < before.size(); ++i)
    column.push_back(std::min({before[i - 1] + (reference[i - 1] != word), before[i] + 1, column[i - 1] + 1}));
  return column;
}

template <typename Bits, typename Lane>
void steps(std::uint32_t seed) {
  Random random(seed);
  constexpr std::int32_t width = 8 * sizeof(Lane);
  const auto lane = [](const Bits& bits, std::size_t l) {
    if constexpr (std::is_integral_v<Bits>)
      return l == 0 ? bits : Bits{0};
    else
      return bits[l];
  };
  constexpr std::size_t lanes = sizeof(Bits) / sizeof(Lane);
  for (int k = 0; k < 100; ++k) {
    const std::int32_t blocks = 1 + random.below(3), size = blocks * width;
    std::vector<std::vector<std::int32_t>> references;
    std::vector<std::vector<std::int64_t>> columns(lanes);
    for (auto& column : columns) {
      references.push_back(random.words(size, kinds));
      for (std::int64_t i = 0; i <= size; ++i) column.push_back(i);
    }
    const Bits none{};
    struct Block {
      Bits up, down;
    };
    std::vector<Block> block(static_cast<std::size_t>(blocks), Block{~none, none});
    for (int j = 0; j < 20; ++j) {
      const std::int32_t word = 1 + random.below(kinds);
      Bits one = none, more_above, less_above = none;
      if constexpr (std::is_integral_v<Bits>)
        one = 1;
      else
        one = none + static_cast<Lane>(1);
      more_above = one;
      auto before = columns;
      for (std::size_t l = 0; l < lanes; ++l) columns[l] = next_column(before[l], references[l], word);
      for (std::int32_t b = 0; b < blocks; ++b) {
        Bits equal = none;
        for (std::size_t l = 0; l < lanes; ++l)
          for (std::int32_t i = 0; i < width; ++i)
            if (references[l][static_cast<std::size_t>(b * width + i)] == word) {
              if constexpr (std::is_integral_v<Bits>)
                equal |= Bits{1} << i;
              else
                equal[l] |= static_cast<Lane>(Lane{1} << i);
            }
        const auto step = myers_step(block[b].up, block[b].down, equal, more_above, less_above);
        for (std::size_t l = 0; l < lanes; ++l)
          for (std::int32_t bit = 0; bit < width; ++bit) {
            const auto i = static_cast<std::size_t>(b * width + bit) + 1;
            const auto is_set = [&](const Bits& bits) { return (lane(bits, l) >> bit & 1) != 0; };
            const auto rise = columns[l][i] - columns[l][i - 1];
            expect_equal(is_set(block[b].up), rise == 1, "a rise of a column");
            expect_equal(is_set(block[b].down), rise == -1, "a fall of a column");
            expect_equal(is_set(step.level), columns[l][i] == before[l][i - 1], "a level step");
            expect_equal(is_set(step.right), columns[l][i] == before[l][i] + 1, "a step to the right");
          }
      }
    }
  }
}

std::int64_t errors(const std::vector<std::int32_t>& words, const std::vector<std::int32_t>& reference) {
  std::vector<std::int64_t> column;
  for (std::size_t i = 0; i <= reference.size(); ++i) column.push_back(static_cast<std::int64_t>(i));
  for (const auto word : words) column = next_column(column, reference, word);
  return column.back();
}

void distances() {
  Random random(9);
  WordAligner aligner(WordAligner::usual_bytes);
  for (int k = 0; k < 300; ++k) {
    const auto words = random.words(random.below(300), kinds), reference = random.words(random.below(300), kinds);
    const auto expected = errors(words, reference);
    const auto string = [](const auto& list) { return String{list.data(), static_cast<std::int64_t>(list.size())}; };
    expect_equal(aligner.fewest_errors(string(words), string(reference)), expected, "the errors of a pair in a band");
    const std::int64_t begin[] = {0, static_cast<std::int64_t>(words.size())};
    const std::int64_t reference_begin[] = {0, static_cast<std::int64_t>(reference.size())};
    const auto found = pair_errors({words.data(), begin, 1}, {reference.data(), reference_begin, 1});
    expect_equal<std::int64_t>(found[0], expected, "the errors of a pair");
  }
}

}  // namespace

void columns() {
  typedef std::uint8_t Bytes __attribute__((vector_size(16)));
  typedef std::uint64_t Words __attribute__((vector_size(16)));
  steps<std::uint64_t, std::uint64_t>(7);
  steps<Bytes, std::uint8_t>(8);
  steps<Words, std::uint64_t>(8);
  distances();
}

}  // namespace latticemetric::tests
