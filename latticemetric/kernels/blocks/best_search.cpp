#include "blocks/best_search.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

#include "blocks/kaldi_lattice.hpp"
#include "graphs/lattice_summary.hpp"

namespace latticemetric {
namespace {

bool read_best_lattice(std::string_view bytes, RateTask::Format format, const SymbolTable* table, ReadLattice& lattice) {
  if (format == RateTask::kaldi_binary) return read_kaldi_machine(bytes, table, lattice);
  return read_kaldi_lattice(bytes, format == RateTask::kaldi_words, table, lattice);
}

BestFinding best_of(const ReadLattice& read, const BestSettings& settings) {
  CostedLattice lattice{read.states,        read.arcs(),        static_cast<std::int64_t>(read.final.size()),
                        read.source.data(), read.target.data(), read.word.data(),
                        read.final.data(),  {},                 false};
  for (std::size_t k = 0; k < read.costs.size(); ++k)
    lattice.columns.push_back({read.costs[k].arc.data(), read.costs[k].final.data(), settings.weights[k]});
  auto best = best_summary(lattice, settings.posterior_scale);
  if (!best) return {};
  BestFinding found;
  found.is_found = true;
  found.steps = std::move(best->steps);
  found.confidence = std::move(best->confidence);
  found.path.cost[0] = best->cost;
  std::copy(best->column.begin(), best->column.end(), found.path.cost.begin() + 1);
  for (const auto a : best->path) {
    const auto word = read.word[static_cast<std::size_t>(a)];
    if (word == 0) continue;
    if (!found.path.text.empty()) found.path.text.push_back(' ');
    read.words.append(word, found.path.text);
  }
  found.path.arcs = std::move(best->path);
  return found;
}

}  // namespace

BestFinding find_best(std::string_view bytes, RateTask::Format format, const SymbolTable* table,
                      const BestSettings& settings) {
  // Python reads a lattice again that has an error, and says what is wrong. Other exceptions end the whole call.
  try {
    ReadLattice read;
    return read_best_lattice(bytes, format, table, read) ? best_of(read, settings) : BestFinding{};
  } catch (const ParseError&) {
  } catch (const std::bad_alloc&) {
  } catch (const std::logic_error&) {
  } catch (const std::runtime_error&) {
  }
  return {};
}

}  // namespace latticemetric
