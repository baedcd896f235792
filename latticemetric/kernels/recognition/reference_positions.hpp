// The positions of a lattice's words in a reference.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "graphs/lattice.hpp"
#include "memory/budget.hpp"

namespace latticemetric {

// For each arc, the positions where the reference has the arc's word.
class ReferencePositions {
 public:
  ReferencePositions(const Lattice& lattice, const std::int32_t* reference, std::int32_t size) {
    WordTable first(static_cast<std::size_t>(size));
    first_.assign(static_cast<std::size_t>(size), -1);
    list_positions(reference, size, first);
    find_words(lattice, first);
  }

  // Returns the positions of an arc's word in ascending order, followed by -1.
  const std::int32_t* of(std::int64_t arc) const { return of_arc_[arc] >= 0 ? positions_.data() + of_arc_[arc] : &none; }
  bool has(std::int64_t arc) const { return of_arc_[arc] >= 0; }
  bool matches(std::int64_t arc, std::int32_t i) const {
    return of_arc_[arc] >= 0 && of_arc_[arc] == first_[static_cast<std::size_t>(i)];
  }

  // Words as symbols. An arc's word has a symbol from 1 to size(), or 0 if the reference lacks it. A word of the
  // reference has the same symbol, or -1 if it is unknown.
  std::int32_t symbol(std::int64_t arc) const { return of_arc_[arc] + 1; }
  std::int32_t symbol_at(std::int32_t i) const {
    const std::int32_t first = first_[static_cast<std::size_t>(i)];
    return first >= 0 ? first + 1 : -1;
  }
  std::vector<std::int32_t> symbols() const {
    std::vector<std::int32_t> symbols;
    for (std::size_t i = 0; i < first_.size(); ++i) symbols.push_back(symbol_at(static_cast<std::int32_t>(i)));
    return symbols;
  }

  // Return where the positions of an arc's word begin and end, among the positions of all words.
  std::int32_t begin(std::int64_t arc) const { return of_arc_[arc]; }
  std::int32_t end(std::int64_t arc) const { return end_[of_arc_[arc]]; }
  const std::int32_t* data() const { return positions_.data(); }
  std::size_t size() const { return positions_.size(); }

 private:
  static constexpr std::int32_t none = -1;

  // Numbers of words: a hash table with open addressing. Words are positive.
  class WordTable {
   public:
    struct Entry {
      std::int32_t word = 0, number = none;
    };

    // At most `most` words are entered.
    explicit WordTable(std::size_t most) {
      std::size_t places = 16;
      while (places < 2 * most) places *= 2;
      entries_.resize(places);
    }

    // Returns the entry of a word; if there is none, the entry that it would have, whose word is 0.
    Entry& operator[](std::int32_t word) {
      const std::size_t mask = entries_.size() - 1;
      std::size_t at = (static_cast<std::uint32_t>(word) * 0x9E3779B9u >> 7) & mask;
      while (entries_[at].word != word && entries_[at].word != 0) at = (at + 1) & mask;
      return entries_[at];
    }

    template <typename Visit>
    void each(Visit visit) {
      for (Entry& entry : entries_)
        if (entry.word != 0) visit(entry);
    }

   private:
    std::vector<Entry> entries_;
  };

  // Sets where the list of each arc's word begins. `first` has the same by word.
  //
  // The low bits of a word's number are its place in a table of words. Without a branch: the processor cannot predict
  // which arcs have a word of the reference. Words that share a place are left to the map.
  void find_words(const Lattice& lattice, WordTable& first) {
    struct Place {
      std::int32_t word, begin;
    };
    constexpr std::int32_t no_word = 0, shared = -1;
    std::size_t places = 512;
    while (places < 16 * words_) places *= 2;
    const auto mask = static_cast<std::uint32_t>(places - 1);
    std::vector<Place> table(places, Place{no_word, none});
    bool is_shared = false;
    first.each([&](const WordTable::Entry& entry) {
      Place& place = table[static_cast<std::uint32_t>(entry.word) & mask];
      is_shared |= place.word != no_word;
      place = place.word == no_word ? Place{entry.word, entry.number} : Place{shared, none};
    });
    poll(lattice.arcs);
    of_arc_.resize(static_cast<std::size_t>(lattice.arcs));
    for (std::int64_t a = 0; a < lattice.arcs; ++a) {
      const Place& place = table[static_cast<std::uint32_t>(lattice.label[a]) & mask];
      of_arc_[a] = place.word == lattice.label[a] ? place.begin : none;
    }
    for (std::int64_t a = 0; is_shared && a < lattice.arcs; ++a) {
      if (table[static_cast<std::uint32_t>(lattice.label[a]) & mask].word != shared) continue;
      of_arc_[a] = first[lattice.label[a]].number;
    }
  }

  // Sets the number of each word to where its list begins.
  void list_positions(const std::int32_t* reference, std::int32_t size, WordTable& first) {
    // Words are listed in the order of their first position. Each has its positions, and then the end mark -1.
    std::vector<std::int32_t> count;
    std::vector<std::int32_t> number(static_cast<std::size_t>(size), -1);
    poll(20 * static_cast<std::int64_t>(size));
    for (std::int32_t i = 0; i < size; ++i) {
      if (reference[i] <= 0) continue;  // no arc has the number of an unknown word
      auto& entry = first[reference[i]];
      if (entry.word == 0) {
        entry = {reference[i], static_cast<std::int32_t>(count.size())};
        count.push_back(0);
      }
      number[i] = entry.number;
      ++count[entry.number];
    }
    words_ = count.size();
    std::vector<std::int32_t> begin;
    std::int32_t end = 0;
    for (const auto positions : count) {
      begin.push_back(end);
      end += positions + 1;
    }
    positions_.assign(static_cast<std::size_t>(end), -1);
    end_.assign(static_cast<std::size_t>(end), 0);
    for (std::size_t word = 0; word < count.size(); ++word) end_[begin[word]] = begin[word] + count[word];
    auto next = begin;
    for (std::int32_t i = 0; i < size; ++i) {
      if (number[i] < 0) continue;
      first_[i] = begin[number[i]];
      positions_[next[number[i]]++] = i;
    }
    first.each([&](WordTable::Entry& entry) { entry.number = begin[entry.number]; });
  }

  std::size_t words_ = 0;                // distinct words of the reference
  std::vector<std::int32_t> positions_;  // of each word, one list after the other
  std::vector<std::int32_t> end_;     // by begin of a list: its end
  std::vector<std::int32_t> of_arc_;  // by arc: where the list of its word begins, or -1
  std::vector<std::int32_t> first_;   // by position: the same for the reference's word there
};

// Finds the first position of an arc's word at or after a given one. It is nearly always near the one found before.
class PositionCursors {
 public:
  explicit PositionCursors(const ReferencePositions& positions) : positions_(positions), at_(positions.size(), -1) {}

  // Returns the positions from the first one that is at least `least` on, followed by -1. The reference must have the
  // arc's word.
  const std::int32_t* from(std::int64_t arc, std::int32_t least) {
    const std::int32_t *const all = positions_.data(), begin = positions_.begin(arc), end = positions_.end(arc);
    std::int32_t at = at_[begin] < 0 ? begin : at_[begin];
    int left = near;
    while (at > begin && all[at - 1] >= least && --left > 0) --at;
    while (left > 0 && at < end && all[at] < least && --left > 0) ++at;
    if (left == 0) at = static_cast<std::int32_t>(std::lower_bound(all + begin, all + end, least) - all);
    at_[begin] = at;
    return all + at;
  }

 private:
  static constexpr int near = 8;

  const ReferencePositions& positions_;
  std::vector<std::int32_t> at_;
};

}  // namespace latticemetric
