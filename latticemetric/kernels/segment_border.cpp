// The border to Python of metrics of strings.
#include <algorithm>
#include <vector>

#include "border.hpp"
#include "chrf.hpp"
#include "ngrams.hpp"
#include "pair_counts.hpp"
#include "pair_errors.hpp"
#include "pair_gains.hpp"
#include "segment_reader.hpp"
#include "ter.hpp"

namespace latticemetric {
namespace {

using namespace nb::literals;

// Words of candidates and where each begins, the same of references, `owner`, and the distinct words.
nb::tuple number_segments(nb::object candidates, nb::object references, bool across) {
  SegmentReader reader(std::move(candidates), std::move(references), across);
  NumberedSegments found;
  reader.read(0, reader.segments(), found);
  nb::list distinct;
  if (across)
    for (const Word& word : reader.words()) distinct.append(nb::str(word.begin, word.size));
  return nb::make_tuple(column(std::move(found.candidates.words)), column(std::move(found.candidates.begin)),
                        column(std::move(found.references.words)), column(std::move(found.references.begin)),
                        column(std::move(found.owner)), distinct);
}

// A row a reference, with its candidate, and where the references of each segment begin.
nb::tuple count_segments(nb::object candidates, nb::object references, std::int32_t order, std::int64_t unit,
                         std::int64_t alpha, std::int64_t beta) {
  // So many at a time stay in the cache; more turns would wait for the GIL more often where threads compete for it.
  constexpr std::int64_t turn = 2048;
  PairCounter counter(checked_gains(order, unit, alpha, beta));
  SegmentReader reader(std::move(candidates), std::move(references), false);
  NumberedSegments read;
  std::vector<std::int64_t> owner{0};
  for (std::int64_t first = 0; first < reader.segments(); first += turn) {
    reader.read(first, std::min(first + turn, reader.segments()), read);
    const Running running;
    counter.add(read.test_set());
    const auto before = owner.back();
    for (std::size_t s = 1; s < read.owner.size(); ++s) owner.push_back(before + read.owner[s]);
  }
  const auto pairs = static_cast<std::size_t>(owner.back());
  return nb::make_tuple(to_numpy(counter.take(), {pairs, counter.columns()}), column(std::move(owner)));
}

// Strings one after the other: where each begins, and after the last one where it ends.
void require_strings(const Input<std::int64_t>& begin, std::size_t words) {
  require_aligned(begin);
  const auto *const first = begin.data(), *const end = first + begin.size();
  require(first != end && *first == 0, "the first string must begin at 0");
  require(std::is_sorted(first, end), "strings must follow one another");
  require(static_cast<std::size_t>(end[-1]) == words, "the last string must end at the end");
}

Strings checked_strings(const Input<std::int32_t>& words, const Input<std::int64_t>& begin) {
  require_aligned(words);
  require_strings(begin, words.size());
  return {words.data(), begin.data(), static_cast<std::int64_t>(begin.size() - 1)};
}

TestSet checked_test_set(const Input<std::int32_t>& candidates, const Input<std::int64_t>& candidate_begin,
                         const Input<std::int32_t>& references, const Input<std::int64_t>& reference_begin,
                         const Input<std::int64_t>& owner) {
  const Strings said = checked_strings(candidates, candidate_begin);
  const Strings expected = checked_strings(references, reference_begin);
  require_strings(owner, reference_begin.size() - 1);
  require(owner.size() == candidate_begin.size(), "every candidate must have its references");
  return {said, expected, owner.data()};
}

// A row a segment, a column an order.
template <auto kernel>
auto count_ngrams(Input<std::int32_t> candidates, Input<std::int64_t> candidate_begin, Input<std::int32_t> references,
                  Input<std::int64_t> reference_begin, Input<std::int64_t> owner, std::int32_t order) {
  const auto test = checked_test_set(candidates, candidate_begin, references, reference_begin, owner);
  require_order(order);
  decltype(kernel(test, order)) found;
  {
    const Running running;
    found = kernel(test, order);
  }
  return to_numpy(std::move(found), {static_cast<std::size_t>(test.candidates.count), static_cast<std::size_t>(order)});
}

// Words that index tables.
void require_numbered(const Strings& said, const Strings& expected) {
  const std::int64_t highest = said.bound() | expected.bound();  // less than twice the highest there is
  require(highest >= 0, "words must not be negative");
  require(highest <= 2 * (said.begin[said.count] + expected.begin[expected.count]),
          "words must be numbered without gaps");
}

// As `count_segments`, of numbered words.
auto count_pairs(Input<std::int32_t> candidates, Input<std::int64_t> candidate_begin, Input<std::int32_t> references,
                 Input<std::int64_t> reference_begin, Input<std::int64_t> owner, std::int32_t order, std::int64_t unit,
                 std::int64_t alpha, std::int64_t beta) {
  const auto test = checked_test_set(candidates, candidate_begin, references, reference_begin, owner);
  require((test.candidates.bound() | test.references.bound()) >= 0, "words must not be negative");
  PairCounter counter(checked_gains(order, unit, alpha, beta));
  {
    const Running running;
    counter.add(test);
  }
  return to_numpy(counter.take(), {static_cast<std::size_t>(test.references.count), counter.columns()});
}

// A row a reference.
auto count_chrf(Input<std::int32_t> candidates, Input<std::int64_t> candidate_begin, Input<std::int32_t> references,
                Input<std::int64_t> reference_begin, Input<std::int64_t> owner, std::int32_t characters,
                std::int32_t words, bool with_spaces) {
  const auto test = checked_test_set(candidates, candidate_begin, references, reference_begin, owner);
  const std::int32_t highest = test.candidates.bound() | test.references.bound();
  require(highest >= 0 && highest < 1 << 21, "a character is no code point");
  require_order(characters);
  require(words >= 0 && words < 255, "the order of words must lie in 0 .. 254");
  std::vector<std::int64_t> found;
  {
    const Running running;
    found = chrf_counts(test, {characters, words, with_spaces});
  }
  const auto columns = static_cast<std::size_t>(3 * (characters + words));
  return to_numpy(std::move(found), {static_cast<std::size_t>(test.references.count), columns});
}

// A number a reference.
auto count_ter(Input<std::int32_t> candidates, Input<std::int64_t> candidate_begin, Input<std::int32_t> references,
               Input<std::int64_t> reference_begin, Input<std::int64_t> owner) {
  const auto test = checked_test_set(candidates, candidate_begin, references, reference_begin, owner);
  require_numbered(test.candidates, test.references);
  std::vector<std::int64_t> found;
  {
    const Running running;
    found = ter_edits(test);
  }
  return column(std::move(found));
}

// A row a reference, a column a candidate.
auto all_pair_errors(Input<std::int32_t> candidates, Input<std::int64_t> candidate_begin,
                     Input<std::int32_t> references, Input<std::int64_t> reference_begin) {
  const Strings said = checked_strings(candidates, candidate_begin);
  const Strings expected = checked_strings(references, reference_begin);
  require_numbered(said, expected);
  require(std::max(said.longest(), expected.longest()) < std::int64_t{1} << 31, "a string has too many words");
  std::vector<std::int32_t> found;
  {
    const Running running;
    found = pair_errors(said, expected);
  }
  return to_numpy(std::move(found), {static_cast<std::size_t>(expected.count), static_cast<std::size_t>(said.count)});
}

// A row a reference, a column a candidate.
auto all_pair_gains(Input<std::int32_t> candidates, Input<std::int64_t> candidate_begin,
                    Input<std::int32_t> references, Input<std::int64_t> reference_begin, std::int32_t order,
                    std::int64_t unit, std::int64_t alpha, std::int64_t beta) {
  const Gains gains = checked_gains(order, unit, alpha, beta);
  const Strings said = checked_strings(candidates, candidate_begin);
  const Strings expected = checked_strings(references, reference_begin);
  require_numbered(said, expected);
  require(largest_gain(gains, said.longest(), expected.longest()) >> 62 == 0, "gains do not fit in 63 bits");
  std::vector<std::int64_t> found;
  {
    const Running running;
    found = pair_gains(gains, said, expected);
  }
  return to_numpy(std::move(found), {static_cast<std::size_t>(expected.count), static_cast<std::size_t>(said.count)});
}

}  // namespace

void bind_segments(nb::module_& m) {
  m.def("number_segments", &number_segments, "candidates"_a, "references"_a, "across"_a);
  m.def("count_segments", &count_segments, "candidates"_a, "references"_a, "order"_a, "unit"_a, "alpha"_a, "beta"_a);
  m.def("pair_gains", &all_pair_gains, "candidates"_a, "candidate_begin"_a, "references"_a, "reference_begin"_a,
        "order"_a, "unit"_a, "alpha"_a, "beta"_a);
  m.def("pair_errors", &all_pair_errors, "candidates"_a, "candidate_begin"_a, "references"_a, "reference_begin"_a);
  m.def("count_pairs", &count_pairs, "candidates"_a, "candidate_begin"_a, "references"_a, "reference_begin"_a,
        "owner"_a, "order"_a, "unit"_a, "alpha"_a, "beta"_a);
  m.def("count_chrf", &count_chrf, "candidates"_a, "candidate_begin"_a, "references"_a, "reference_begin"_a, "owner"_a,
        "characters"_a, "words"_a, "with_spaces"_a);
  m.def("count_ter", &count_ter, "candidates"_a, "candidate_begin"_a, "references"_a, "reference_begin"_a, "owner"_a);
  m.def("match_ngrams", &count_ngrams<match_ngrams>, "candidates"_a, "candidate_begin"_a, "references"_a,
        "reference_begin"_a, "owner"_a, "order"_a);
  m.def("weigh_ngrams", &count_ngrams<weigh_ngrams>, "candidates"_a, "candidate_begin"_a, "references"_a,
        "reference_begin"_a, "owner"_a, "order"_a);
}

}  // namespace latticemetric
