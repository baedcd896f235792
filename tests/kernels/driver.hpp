// A driver for tests of kernels, and what they share: random words, lattices and rates.
#pragma once

#include <cstdint>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "graphs/lattice.hpp"
#include "memory/int128.hpp"
#include "recognition/automaton.hpp"

namespace latticemetric::tests {

// The tests, by the names of their files.
void transitions();
void tables();
void columns();
void bounds();
void log_sums();
void incoming_arcs();
void threads();

template <typename Value>
std::string shown(Value value) {
  std::ostringstream text;
  if constexpr (std::is_same_v<Value, Int128>)
    text << static_cast<std::int64_t>(value);
  else
    text << +value;
  return text.str();
}

template <typename Found, typename Expected>
void expect_equal(Found found, Expected expected, const std::string& what) {
  if (!(found == static_cast<Found>(expected)))
    throw std::runtime_error(what + ": found " + shown(found) + ", expected " + shown(expected));
}

inline void expect(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

// The same numbers on every machine.
class Random {
 public:
  explicit Random(std::uint32_t seed) : numbers_(seed) {}
  std::int32_t below(std::int32_t limit) {
    return static_cast<std::int32_t>(numbers_() % static_cast<std::uint32_t>(limit));
  }
  double share() { return below(1 << 20) / static_cast<double>(1 << 20); }

  // Words 1 .. kinds.
  std::vector<std::int32_t> words(std::int32_t size, std::int32_t kinds) {
    std::vector<std::int32_t> found;
    for (std::int32_t k = 0; k < size; ++k) found.push_back(1 + below(kinds));
    return found;
  }

  // Rates as they are used (alpha and beta of 0 to 1) and some that reward insertions or deletions.
  Gains gains() {
    const std::int32_t order = 1 + below(5);
    const std::int64_t unit = 1 + below(6);
    return {order, unit, below(8) - 1, below(8) - 1};
  }

 private:
  std::mt19937 numbers_;
};

// A lattice that owns its columns. Every state is on a complete path.
struct OwnLattice {
  std::int32_t states = 1;
  std::vector<std::int32_t> source, target, label;
  std::vector<std::uint8_t> is_word;
  std::vector<double> cost, final_cost;

  // States in a row, with arcs that skip some of them. Label 0 is ε.
  OwnLattice(Random& random, std::int32_t size, std::int32_t kinds) : states(size + 1) {
    for (std::int32_t s = 0; s < size; ++s) {
      const std::int32_t arcs = 1 + random.below(3);
      for (std::int32_t k = 0; k < arcs; ++k) {
        const std::int32_t ahead = k == 0 ? 1 : 1 + random.below(3);
        add(s, std::min(s + ahead, size), random.below(kinds + 1), random.below(4));
      }
    }
    final_cost.assign(static_cast<std::size_t>(states), HUGE_VAL);
    final_cost.back() = 0.5;
    final_cost[static_cast<std::size_t>(random.below(states))] = 0.25;
  }

  // One path.
  explicit OwnLattice(const std::vector<std::int32_t>& words) : states(static_cast<std::int32_t>(words.size()) + 1) {
    for (std::int32_t s = 0; s + 1 < states; ++s) add(s, s + 1, words[s], 0);
    final_cost.assign(static_cast<std::size_t>(states), HUGE_VAL);
    final_cost.back() = 0;
  }

  Lattice view() const {
    return {states,         static_cast<std::int64_t>(source.size()), source.data(), target.data(), label.data(),
            is_word.data(), cost.data(),                              final_cost.data()};
  }

 private:
  void add(std::int32_t from, std::int32_t to, std::int32_t word, double own) {
    source.push_back(from);
    target.push_back(to);
    label.push_back(word);
    is_word.push_back(word != 0);
    cost.push_back(own);
  }
};

// What paths gain by the definition: all transitions of the automaton, `EditGains::each_reading` and deletions.
class Definition {
 public:
  static constexpr std::int64_t unreached = -(std::int64_t{1} << 60);

  Definition(std::vector<std::int32_t> reference, EditGains<std::int64_t> gains)
      : reference_(std::move(reference)), gains_(gains) {}

  std::int32_t size() const { return static_cast<std::int32_t>(reference_.size()); }
  std::int32_t states() const { return gains_.state(size() + 1, 0); }

  // The row of state q: what each state gains at most from there by no word. A state may forget its run.
  std::vector<std::int64_t> start(std::int32_t q) const;
  // The row after one more word.
  std::vector<std::int64_t> advance(const std::vector<std::int64_t>& row, std::int32_t word) const;
  std::int64_t end(const std::vector<std::int64_t>& row) const;
  std::int64_t of(const std::vector<std::int32_t>& words) const;

  // By state of a lattice: the row of the paths to it, and what each state gains at most from there to an end.
  std::vector<std::vector<std::int64_t>> before(const Lattice& lattice) const;
  std::vector<std::vector<std::int64_t>> after(const Lattice& lattice) const;

 private:
  void close(std::vector<std::int64_t>& row) const;
  void raise(std::int64_t& value, std::int64_t other) const { value = std::max(value, other); }

  std::vector<std::int32_t> reference_;
  EditGains<std::int64_t> gains_;
};

}  // namespace latticemetric::tests
