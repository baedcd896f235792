// Unrolled forms of `EditGains::each_reading` on strings, against the function itself.
#include "driver.hpp"
#include "expectation/columns.hpp"
#include "recognition/canonical_rows.hpp"
#include "recognition/rows.hpp"
#include "strings/alignment.hpp"
#include "strings/pair_gains.hpp"

namespace latticemetric::tests {
namespace {

constexpr std::int32_t kinds = 3;

struct Case {
  Gains gains;
  std::vector<std::int32_t> reference, words;
};

template <typename Check>
void each_case(std::uint32_t seed, Check check) {
  Random random(seed);
  for (int k = 0; k < 1000; ++k) {
    const Gains gains = random.gains();
    auto reference = random.words(random.below(8), kinds);
    check(random, Case{gains, std::move(reference), random.words(random.below(8), kinds)});
  }
}

std::int64_t best(const Case& one) {
  return Definition(one.reference, EditGains<std::int64_t>(one.gains)).of(one.words);
}

template <typename Value>
void rows() {
  each_case(1, [](Random& random, const Case& one) {
    const RecognitionRows<Value> rows(one.reference, EditGains<Value>(one.gains));
    const Definition definition(one.reference, EditGains<std::int64_t>(one.gains));
    const std::int32_t q = random.below(rows.states());
    std::vector<Value> row(static_cast<std::size_t>(rows.states())), next(row);
    auto expected = definition.start(q);
    rows.start(q, row.data());
    for (std::size_t j = 0;; ++j) {
      for (std::int32_t s = rows.first(q); s < rows.states(); ++s) {
        expect_equal(rows.is_unreachable(row[s]), expected[s] == Definition::unreached, "a state is reached");
        if (expected[s] != Definition::unreached) expect_equal<std::int64_t>(row[s], expected[s], "a row");
      }
      if (j == one.words.size()) break;
      rows.advance(q, row.data(), one.words[j], next.data());
      expected = definition.advance(expected, one.words[j]);
      row.swap(next);
    }
  });
}

void canonical_rows() {
  each_case(2, [](Random&, const Case& one) {
    const CanonicalRows<std::int32_t> rows(one.reference, EditGains<std::int32_t>(one.gains));
    std::vector<std::int32_t> row(static_cast<std::size_t>(rows.states())), next(row);
    rows.start(0, row.data());
    for (const auto word : one.words) {
      rows.advance(0, row.data(), word, next.data());
      row.swap(next);
    }
    std::int32_t forwards = rows.unreachable;
    for (std::int32_t s = 0; s < rows.states(); ++s)
      if (!rows.is_unreachable(row[s]) && !rows.is_unreachable(rows.ending(s)))
        forwards = std::max(forwards, row[s] + rows.ending(s));
    expect_equal<std::int64_t>(forwards, best(one), "canonical rows");
    for (std::int32_t s = 0; s < rows.states(); ++s) row[s] = rows.ending(s);
    for (auto word = one.words.rbegin(); word != one.words.rend(); ++word) {
      rows.step_back(0, row.data(), *word, next.data());
      row.swap(next);
    }
    expect_equal<std::int64_t>(row[0], best(one), "canonical rows backwards");
  });
}

void alignments() {
  each_case(3, [](Random&, const Case& one) {
    const auto string = [](const auto& words) { return String{words.data(), static_cast<std::int64_t>(words.size())}; };
    for (const std::int64_t longest : {100, 0}) {
      Aligner aligner(one.gains, WordAligner::usual_bytes, longest);
      const auto counts = count_edits(aligner.align(string(one.words), string(one.reference)), one.gains.order);
      std::int64_t gain = 0;
      for (std::int32_t n = 0; n < one.gains.order; ++n) gain += counts[n] * one.gains.unit;
      gain -= counts[one.gains.order + 2] * one.gains.alpha + counts[one.gains.order + 1] * one.gains.beta;
      expect_equal(gain, best(one), "the gain of an alignment");
    }
  });
}

void gains_of_pairs() {
  each_case(4, [](Random& random, const Case& one) {
    Case longer = one;
    longer.words = random.words(20, kinds);
    std::vector<std::int32_t> words(one.words);
    words.insert(words.end(), longer.words.begin(), longer.words.end());
    const auto size = static_cast<std::int64_t>(one.words.size()), end = static_cast<std::int64_t>(words.size());
    const std::int64_t begin[] = {0, size, end};
    const std::int64_t reference_begin[] = {0, static_cast<std::int64_t>(one.reference.size())};
    const auto found = pair_gains(one.gains, {words.data(), begin, 2}, {one.reference.data(), reference_begin, 1});
    expect_equal(found[0], best(one), "the gain of a pair");
    expect_equal(found[1], best(longer), "the gain of a longer pair");
  });
}

template <typename Columns>
void expect_costs(const Columns& columns, const Case& one, std::int64_t expected, const char* what) {
  std::vector<PackedColumn> column(columns.width() + 1);
  std::int64_t base = columns.start(column.data());
  for (const auto word : one.words) base += columns.step(column.data(), word - 1);
  expect_equal(base + columns.end(column.data()), expected, what);
}

void packed_columns() {
  each_case(5, [](Random& random, const Case& one) {
    auto classes = one.reference;
    for (auto& word : classes) --word;
    const GainColumns<std::int32_t> columns(classes, EditGains<std::int32_t>(one.gains));
    expect_costs(columns, one, -best(one), "columns of gains");
    Case edits = one;
    edits.gains = {1, 1, 1, 0};
    edits.reference = random.words(random.below(200), kinds);
    classes = edits.reference;
    for (auto& word : classes) --word;
    const auto size = static_cast<std::int64_t>(edits.reference.size());
    expect_costs(EditColumns<std::int32_t>(classes, kinds), edits, size - best(edits), "columns of errors");
  });
}

}  // namespace

void transitions() {
  rows<std::int32_t>();
  rows<Int128>();
  canonical_rows();
  alignments();
  gains_of_pairs();
  packed_columns();
}

}  // namespace latticemetric::tests
