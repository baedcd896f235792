// Python bindings of searches of many graphs at a time.
#include <nanobind/stl/tuple.h>

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/binding.hpp"
#include "blocks/rate_search.hpp"
#include "blocks/threads.hpp"

namespace latticemetric {
namespace {

using namespace nb::literals;

struct Task {
  std::string_view text;
  bool symbols;
  SpelledReferences references;
};

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

// Reads a task: (bytes, begin, end, symbols, references), where each reference is a tuple of words. The views live as
// long as the task. A task without text is left to Python.
Task task_of(nb::handle given) {
  const auto [whole, begin, end, symbols, references] =
      nb::cast<std::tuple<nb::bytes, std::size_t, std::size_t, bool, nb::tuple>>(given);
  require(begin <= end && end <= whole.size(), "the part lies beyond the end of the bytes");
  require(references.size() > 0, "a reference is needed");
  Task task{{whole.c_str() + begin, end - begin}, symbols, {}};
  for (const nb::handle reference : references) {
    auto& words = task.references.emplace_back();
    for (const nb::handle word : nb::cast<nb::tuple>(reference)) {
      const auto text = utf8_of(word);
      if (!text) return {};
      words.push_back(*text);
    }
  }
  return task;
}

// Texts one after the other, with the end of each.
struct TextRows {
  std::string texts;
  std::vector<std::int64_t> begin{0};

  void add(std::string_view text) {
    texts += text;
    begin.push_back(static_cast<std::int64_t>(texts.size()));
  }

  nb::tuple taken() { return nb::make_tuple(nb::bytes(texts.data(), texts.size()), column(std::move(begin))); }
};

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
    return nb::make_tuple(column(std::move(arcs)), column(std::move(arc_begin)), text.taken(), column(std::move(cost)));
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
    return nb::make_tuple(column(std::move(reference)), edits.taken(), column(std::move(counts)));
  }
};

thread_local std::size_t sharing = 1;  // the threads that share the memory of a call

std::size_t share_of_bytes() { return most_bytes() / sharing; }

// Returns whether each lattice was searched here; the paths of the 1-bests; and for each rate, the paths of the oracles
// and the scores of both. Rows are those of the lattices that were searched.
nb::tuple search_kaldi_texts(nb::list given, const std::vector<Gains>& rates, std::pair<double, double> weights,
                             std::size_t threads) {
  require(threads >= 1, "a thread is needed");
  for (const Gains gains : rates) require_gains(gains);
  std::vector<Task> tasks;
  for (const nb::handle one : given) tasks.push_back(task_of(one));
  std::vector<RateFindings> found(tasks.size());
  {
    const KernelScope running;
    std::deque<RateSearcher> searchers;
    for (std::size_t k = 0; k < threads; ++k)
      searchers.emplace_back(rates, std::array<double, KaldiLattice::costs>{weights.first, weights.second});
    in_threads(threads, tasks.size(), share_of_bytes, [&](std::size_t thread, std::size_t k) {
      sharing = threads;
      const Task& task = tasks[k];
      if (!task.text.empty()) found[k] = searchers[thread].found(task.text, task.symbols, task.references);
    });
  }
  std::vector<std::uint8_t> is_plain;
  PathColumns one_best;
  std::vector<PathColumns> oracles(rates.size());
  std::vector<ScoreColumns> oracle_scores(rates.size()), one_best_scores(rates.size());
  for (const RateFindings& one : found) {
    is_plain.push_back(one.is_plain);
    if (!one.is_plain) continue;
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
  return nb::make_tuple(column(std::move(is_plain)), one_best.taken(), of_rates);
}

}  // namespace

void bind_blocks(nb::module_& m) {
  m.def("search_kaldi_texts", &search_kaldi_texts, "tasks"_a, "rates"_a, "weights"_a, "threads"_a);
}

}  // namespace latticemetric
