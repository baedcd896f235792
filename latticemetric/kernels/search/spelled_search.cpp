#include "search/spelled_search.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "graphs/incoming_arcs.hpp"
#include "memory/budget.hpp"
#include "recognition/myers_step.hpp"
#include "search/best_product_path.hpp"

namespace latticemetric {
namespace {

using Bits = std::uint64_t;
constexpr std::int32_t width = 64;

// A reference as Myers's algorithm reads it, from its end: bit j of `has(c)` says whether the unit at place j from the
// end has class c. Units of the reference have classes 1, 2, ...; all others have class 0.
class ReferenceUnits {
 public:
  ReferenceUnits(const std::int32_t* reference, std::int32_t size)
      : size_(size), words_(std::max(1, (size + width - 1) / width)) {
    poll(20 * static_cast<std::int64_t>(size));
    std::vector<std::int32_t> classes;
    for (std::int32_t i = 0; i < size; ++i) {
      const auto next = static_cast<std::int32_t>(class_of_.size()) + 1;
      classes.push_back(reference[i] > 0 ? class_of_.try_emplace(reference[i], next).first->second : 0);
    }
    for (const auto& [unit, unit_class] : class_of_)
      if (unit < few) class_of_few_[unit] = unit_class;
    has_ = filled((class_of_.size() + 1) * static_cast<std::size_t>(words_), Bits{0});
    places_.resize(class_of_.size() + 1);
    for (std::int32_t i = 0; i < size; ++i) {
      if (classes[i] == 0) continue;
      const std::int32_t j = size - 1 - i;
      has_[static_cast<std::size_t>(classes[i]) * words_ + j / width] |= Bits{1} << (j % width);
      places_[classes[i]].push_back(i);
    }
  }

  std::int32_t size() const { return size_; }
  std::int32_t words() const { return words_; }
  std::int32_t class_of(std::int32_t unit) const {
    if (unit < few) return class_of_few_[unit];
    const auto found = class_of_.find(unit);
    return found == class_of_.end() ? 0 : found->second;
  }
  const Bits* has(std::int32_t unit_class) const { return has_.data() + static_cast<std::size_t>(unit_class) * words_; }
  const std::vector<std::int32_t>& places(std::int32_t unit_class) const { return places_[unit_class]; }

 private:
  static constexpr std::int32_t few = 4096;  // more than the units of most alphabets

  const std::int32_t size_, words_;
  std::unordered_map<std::int32_t, std::int32_t> class_of_;
  std::array<std::int32_t, few> class_of_few_{};
  std::vector<Bits> has_;
  std::vector<std::vector<std::int32_t>> places_;  // by class: its places in the reference, ascending
};

// Columns D(0) .. D(|r|), where D(j) is the fewest errors of completing a path while j units of the reference are left.
// Neighbours differ by at most 1 (Ukkonen 1985). So D(0) and two bits per unit describe a column: whether D rises
// there, and whether it falls. This also holds for the minimum of several columns.
class ErrorColumns {
 public:
  ErrorColumns(std::size_t columns, std::int32_t words)
      : words_(static_cast<std::size_t>(words)), bits_(filled(columns * 2 * words_, Bits{0})), first_(columns, 0) {}

  Bits* rises(std::size_t column) { return bits_.data() + column * 2 * words_; }
  Bits* falls(std::size_t column) { return rises(column) + words_; }
  const Bits* rises(std::size_t column) const { return bits_.data() + column * 2 * words_; }
  const Bits* falls(std::size_t column) const { return rises(column) + words_; }
  std::int32_t& first(std::size_t column) { return first_[column]; }
  std::int32_t first(std::size_t column) const { return first_[column]; }

  void copy(const ErrorColumns& from, std::size_t column, std::size_t into) {
    std::copy_n(from.rises(column), 2 * words_, rises(into));
    first_[into] = from.first_[column];
  }

  std::size_t size() const { return first_.size(); }
  void resize(std::size_t columns) {
    bits_.resize(columns * 2 * words_);
    first_.resize(columns);
  }

  std::int32_t value(std::size_t column, std::int32_t j) const {
    const Bits *const up = rises(column), *const down = falls(column);
    std::int32_t value = first_[column], w = 0;
    for (; w < j / width; ++w) value += __builtin_popcountll(up[w]) - __builtin_popcountll(down[w]);
    if (const std::int32_t rest = j % width) {
      const Bits below = (Bits{1} << rest) - 1;
      value += __builtin_popcountll(up[w] & below) - __builtin_popcountll(down[w] & below);
    }
    return value;
  }

  // Computes the column with one more unit before what completes paths.
  void prepend(std::size_t column, const Bits* has) {
    Bits *const up = rises(column), *const down = falls(column);
    const std::size_t words = words_;
    Bits more_above = 1, less_above = 0;  // D(0) rises: the unit is inserted
    for (std::size_t w = 0; w < words; ++w) myers_step(up[w], down[w], has[w], more_above, less_above);
    ++first_[column];
  }

 private:
  const std::size_t words_;
  std::vector<Bits> bits_;  // by column: where it rises, then where it falls
  std::vector<std::int32_t> first_;
};

// of[byte][k] is the number of bits set among the lowest k + 1 bits of a byte.
template <typename Value>
struct BitCounts {
  alignas(32) Value of[256][8]{};
  constexpr BitCounts() {
    for (int byte = 0; byte < 256; ++byte)
      for (int k = 0, count = 0; k < 8; ++k) of[byte][k] = static_cast<Value>(count += byte >> k & 1);
  }
};
template <typename Value>
constexpr BitCounts<Value> bit_counts;

// Computes the minimum of several columns.
template <typename Value>
class LowestColumn {
  typedef Value Eight __attribute__((vector_size(8 * sizeof(Value))));

 public:
  LowestColumn(std::int32_t size, std::int32_t words)
      : bytes_((size + 7) / 8), row_(static_cast<std::size_t>(words) * width + 1), steps_(row_.size()) {}

  void clear() { std::fill(row_.begin(), row_.end(), static_cast<Value>(std::numeric_limits<Value>::max() / 2)); }

  void add(const Bits* rises, const Bits* falls, std::int32_t first) {
    auto here = static_cast<Value>(first);
    row_[0] = std::min(row_[0], here);
    Value* row = row_.data() + 1;
    for (std::int32_t left = bytes_; left > 0; left -= width / 8, ++rises, ++falls) {
      Bits rise = *rises, fall = *falls;
      for (std::int32_t y = std::min(left, width / 8); y > 0; --y, rise >>= 8, fall >>= 8, row += 8) {
        Eight lowest, up, down;
        std::memcpy(&lowest, row, sizeof(Eight));
        std::memcpy(&up, bit_counts<Value>.of[rise & 255], sizeof(Eight));
        std::memcpy(&down, bit_counts<Value>.of[fall & 255], sizeof(Eight));
        const Eight value = up - down + here;
        here = value[7];
        lowest = lowest < value ? lowest : value;
        std::memcpy(row, &lowest, sizeof(Eight));
      }
    }
  }

  void write(ErrorColumns& table, std::size_t column) {
    Bits *const rises = table.rises(column), *const falls = table.falls(column);
    table.first(column) = row_[0];
    const std::int32_t steps = bytes_ * 8;
    for (std::int32_t k = 0; k < steps; ++k) steps_[k] = static_cast<std::uint8_t>(row_[k + 1] - row_[k]);
    for (std::int32_t y = 0; y < bytes_; ++y) {
      // A step is 0, 1 or 255 (-1): bit 0 says whether the column changes, bit 7 whether it falls. A multiplication
      // gathers one bit of each of 8 bytes.
      constexpr Bits lowest = 0x0101010101010101, gather = 0x0102040810204080;
      Bits step = 0;
      for (int k = 0; k < 8; ++k) step |= static_cast<Bits>(steps_[8 * y + k]) << (8 * k);
      const Bits fall = step >> 7 & lowest, rise = step & lowest & ~fall;
      if (y % 8 == 0) rises[y / 8] = falls[y / 8] = 0;
      rises[y / 8] |= (rise * gather >> 56) << (y % 8 * 8);
      falls[y / 8] |= (fall * gather >> 56) << (y % 8 * 8);
    }
  }

 private:
  const std::int32_t bytes_;
  std::vector<Value> row_;
  std::vector<std::uint8_t> steps_;
};

// The product of a lattice with the automaton of an edit distance, for `BestProductPath`. An arc is spelled when it is
// followed: there are no states between the units of its word.
//
// In automaton state 1 + i, i units of the reference have been read. State 0 is that of paths without a word so far: no
// unit of the reference has been read, since units can be deleted later. Deletions come right before a match, or at the
// end. So no transition is silent.
class SpelledProduct {
 public:
  using Completion = CompletionCost;

  SpelledProduct(const Lattice& lattice, const Spelling& spelling, const std::int32_t* reference, std::int32_t size)
      : lattice_(lattice),
        spelling_(spelling),
        reference_(reference, size),
        begin_(arc_begins(lattice)),
        states_(static_cast<std::size_t>(lattice.states), reference_.words()),
        arcs_(group_arcs(), reference_.words()),
        inner_(0, reference_.words()) {
    poll(lattice.arcs);
    const std::int64_t units = spelling.words > 0 ? spelling.begin[spelling.words] : 0;
    classes_.reserve(static_cast<std::size_t>(units));
    for (std::int64_t k = 0; k < units; ++k) {
      poll(10);
      classes_.push_back(reference_.class_of(spelling.units[k]));
    }
    separator_ = reference_.class_of(spelling.separator);
  }

  void fill() {
    if (largest_value() < std::numeric_limits<std::int16_t>::max() / 4)
      fill<std::int16_t>();
    else
      fill<std::int32_t>();
    complete_wordless();
  }

  std::int64_t errors() const { return wordless_.at(0); }

  std::int32_t first_state(std::int32_t) const { return 0; }
  std::int32_t states(std::int32_t) const { return reference_.size() + 2; }
  bool ends(std::int32_t s, std::int32_t q) const { return lattice_.is_final(s) && value(s, q) == left(q); }
  Completion ending(std::int32_t s) const { return latticemetric::ending(lattice_, s); }
  Completion before(std::int64_t arc, int, const Completion& rest) const {
    return latticemetric::before(lattice_, arc, rest);
  }

  template <typename Visit>
  void each_transition(std::int32_t s, std::int32_t q, Visit visit) {
    const std::int32_t best = value(s, q);
    for (auto a = begin_[s]; a < begin_[s + 1]; ++a) {
      poll(10);
      const std::int32_t t = lattice_.target[a];
      if (lattice_.label[a] == 0) {
        if (value(t, q) == best) visit(a, t, q, 0);
        continue;
      }
      if (q > 0 && arcs_.value(group_[a], left(q)) != best) continue;
      if (!spell(a, q > 0, best, left(q))) continue;
      follow(a, q > 0, q > 0 ? q - 1 : 0);
      for (const auto i : here_) visit(a, t, 1 + i, 0);
    }
  }

 private:
  // Returns how many units of the reference are left in a state of the automaton.
  std::int32_t left(std::int32_t q) const { return q > 0 ? reference_.size() - q + 1 : reference_.size(); }
  std::int32_t value(std::int32_t s, std::int32_t q) const {
    return q > 0 ? states_.value(static_cast<std::size_t>(s), left(q)) : wordless_.at(s);
  }

  // The units of an arc's word. After other words, the separator comes first.
  bool separates(bool after_words) const { return after_words && spelling_.separator != 0; }
  std::int64_t first_unit(std::int64_t a) const { return spelling_.begin[lattice_.label[a] - 1]; }
  std::int64_t units(std::int64_t a, bool after_words) const {
    return separates(after_words) + spelling_.begin[lattice_.label[a]] - first_unit(a);
  }
  std::int32_t unit_class(std::int64_t a, bool after_words, std::int64_t k) const {
    if (!separates(after_words)) return classes_[first_unit(a) + k];
    return k == 0 ? separator_ : classes_[first_unit(a) + k - 1];
  }

  // Groups the arcs with the same word and target: they have the same column, which is computed once. Returns the
  // number of groups.
  std::size_t group_arcs() {
    group_.assign(static_cast<std::size_t>(lattice_.arcs), 0);
    poll(4 * lattice_.arcs);
    const auto by_target = incoming_arcs(lattice_.states, lattice_.arcs, lattice_.target).arc;
    struct Seen {
      std::int32_t target = -1;
      std::size_t group = 0;
    };
    std::vector<Seen> seen(static_cast<std::size_t>(spelling_.words) + 1);
    std::size_t groups = 0;
    for (const auto a : by_target) {
      if (lattice_.label[a] == 0) continue;
      Seen& last = seen[lattice_.label[a]];
      if (last.target != lattice_.target[a]) last = {lattice_.target[a], groups++};
      group_[a] = last.group;
    }
    return groups;
  }

  // Returns a bound of the values of all columns: as if the fewest units that complete a path were all inserted, and
  // the whole reference deleted.
  std::int64_t largest_value() const {
    constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> fewest(static_cast<std::size_t>(lattice_.states), unknown);
    std::int64_t largest = 0;
    poll(4 * lattice_.arcs);
    for (std::int32_t s = lattice_.states - 1; s >= 0; --s) {
      if (lattice_.is_final(s)) fewest[s] = 0;
      for (auto a = begin_[s]; a < begin_[s + 1]; ++a) {
        const std::int64_t rest = fewest[lattice_.target[a]];
        if (rest == unknown) continue;
        const std::int64_t before_rest = rest + (lattice_.label[a] == 0 ? 0 : units(a, true));
        fewest[s] = std::min(fewest[s], before_rest);
        largest = std::max(largest, before_rest);
      }
    }
    return largest + reference_.size();
  }

  template <typename Value>
  void fill() {
    std::vector<std::uint8_t> known(arcs_.size(), 0);
    LowestColumn<Value> lowest(reference_.size(), reference_.words());
    for (std::int32_t s = lattice_.states - 1; s >= 0; --s) {
      for (auto a = begin_[s]; a < begin_[s + 1]; ++a) {
        if (lattice_.label[a] == 0 || known[group_[a]]) continue;
        known[group_[a]] = 1;
        arcs_.copy(states_, static_cast<std::size_t>(lattice_.target[a]), group_[a]);
        prepend_word(arcs_, group_[a], a);
      }
      complete(s, lowest);
    }
  }

  void prepend_word(ErrorColumns& columns, std::size_t column, std::int64_t a) {
    const std::int64_t begin = first_unit(a), end = spelling_.begin[lattice_.label[a]];
    poll((end - begin + 1) * 4 * reference_.words());
    for (auto k = end; k-- > begin;) columns.prepend(column, reference_.has(classes_[k]));
    if (spelling_.separator != 0) columns.prepend(column, reference_.has(separator_));
  }

  template <typename Value>
  void complete(std::int32_t s, LowestColumn<Value>& lowest) {
    const auto here = static_cast<std::size_t>(s);
    const std::int32_t words = reference_.words();
    const bool is_final = lattice_.is_final(s);
    if (is_final) {  // the rest is deleted
      std::fill_n(states_.rises(here), words, ~Bits{0});
      states_.first(here) = 0;
    }
    const auto begin = begin_[s], end = begin_[s + 1];
    if (is_final ? begin == end : begin + 1 == end) {
      if (!is_final) copy_arc(begin, here);
      return;
    }
    lowest.clear();
    if (is_final) lowest.add(states_.rises(here), states_.falls(here), 0);
    for (auto a = begin; a < end; ++a) {
      poll(8 * words);
      const bool is_silent = lattice_.label[a] == 0;
      const ErrorColumns& table = is_silent ? states_ : arcs_;
      const std::size_t column = is_silent ? static_cast<std::size_t>(lattice_.target[a]) : group_[a];
      lowest.add(table.rises(column), table.falls(column), table.first(column));
    }
    lowest.write(states_, here);
  }

  void copy_arc(std::int64_t a, std::size_t into) {
    if (lattice_.label[a] == 0)
      states_.copy(states_, static_cast<std::size_t>(lattice_.target[a]), into);
    else
      states_.copy(arcs_, group_[a], into);
  }

  // Finds the states that paths without a word reach, and the fewest errors of completing those paths.
  void complete_wordless() {
    std::vector<std::int32_t> reached{0};
    std::vector<std::uint8_t> is_reached(static_cast<std::size_t>(lattice_.states), 0);
    for (std::size_t k = 0; k < reached.size(); ++k)
      for (auto a = begin_[reached[k]]; a < begin_[reached[k] + 1]; ++a) {
        if (lattice_.label[a] != 0 || is_reached[lattice_.target[a]]) continue;
        is_reached[lattice_.target[a]] = 1;
        reached.push_back(lattice_.target[a]);
      }
    std::sort(reached.begin(), reached.end());
    for (std::size_t k = reached.size(); k-- > 0;) {
      const std::int32_t s = reached[k];
      std::int32_t best = lattice_.is_final(s) ? reference_.size() : std::numeric_limits<std::int32_t>::max();
      for (auto a = begin_[s]; a < begin_[s + 1]; ++a)
        best = std::min(best, lattice_.label[a] == 0 ? wordless_.at(lattice_.target[a]) : first_word(a));
      wordless_[s] = best;
    }
  }

  // Returns the fewest errors of a path that begins with this arc's word.
  std::int32_t first_word(std::int64_t a) {
    if (spelling_.separator == 0) return arcs_.value(group_[a], reference_.size());
    inner_.resize(1);
    inner_.copy(states_, static_cast<std::size_t>(lattice_.target[a]), 0);
    for (auto k = units(a, false); k-- > 0;) {
      poll(3 * reference_.words());
      inner_.prepend(0, reference_.has(unit_class(a, false, k)));
    }
    return inner_.value(0, reference_.size());
  }

  // Fills the columns before each unit of an arc, and after the last one. Returns whether the arc is on a path of
  // `errors` errors from here on.
  bool spell(std::int64_t a, bool after_words, std::int32_t errors, std::int32_t j) {
    const auto size = static_cast<std::size_t>(units(a, after_words));
    if (a != spelled_ || after_words != spelled_after_words_) {
      spelled_ = a;
      spelled_after_words_ = after_words;
      inner_.resize(size + 1);
      inner_.copy(states_, static_cast<std::size_t>(lattice_.target[a]), size);
      for (auto k = size; k-- > 0;) {
        poll(4 * reference_.words());
        inner_.copy(inner_, k + 1, k);
        inner_.prepend(k, reference_.has(unit_class(a, after_words, static_cast<std::int64_t>(k))));
      }
    }
    return inner_.value(0, j) == errors;
  }

  // Finds in `here_` where best alignments of an arc's units lead, from i units of the reference on.
  void follow(std::int64_t a, bool after_words, std::int32_t i) {
    here_.assign(1, i);
    const auto size = units(a, after_words);
    for (std::int64_t k = 0; k < size; ++k) {
      onward_.clear();
      for (const auto place : here_) follow_unit(k, unit_class(a, after_words, k), place);
      std::sort(onward_.begin(), onward_.end());
      onward_.erase(std::unique(onward_.begin(), onward_.end()), onward_.end());
      std::swap(here_, onward_);
    }
  }

  void follow_unit(std::int64_t k, std::int32_t unit_class, std::int32_t i) {
    const std::int32_t size = reference_.size();
    const auto here = static_cast<std::size_t>(k), next = here + 1;
    const std::int32_t best = inner_.value(here, size - i);
    if (inner_.value(next, size - i) + 1 == best) onward_.push_back(i);                     // insertion
    if (i < size && inner_.value(next, size - i - 1) + 1 == best) onward_.push_back(i + 1);  // substitution
    const auto& places = reference_.places(unit_class);
    for (auto place = std::lower_bound(places.begin(), places.end(), i); place != places.end(); ++place) {
      const std::int32_t deleted = *place - i;
      if (deleted > best) break;
      poll(2 * reference_.words());
      if (inner_.value(next, size - *place - 1) + deleted == best) onward_.push_back(*place + 1);  // match
    }
  }

  const Lattice& lattice_;
  const Spelling& spelling_;
  const ReferenceUnits reference_;
  std::vector<std::int64_t> begin_;   // by state: where its arcs begin
  std::vector<std::size_t> group_;    // by arc with a word: its column in `arcs_`
  ErrorColumns states_, arcs_;       // at states, and before arcs that follow other words
  std::vector<std::int32_t> classes_;  // of the units of all words
  std::int32_t separator_ = 0;
  std::unordered_map<std::int32_t, std::int32_t> wordless_;
  ErrorColumns inner_;                 // within one arc
  std::int64_t spelled_ = -1;
  bool spelled_after_words_ = false;
  std::vector<std::int32_t> here_, onward_;
};

}  // namespace

FewestErrors search_spelled_lattice(const Lattice& lattice, const Spelling& spelling, const std::int32_t* reference,
                                    std::int32_t size) {
  SpelledProduct product(lattice, spelling, reference, size);
  product.fill();
  BestProductPath<SpelledProduct> best(product, lattice.states, lattice.arcs, lattice.source, lattice.target);
  return {best.arcs(), product.errors()};
}

}  // namespace latticemetric
