// The oracles of a lattice by recognition rates, and its 1-best, from the text of an archive to counted alignments.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "blocks/read_lattice.hpp"
#include "graphs/lattice.hpp"
#include "memory/budget.hpp"
#include "memory/task_limits.hpp"
#include "recognition/automaton.hpp"
#include "strings/alignment.hpp"

namespace latticemetric {

inline constexpr std::size_t kaldi_columns = 2;  // the graph cost and the acoustic cost

// A path of a lattice: its arcs, its words with blanks between them, and its costs: under the weights, then of each
// column.
struct PathFields {
  std::vector<std::int64_t> arcs;
  std::string text;
  std::array<double, 1 + kaldi_columns> cost{};
};

// A path scored by a rate: the reference against which it scores best, the edits, and their counts (`count_edits`).
struct ScoredFields {
  std::int32_t reference = 0;
  std::string edits;
  std::vector<std::int64_t> counts;
};

// What was found in a lattice. `oracle`, `oracle_score` and `one_best_score` have an entry for each rate.
struct RateFindings {
  // Python must search this lattice, for whatever reason; its oracles were found; or this took too long.
  enum Outcome : std::uint8_t { left_to_python = 0, plain = 1, timed_out = 2 } outcome = left_to_python;
  std::string first_word, last_word;  // of all paths, if they are asked for; empty if there are none
  // The distinct words of the lattice with blanks between them, if the oracle by a rate matches less than half of its
  // reference.
  std::string used_words;
  std::vector<PathFields> oracle;
  PathFields one_best;
  std::vector<ScoredFields> oracle_score, one_best_score;
};

// The references of a lattice: their words as UTF-8.
using SpelledReferences = std::vector<std::vector<std::string_view>>;

// A lattice to search.
struct RateTask {
  enum Format { kaldi_numbers, kaldi_words, kaldi_binary } format = kaldi_numbers;
  std::string_view bytes;  // of a text archive: from the line of the id on
  const SymbolTable* table = nullptr;
  SpelledReferences references;
  // Words of the references that another Unicode form may spell in the lattice: each word, then its other forms.
  std::vector<std::vector<std::string_view>> forms;
};

// How to search lattices: by which rates, under which weights of columns. Results do not show ignored words; rates do
// not compare silent words, which are these and the wildcards.
struct RateSettings {
  std::vector<Gains> rates;
  std::array<double, kaldi_columns> weights{};
  std::vector<std::string> ignored, silent;
  std::vector<std::string> sought;  // words of which to say whether a lattice or a reference has them
  bool outer_words = false;  // whether to find the words with which all paths begin and end
};

// Searches lattices of Kaldi's archives, one after the other, with one set of buffers.
//
// Leaves to Python each lattice that is not plain: one that cannot be read, that needs a message or more memory, or
// whose answer depends on more than the rate and the order of arcs.
class RateSearcher {
 public:
  explicit RateSearcher(RateSettings settings);

  RateFindings found(const RateTask& task, const TaskLimits& limits);

  // Adds the sought words that some lattice or reference had to a set.
  void add_seen(std::set<std::string>& seen) const;

 private:
  RateFindings searched(const RateTask& task);
  bool fits(std::size_t reference_words) const;
  bool number_references(const LatticeWords& words, const RateTask& task);
  void look_for_words(const ReadLattice& read, const RateTask& task);
  bool add_oracle(const Lattice& lattice, std::size_t rate, RateFindings& found);
  ScoredFields scored(const std::vector<std::int64_t>& arcs, const Lattice& lattice, std::size_t rate);
  bool is_poor(const RateTask& task, const RateFindings& found) const;
  PathFields fields_of(std::vector<std::int64_t> arcs, const ReadLattice& read, const Lattice& lattice);

  RateSettings settings_;
  std::deque<Aligner> aligners_;  // of each rate
  std::vector<std::int32_t> ignored_, silent_;  // their numbers in the lattice
  std::vector<std::uint8_t> seen_;  // 1 for each sought word that was seen
  std::vector<std::vector<std::int32_t>> references_;
  std::vector<std::int32_t> said_;
  std::vector<double> values_;
};

// Searches lattices in several threads; see `in_threads`. Leaves a task without bytes to Python. Adds the words that were
// sought and seen to `seen`.
std::vector<RateFindings> found_in_threads(const std::vector<RateTask>& tasks, const RateSettings& settings,
                                           const TaskLimits& limits, std::size_t threads, Budget::MostBytes most_bytes,
                                           std::set<std::string>& seen);

}  // namespace latticemetric
