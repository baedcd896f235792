// Python bindings of searches of many graphs at a time.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/binding.hpp"
#include "bindings/segment_reader.hpp"
#include "blocks/best_search.hpp"
#include "blocks/rate_search.hpp"
#include "blocks/threads.hpp"
#include "formats/record_lines.hpp"

namespace latticemetric {
namespace {

using namespace nb::literals;

// Returns the UTF-8 of a string, which lives as long as the string; nothing if it has half a character.
std::optional<std::string_view> utf8_of(nb::handle text) {
  Py_ssize_t size = 0;
  const char* const begin = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (begin == nullptr) {
    PyErr_Clear();
    return std::nullopt;
  }
  return std::string_view(begin, static_cast<std::size_t>(size));
}

// Adds lists of words, which live as long as the strings. Returns false if a word cannot be written as UTF-8.
bool add_words(const nb::tuple& given, std::vector<std::vector<std::string_view>>& rows) {
  for (const nb::handle row : given) {
    auto& words = rows.emplace_back();
    for (const nb::handle word : nb::cast<nb::tuple>(row)) {
      const auto text = utf8_of(word);
      if (!text) return false;
      words.push_back(*text);
    }
  }
  return true;
}

RateTask::Format format_of(const std::string& name, bool are_spelled) {
  require(name == "kaldi" || name == "kaldi-binary", "the format must be kaldi or kaldi-binary");
  if (name == "kaldi-binary") return RateTask::kaldi_binary;
  return are_spelled ? RateTask::kaldi_words : RateTask::kaldi_numbers;
}

// Reads a task: (bytes, begin, end, format, whether words are spelled, symbol table or None, references, forms). The
// views live as long as the task. A task without bytes is left to Python.
RateTask task_of(nb::handle given) {
  const auto [whole, begin, end, format, are_spelled, table, references, forms] =
      nb::cast<std::tuple<nb::bytes, std::size_t, std::size_t, std::string, bool, nb::object, nb::tuple, nb::tuple>>(
          given);
  require(begin <= end && end <= whole.size(), "the part lies beyond the end of the bytes");
  require(references.size() > 0, "a reference is needed");
  RateTask task;
  task.format = format_of(format, are_spelled);
  task.table = table.is_none() ? nullptr : nb::cast<const SymbolTable*>(table);
  if (add_words(references, task.references) && add_words(forms, task.forms))
    task.bytes = {whole.c_str() + begin, end - begin};
  return task;
}

nb::tuple texts_of(TextRows rows) {
  return nb::make_tuple(nb::bytes(rows.texts.data(), rows.texts.size()), column(std::move(rows.begin)));
}

// Paths as columns.
struct PathColumns {
  std::vector<std::int64_t> arcs, arc_begin{0};
  TextRows text;
  std::vector<double> cost;

  void add(const PathFields& path) {
    arcs.insert(arcs.end(), path.arcs.begin(), path.arcs.end());
    arc_begin.push_back(static_cast<std::int64_t>(arcs.size()));
    text.add(path.text);
    cost.insert(cost.end(), path.cost.begin(), path.cost.end());
  }

  nb::tuple taken() {
    return nb::make_tuple(column(std::move(arcs)), column(std::move(arc_begin)), texts_of(std::move(text)), column(std::move(cost)));
  }
};

// Scores as columns.
struct ScoreColumns {
  std::vector<std::int32_t> reference;
  TextRows edits;
  std::vector<std::int64_t> counts;

  void add(const ScoredFields& score) {
    reference.push_back(score.reference);
    edits.add(score.edits);
    counts.insert(counts.end(), score.counts.begin(), score.counts.end());
  }

  nb::tuple taken() {
    return nb::make_tuple(column(std::move(reference)), texts_of(std::move(edits)), column(std::move(counts)));
  }
};

std::size_t share_of_bytes() { return most_bytes() / threads::sharing; }

// Returns the outcome for each lattice; the outer words; the words of lattices that match poorly; the paths of the
// 1-bests; for each rate, the paths of the oracles and the scores of both; and the sought words that were seen. Rows are
// those of the lattices that were searched.
nb::tuple search_by_rates(nb::list given, const std::vector<Gains>& rates, std::pair<double, double> weights,
                          std::vector<std::string> ignored, std::vector<std::string> silent, std::size_t threads,
                          std::vector<std::string> sought, bool outer_words, std::optional<std::size_t> most_bytes,
                          std::optional<double> most_seconds) {
  require(threads >= 1, "a thread is needed");
  for (const Gains gains : rates) require_gains(gains);
  const RateSettings settings{rates, {weights.first, weights.second}, std::move(ignored), std::move(silent), std::move(sought),
                              outer_words};
  TaskLimits limits{most_bytes, {}};
  using Clock = std::chrono::steady_clock;
  if (most_seconds)
    limits.time = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*most_seconds));
  std::vector<RateTask> tasks;
  for (const nb::handle one : given) tasks.push_back(task_of(one));
  std::vector<RateFindings> found;
  std::set<std::string> seen;
  {
    const KernelScope running;
    found = found_in_threads(tasks, settings, limits, threads, share_of_bytes, seen);
  }
  std::vector<std::uint8_t> outcomes;
  TextRows first_words, last_words, used_words;
  PathColumns one_best;
  std::vector<PathColumns> oracles(rates.size());
  std::vector<ScoreColumns> oracle_scores(rates.size()), one_best_scores(rates.size());
  for (const RateFindings& one : found) {
    outcomes.push_back(one.outcome);
    if (one.outcome != RateFindings::plain) continue;
    first_words.add(one.first_word);
    last_words.add(one.last_word);
    used_words.add(one.used_words);
    one_best.add(one.one_best);
    for (std::size_t k = 0; k < rates.size(); ++k) {
      oracles[k].add(one.oracle[k]);
      oracle_scores[k].add(one.oracle_score[k]);
      one_best_scores[k].add(one.one_best_score[k]);
    }
  }
  nb::list of_rates;
  for (std::size_t k = 0; k < rates.size(); ++k)
    of_rates.append(nb::make_tuple(oracles[k].taken(), oracle_scores[k].taken(), one_best_scores[k].taken()));
  const nb::tuple outer = nb::make_tuple(texts_of(std::move(first_words)), texts_of(std::move(last_words)));
  nb::list words_seen;
  for (const std::string& word : seen) words_seen.append(word);
  return nb::make_tuple(column(std::move(outcomes)), outer, texts_of(std::move(used_words)), one_best.taken(), of_rates,
                        words_seen);
}

// Lists of numbers as columns.
struct ListColumns {
  std::vector<double> values;
  std::vector<std::int64_t> begin{0};

  void add(const std::vector<double>& list) {
    values.insert(values.end(), list.begin(), list.end());
    begin.push_back(static_cast<std::int64_t>(values.size()));
  }

  nb::tuple taken() { return nb::make_tuple(column(std::move(values)), column(std::move(begin))); }
};

// Returns for each lattice whether its 1-best was found; the paths; and the probabilities of their steps and words. Rows
// are those of the lattices whose 1-best was found.
nb::tuple search_best(nb::bytes whole, const std::vector<std::size_t>& begin, const std::vector<std::size_t>& end,
                      const std::string& format, bool are_spelled, nb::object table, std::pair<double, double> weights,
                      double posterior_scale, std::size_t threads) {
  require(threads >= 1, "a thread is needed");
  require(begin.size() == end.size(), "every lattice has a beginning and an end");
  for (std::size_t k = 0; k < begin.size(); ++k)
    require(begin[k] <= end[k] && end[k] <= whole.size(), "the part lies beyond the end of the bytes");
  const auto kind = format_of(format, are_spelled);
  const auto* const symbols = table.is_none() ? nullptr : nb::cast<const SymbolTable*>(table);
  const BestSettings settings{{weights.first, weights.second}, posterior_scale};
  const char* const bytes = whole.c_str();
  std::vector<BestFinding> found(begin.size());
  {
    const KernelScope running;
    in_threads(threads, begin.size(), share_of_bytes, [&](std::size_t, std::size_t k) {
      found[k] = find_best({bytes + begin[k], end[k] - begin[k]}, kind, symbols, settings);
    });
  }
  std::vector<std::uint8_t> is_found;
  PathColumns paths;
  ListColumns steps, confidences;
  for (const BestFinding& one : found) {
    is_found.push_back(one.is_found);
    if (!one.is_found) continue;
    paths.add(one.path);
    steps.add(one.steps);
    confidences.add(one.confidence);
  }
  return nb::make_tuple(column(std::move(is_found)), paths.taken(), steps.taken(), confidences.taken());
}

}  // namespace

void bind_blocks(nb::module_& m) {
  nb::class_<SymbolTable>(m, "SymbolTable")
      .def("__init__",
           [](SymbolTable* self, const Utf8Texts& texts) {
             std::vector<std::string_view> words;
             for (std::int64_t k = 1; k < texts.size(); ++k) words.push_back(texts.table()[static_cast<std::int32_t>(k)]);
             new (self) SymbolTable(std::move(words));
           },
           "texts"_a, nb::keep_alive<1, 2>());
  m.def("search_best", &search_best, "whole"_a, "begin"_a, "end"_a, "format_name"_a, "are_spelled"_a,
        "table"_a.none(), "weights"_a, "posterior_scale"_a, "threads"_a);
  m.def("search_by_rates", &search_by_rates, "tasks"_a, "rates"_a, "weights"_a, "ignored"_a, "silent"_a, "threads"_a,
        "sought"_a = std::vector<std::string>(), "outer_words"_a = false, "most_bytes"_a = nb::none(), "most_seconds"_a = nb::none());
}

}  // namespace latticemetric
