// Python bindings of METEOR's alignment.
#include <limits>
#include <vector>

#include "bindings/binding.hpp"
#include "strings/meteor_alignment.hpp"

namespace latticemetric {
namespace {

using namespace nb::literals;

void require_begins(const Input<std::int64_t>& begin, std::size_t size) {
  require(begin.size() >= 1 && begin.data()[0] == 0, "the first row must begin at 0");
  for (std::size_t k = 1; k < begin.size(); ++k)
    require(begin.data()[k - 1] <= begin.data()[k], "rows must follow one another");
  require(static_cast<std::size_t>(begin.data()[begin.size() - 1]) == size, "the last row must end at the last value");
}

void require_words(const Input<std::int32_t>& words, std::int64_t types) {
  require(words.size() < static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()), "too many words");
  for (std::size_t k = 0; k < words.size(); ++k)
    require(words.data()[k] >= 0 && words.data()[k] < types, "a word has no keys");
}

// Aligns pairs of strings. The keys of word type w in stage s are keys[key_begin[k]] .. keys[key_begin[k + 1] - 1],
// where k = s * types + w.
nb::tuple align_stages(Input<std::int32_t> hypotheses, Input<std::int64_t> hypothesis_begin,
                       Input<std::int32_t> references, Input<std::int64_t> reference_begin, Input<std::int32_t> keys,
                       Input<std::int64_t> key_begin, std::int32_t stages, std::int64_t cap) {
  require_aligned(hypotheses, references, keys);
  require_aligned(hypothesis_begin, reference_begin, key_begin);
  require_begins(hypothesis_begin, hypotheses.size());
  require_begins(reference_begin, references.size());
  require(hypothesis_begin.size() == reference_begin.size(), "every hypothesis must have one reference");
  require_begins(key_begin, keys.size());
  for (std::size_t p = 1; p < hypothesis_begin.size(); ++p)
    for (const auto* begin : {&hypothesis_begin, &reference_begin})
      require(begin->data()[p] - begin->data()[p - 1] <= StageSearch::most_words, "a string has too many words");
  require(stages >= 1 && cap >= 1, "stages and cap must be positive");
  require((key_begin.size() - 1) % static_cast<std::size_t>(stages) == 0, "each stage must have keys for every word");
  const auto types = static_cast<std::int64_t>(key_begin.size() - 1) / stages;
  require_words(hypotheses, types);
  require_words(references, types);
  for (std::size_t w = 1; w < key_begin.size(); ++w)
    for (auto k = key_begin.data()[w - 1] + 1; k < key_begin.data()[w]; ++k)
      require(keys.data()[k - 1] < keys.data()[k], "keys of a word must ascend");

  std::vector<MeteorStage> runs;
  for (std::int32_t s = 0; s < stages; ++s) runs.push_back({key_begin.data() + s * types, keys.data()});
  const std::size_t pairs = hypothesis_begin.size() - 1;
  std::vector<std::int64_t> counts(pairs * 5), edge_begin(1, 0);
  std::vector<std::int32_t> edges;
  {
    const KernelScope running;
    MeteorAligner aligner(std::move(runs), cap);
    for (std::size_t p = 0; p < pairs; ++p) {
      const auto c = hypothesis_begin.data()[p], r = reference_begin.data()[p];
      const bool exact =
          aligner.align(hypotheses.data() + c, static_cast<std::int32_t>(hypothesis_begin.data()[p + 1] - c),
                        references.data() + r, static_cast<std::int32_t>(reference_begin.data()[p + 1] - r));
      auto* row = counts.data() + p * 5;
      row[0] = static_cast<std::int64_t>(aligner.edges().size());
      row[1] = aligner.chunks();
      row[2] = aligner.crossings();
      row[3] = aligner.least_crossings();
      row[4] = !exact;
      for (const auto& e : aligner.edges()) edges.insert(edges.end(), {e.hypothesis, e.reference, e.stage});
      edge_begin.push_back(static_cast<std::int64_t>(edges.size() / 3));
    }
  }
  const auto size = edges.size() / 3;
  return nb::make_tuple(to_numpy(std::move(counts), {pairs, 5}), column(std::move(edge_begin)),
                        to_numpy(std::move(edges), {size, 3}));
}

}  // namespace

void bind_meteor(nb::module_& m) {
  m.def("align_stages", &align_stages, "hypotheses"_a, "hypothesis_begin"_a, "references"_a, "reference_begin"_a,
        "keys"_a, "key_begin"_a, "stages"_a, "cap"_a);
}

}  // namespace latticemetric
