// The oracles of a lattice by recognition rates, and its 1-best, from the text of an archive to counted alignments.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "blocks/kaldi_lattice.hpp"
#include "graphs/lattice.hpp"
#include "recognition/automaton.hpp"
#include "strings/alignment.hpp"

namespace latticemetric {

// A path of a lattice: its arcs, its words with blanks between them, and its costs: under the weights, then of each
// column.
struct PathFields {
  std::vector<std::int64_t> arcs;
  std::string text;
  std::array<double, 1 + KaldiLattice::costs> cost{};
};

// A path scored by a rate: the reference against which it scores best, the edits, and their counts (`count_edits`).
struct ScoredFields {
  std::int32_t reference = 0;
  std::string edits;
  std::vector<std::int64_t> counts;
};

// What was found in a lattice. `oracle`, `oracle_score` and `one_best_score` have an entry for each rate.
struct RateFindings {
  bool is_plain = false;  // false if Python must search this lattice, for whatever reason
  std::vector<PathFields> oracle;
  PathFields one_best;
  std::vector<ScoredFields> oracle_score, one_best_score;
};

// The references of a lattice: their words as UTF-8.
using SpelledReferences = std::vector<std::vector<std::string_view>>;

// Searches lattices of Kaldi text archives, one after the other, with one set of buffers.
//
// Leaves to Python each lattice that is not plain: one that cannot be read, that needs a message or more memory, or
// whose answer depends on more than the rate and the order of arcs.
class RateSearcher {
 public:
  RateSearcher(const std::vector<Gains>& rates, std::array<double, KaldiLattice::costs> weights);

  // `text` begins with the line of the id. `symbols` says whether its archive has words, not word numbers.
  RateFindings found(std::string_view text, bool symbols, const SpelledReferences& references);

 private:
  RateFindings searched(std::string_view text, bool symbols, const SpelledReferences& references);
  bool fits(std::size_t reference_words) const;
  bool number_references(const KaldiLattice& read, const SpelledReferences& references);
  bool add_oracle(const Lattice& lattice, std::size_t rate, RateFindings& found);
  ScoredFields scored(const std::vector<std::int64_t>& arcs, const Lattice& lattice, std::size_t rate);
  PathFields fields_of(std::vector<std::int64_t> arcs, const KaldiLattice& read, const Lattice& lattice);

  const std::vector<Gains> rates_;
  const std::array<double, KaldiLattice::costs> weights_;
  std::deque<Aligner> aligners_;  // of each rate
  std::vector<std::vector<std::int32_t>> references_;
  std::vector<std::int32_t> said_;
  std::vector<double> values_;
};

}  // namespace latticemetric
