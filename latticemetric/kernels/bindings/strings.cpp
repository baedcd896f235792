// Python bindings of metrics of strings.
#include <algorithm>
#include <vector>

#include "bindings/binding.hpp"
#include "bindings/segment_reader.hpp"
#include "strings/chrf.hpp"
#include "strings/compound_counts.hpp"
#include "strings/error_samples.hpp"
#include "strings/list_counts.hpp"
#include "strings/ngram_index.hpp"
#include "strings/ngram_matches.hpp"
#include "strings/pair_counts.hpp"
#include "strings/pair_errors.hpp"
#include "strings/pair_gains.hpp"
#include "strings/ter.hpp"

namespace latticemetric {
namespace {

using namespace nb::literals;

// Numbers the words of segments. Returns the words of hypotheses and where each hypothesis begins, the same of
// references, `owner`, and the distinct words (if `across`).
nb::tuple number_segments(nb::object hypotheses, nb::object references, bool across) {
  SegmentReader reader(std::move(hypotheses), std::move(references), across);
  NumberedSegments found;
  reader.read(0, reader.segments(), found);
  nb::list distinct;
  if (across)
    for (const Word& word : reader.words()) distinct.append(nb::str(word.begin, word.size));
  return nb::make_tuple(column(std::move(found.hypotheses.words)), column(std::move(found.hypotheses.begin)),
                        column(std::move(found.references.words)), column(std::move(found.references.begin)),
                        column(std::move(found.owner)), distinct);
}

// Returns one row for each reference and its hypothesis, and where the references of each segment begin.
nb::tuple count_segments(nb::object hypotheses, nb::object references, Gains gains) {
  // Segments per turn. So many stay in the cache; with more turns, this thread would wait for the GIL more often where
  // threads compete for it.
  constexpr std::int64_t turn = 2048;
  require_gains(gains);
  PairCounter counter(gains);
  SegmentReader reader(std::move(hypotheses), std::move(references), false);
  NumberedSegments read;
  std::vector<std::int64_t> owner{0};
  for (std::int64_t first = 0; first < reader.segments(); first += turn) {
    reader.read(first, std::min(first + turn, reader.segments()), read);
    const KernelScope running;
    counter.add(read.test_set());
    const auto before = owner.back();
    for (std::size_t s = 1; s < read.owner.size(); ++s) owner.push_back(before + read.owner[s]);
  }
  const auto pairs = static_cast<std::size_t>(owner.back());
  return nb::make_tuple(to_numpy(counter.take(), {pairs, counter.columns()}), column(std::move(owner)));
}

// Checks where strings begin that stand one after the other: the first begins at 0, and the last entry is the end of
// the last string.
void require_strings(const Input<std::int64_t>& begin, std::size_t words) {
  require_aligned(begin);
  const auto *const first = begin.data(), *const end = first + begin.size();
  require(first != end && *first == 0, "the first string must begin at 0");
  require(std::is_sorted(first, end), "strings must follow one another");
  require(static_cast<std::size_t>(end[-1]) == words, "the last string must end at the end");
}

// Texts from Python: a list or a tuple, or a `Utf8Texts` column of Arrow.
class AnyTexts {
 public:
  explicit AnyTexts(nb::object texts) : held_(std::move(texts)), listed_(held_) {
    if (!nb::try_cast(held_, utf8_)) utf8_ = nullptr;
  }

  const TextColumn& column() const { return utf8_ != nullptr ? static_cast<const TextColumn&>(*utf8_) : listed_; }

 private:
  nb::object held_;
  ListedTexts listed_;
  const Utf8Texts* utf8_ = nullptr;
};

// Checks where groups of texts begin. The last entry is the end of the last group.
void require_groups(const Input<std::int64_t>& begin, const TextColumn& texts) {
  require_strings(begin, static_cast<std::size_t>(texts.size()));
}

// Returns one row for each hypothesis and each reference of its list; whether each hypothesis is new in its list; and,
// for each list, how many words of its references are in no hypothesis.
nb::tuple count_lists(nb::object texts, Input<std::int64_t> begin, nb::object references, Input<std::int64_t> owner,
                      Gains gains) {
  constexpr std::int64_t turn = 512;  // as in `count_segments`
  const AnyTexts hypotheses(std::move(texts)), reference_strings(std::move(references));
  require_groups(begin, hypotheses.column());
  require_groups(owner, reference_strings.column());
  require(begin.size() == owner.size(), "every list must have its references");
  const auto count = static_cast<std::int64_t>(begin.size()) - 1;
  require_gains(gains);
  ListCounter counter(gains);
  ListReader reader(hypotheses.column(), begin.data(), reference_strings.column(), owner.data());
  for (std::int64_t first = 0; first < count; first += turn) {
    const NumberedLists lists = reader.read(first, std::min(first + turn, count));
    const KernelScope running;
    counter.add(lists);
  }
  ListCounts found = counter.take();
  const std::size_t rows = found.rows.size() / counter.columns();
  return nb::make_tuple(to_numpy(std::move(found.rows), {rows, counter.columns()}), column(std::move(found.is_new)),
                        column(std::move(found.missing)));
}

Strings checked_strings(const Input<std::int32_t>& words, const Input<std::int64_t>& begin) {
  require_aligned(words);
  require_strings(begin, words.size());
  return {words.data(), begin.data(), static_cast<std::int64_t>(begin.size() - 1)};
}

TestSet checked_test_set(const Input<std::int32_t>& hypotheses, const Input<std::int64_t>& hypothesis_begin,
                         const Input<std::int32_t>& references, const Input<std::int64_t>& reference_begin,
                         const Input<std::int64_t>& owner) {
  const Strings hypothesis_strings = checked_strings(hypotheses, hypothesis_begin);
  const Strings reference_strings = checked_strings(references, reference_begin);
  require_strings(owner, reference_begin.size() - 1);
  require(owner.size() == hypothesis_begin.size(), "every hypothesis must have its references");
  return {hypothesis_strings, reference_strings, owner.data()};
}

// Returns one row per segment, one column per order.
template <auto kernel>
auto count_ngrams(Input<std::int32_t> hypotheses, Input<std::int64_t> hypothesis_begin, Input<std::int32_t> references,
                  Input<std::int64_t> reference_begin, Input<std::int64_t> owner, std::int32_t order) {
  const auto test = checked_test_set(hypotheses, hypothesis_begin, references, reference_begin, owner);
  require_order(order);
  decltype(kernel(test, order)) found;
  {
    const KernelScope running;
    found = kernel(test, order);
  }
  return to_numpy(std::move(found), {static_cast<std::size_t>(test.hypotheses.count), static_cast<std::size_t>(order)});
}

// Checks that words may index tables: they are not negative, and not much larger than the number of words.
void require_numbered(const Strings& hypothesis_strings, const Strings& reference_strings) {
  const std::int64_t highest = hypothesis_strings.bound() | reference_strings.bound();  // less than twice the highest
  require(highest >= 0, "words must not be negative");
  require(highest <= 2 * (hypothesis_strings.begin[hypothesis_strings.count] +
                          reference_strings.begin[reference_strings.count]), "words must be numbered without gaps");
}

// Returns rows as `count_segments` does, for words that are numbered already.
auto count_pairs(Input<std::int32_t> hypotheses, Input<std::int64_t> hypothesis_begin, Input<std::int32_t> references,
                 Input<std::int64_t> reference_begin, Input<std::int64_t> owner, Gains gains) {
  const auto test = checked_test_set(hypotheses, hypothesis_begin, references, reference_begin, owner);
  require((test.hypotheses.bound() | test.references.bound()) >= 0, "words must not be negative");
  require_gains(gains);
  PairCounter counter(gains);
  {
    const KernelScope running;
    counter.add(test);
  }
  return to_numpy(counter.take(), {static_cast<std::size_t>(test.references.count), counter.columns()});
}

// Returns one row per sample.
auto draw_errors(Input<std::int32_t> segment, Input<std::int64_t> errors,
                 nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu> gains, std::int64_t least,
                 std::int64_t samples, std::uint64_t seed) {
  require_aligned(segment, errors);
  const std::size_t count = segment.size();
  require(count < std::size_t{1} << 31, "there are too many pairs");
  require(errors.size() == count && gains.shape(0) == count, "every pair must have its errors and gains");
  require(reinterpret_cast<std::uintptr_t>(gains.data()) % alignof(double) == 0, "an array is not aligned");
  for (std::size_t k = 0; k < count; ++k) {
    require(segment.data()[k] >= 0 && static_cast<std::size_t>(segment.data()[k]) < count,
            "segments must be numbered without gaps");
    require(errors.data()[k] >= 0 && errors.data()[k] <= std::int64_t{1} << 31, "errors must be numbers up to 2^31");
  }
  const std::size_t columns = gains.shape(1);
  require(samples >= 0 && (samples == 0 || columns < (std::size_t{1} << 40) / static_cast<std::size_t>(samples)),
          "there are too many samples");
  std::vector<double> found;
  {
    const KernelScope running;
    found = error_samples({segment.data(), errors.data(), gains.data(), static_cast<std::int64_t>(count),
                           static_cast<std::int64_t>(columns)},
                          least, samples, seed);
  }
  return to_numpy(std::move(found), {static_cast<std::size_t>(samples), columns});
}

// Returns one row per reference.
auto count_chrf(Input<std::int32_t> hypotheses, Input<std::int64_t> hypothesis_begin, Input<std::int32_t> references,
                Input<std::int64_t> reference_begin, Input<std::int64_t> owner, std::int32_t characters,
                std::int32_t words, bool with_spaces) {
  const auto test = checked_test_set(hypotheses, hypothesis_begin, references, reference_begin, owner);
  const std::int32_t highest = test.hypotheses.bound() | test.references.bound();
  require(highest >= 0 && highest < 1 << 21, "a character is not a code point");
  require_order(characters);
  require(words >= 0 && words < 255, "the order of words must lie in 0 .. 254");
  std::vector<std::int64_t> found;
  {
    const KernelScope running;
    found = chrf_counts(test, {characters, words, with_spaces});
  }
  const auto columns = static_cast<std::size_t>(3 * (characters + words));
  return to_numpy(std::move(found), {static_cast<std::size_t>(test.references.count), columns});
}

// Returns one number per reference.
auto count_ter(Input<std::int32_t> hypotheses, Input<std::int64_t> hypothesis_begin, Input<std::int32_t> references,
               Input<std::int64_t> reference_begin, Input<std::int64_t> owner) {
  const auto test = checked_test_set(hypotheses, hypothesis_begin, references, reference_begin, owner);
  require_numbered(test.hypotheses, test.references);
  std::vector<std::int64_t> found;
  {
    const KernelScope running;
    found = ter_edits(test);
  }
  return column(std::move(found));
}

// Checks the rows of joined words: each must lie in its string.
JoinedWords checked_joined_words(const Strings& strings, const Input<std::int64_t>& begin,
                                 const Input<std::int32_t>& end, const Input<std::int32_t>& length,
                                 const Input<std::int32_t>& word) {
  require_strings(begin, end.size());
  for (const auto* column : {&end, &length, &word}) {
    require_aligned(*column);
    require(column->size() == end.size(), "joined words must have three columns of one length");
  }
  require(static_cast<std::int64_t>(begin.size()) == strings.count + 1, "every string must have its joined words");
  for (std::int64_t s = 0; s < strings.count; ++s)
    for (auto k = begin.data()[s]; k < begin.data()[s + 1]; ++k)
      require(length.data()[k] >= 2 && length.data()[k] <= end.data()[k] && end.data()[k] <= strings.at(s).size,
              "joined words must lie in their string");
  return {begin.data(), end.data(), length.data(), word.data()};
}

// Returns one row per reference: substitutions, deletions, insertions.
auto count_compounds(Input<std::int32_t> hypotheses, Input<std::int64_t> hypothesis_begin,
                     Input<std::int32_t> references, Input<std::int64_t> reference_begin, Input<std::int64_t> owner,
                     Input<std::int64_t> hypothesis_join_begin, Input<std::int32_t> hypothesis_join_end,
                     Input<std::int32_t> hypothesis_join_length, Input<std::int32_t> hypothesis_join_word,
                     Input<std::int64_t> reference_join_begin, Input<std::int32_t> reference_join_end,
                     Input<std::int32_t> reference_join_length, Input<std::int32_t> reference_join_word,
                     std::int64_t longest) {
  const auto test = checked_test_set(hypotheses, hypothesis_begin, references, reference_begin, owner);
  require((test.hypotheses.bound() | test.references.bound()) >= 0, "words must not be negative");
  const JoinedWords hypothesis_joins = checked_joined_words(test.hypotheses, hypothesis_join_begin, hypothesis_join_end,
                                                           hypothesis_join_length, hypothesis_join_word);
  const JoinedWords reference_joins =
      checked_joined_words(test.references, reference_join_begin, reference_join_end, reference_join_length,
                           reference_join_word);
  require(std::max(test.hypotheses.longest(), test.references.longest()) <= most_compound_words,
          "a string has too many words");
  std::vector<std::int64_t> found;
  {
    const KernelScope running;
    found = compound_counts(test, hypothesis_joins, reference_joins, longest);
  }
  return to_numpy(std::move(found), {static_cast<std::size_t>(test.references.count), 3});
}

// Returns one row per reference, one column per hypothesis.
auto all_pair_errors(Input<std::int32_t> hypotheses, Input<std::int64_t> hypothesis_begin,
                     Input<std::int32_t> references, Input<std::int64_t> reference_begin) {
  const Strings hypothesis_strings = checked_strings(hypotheses, hypothesis_begin);
  const Strings reference_strings = checked_strings(references, reference_begin);
  require_numbered(hypothesis_strings, reference_strings);
  require(std::max(hypothesis_strings.longest(), reference_strings.longest()) < std::int64_t{1} << 31,
          "a string has too many words");
  std::vector<std::int32_t> found;
  {
    const KernelScope running;
    found = pair_errors(hypothesis_strings, reference_strings);
  }
  return to_numpy(std::move(found),
                  {static_cast<std::size_t>(reference_strings.count), static_cast<std::size_t>(hypothesis_strings.count)});
}

// Returns one row per reference, one column per hypothesis.
auto all_pair_gains(Input<std::int32_t> hypotheses, Input<std::int64_t> hypothesis_begin,
                    Input<std::int32_t> references, Input<std::int64_t> reference_begin, Gains gains) {
  require_gains(gains);
  const Strings hypothesis_strings = checked_strings(hypotheses, hypothesis_begin);
  const Strings reference_strings = checked_strings(references, reference_begin);
  require_numbered(hypothesis_strings, reference_strings);
  require(largest_gain<Int128>(gains, hypothesis_strings.longest(), reference_strings.longest()) >> 62 == 0,
          "gains do not fit in 63 bits");
  std::vector<std::int64_t> found;
  {
    const KernelScope running;
    found = pair_gains(gains, hypothesis_strings, reference_strings);
  }
  return to_numpy(std::move(found),
                  {static_cast<std::size_t>(reference_strings.count), static_cast<std::size_t>(hypothesis_strings.count)});
}

NgramIndex* index_ngrams(Input<std::int32_t> words, Input<std::int64_t> begin, std::int32_t order) {
  const Strings strings = checked_strings(words, begin);
  require_order(order);
  const KernelScope running;
  return new NgramIndex(strings, order);
}

// Returns a row for each reference, in it one for each order, in it a number for each string of the index.
auto index_matches(NgramIndex& index, Input<std::int32_t> references, Input<std::int64_t> reference_begin) {
  const Strings reference_strings = checked_strings(references, reference_begin);
  require(reference_strings.longest() < std::int64_t{1} << 31, "a string has too many words");
  std::vector<std::int32_t> found;
  {
    const KernelScope running;
    found = index.matches(reference_strings);
  }
  const auto size = [](std::int64_t number) { return static_cast<std::size_t>(number); };
  return to_numpy(std::move(found), {size(reference_strings.count), size(index.order()), size(index.strings())});
}

}  // namespace

void bind_strings(nb::module_& m) {
  m.def("shared_words", &shared_words, "texts"_a);
  m.def("number_segments", &number_segments, "hypotheses"_a, "references"_a, "across"_a);
  m.def("count_segments", &count_segments, "hypotheses"_a, "references"_a, "gains"_a);
  nb::class_<Utf8Texts>(m, "Utf8Texts")
      .def(nb::init<Input<std::uint8_t>, Input<std::int64_t>>(), "data"_a, "begin"_a)
      .def("__len__", &Utf8Texts::size);
  m.def("count_lists", &count_lists, "texts"_a, "begin"_a, "references"_a, "owner"_a, "gains"_a);
  m.def("pair_gains", &all_pair_gains, "hypotheses"_a, "hypothesis_begin"_a, "references"_a, "reference_begin"_a,
        "gains"_a);
  m.def("pair_errors", &all_pair_errors, "hypotheses"_a, "hypothesis_begin"_a, "references"_a, "reference_begin"_a);
  m.def("count_pairs", &count_pairs, "hypotheses"_a, "hypothesis_begin"_a, "references"_a, "reference_begin"_a,
        "owner"_a, "gains"_a);
  m.def("draw_errors", &draw_errors, "segment"_a, "errors"_a, "gains"_a, "least"_a, "samples"_a, "seed"_a);
  m.def("count_chrf", &count_chrf, "hypotheses"_a, "hypothesis_begin"_a, "references"_a, "reference_begin"_a, "owner"_a,
        "characters"_a, "words"_a, "with_spaces"_a);
  m.def("count_ter", &count_ter, "hypotheses"_a, "hypothesis_begin"_a, "references"_a, "reference_begin"_a, "owner"_a);
  m.def("count_compounds", &count_compounds, "hypotheses"_a, "hypothesis_begin"_a, "references"_a, "reference_begin"_a,
        "owner"_a, "hypothesis_join_begin"_a, "hypothesis_join_end"_a, "hypothesis_join_length"_a, "hypothesis_join_word"_a,
        "reference_join_begin"_a, "reference_join_end"_a, "reference_join_length"_a, "reference_join_word"_a,
        "longest"_a = longest_without_bound);
  nb::class_<NgramIndex>(m, "NgramIndex")
      .def(nb::new_(&index_ngrams), "words"_a, "begin"_a, "order"_a)
      .def("matches", &index_matches, "references"_a, "reference_begin"_a);
  m.def("match_ngrams", &count_ngrams<match_ngrams>, "hypotheses"_a, "hypothesis_begin"_a, "references"_a,
        "reference_begin"_a, "owner"_a, "order"_a);
  m.def("weigh_ngrams", &count_ngrams<weigh_ngrams>, "hypotheses"_a, "hypothesis_begin"_a, "references"_a,
        "reference_begin"_a, "owner"_a, "order"_a);
}

}  // namespace latticemetric
