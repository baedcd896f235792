#include "networks/combination.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "memory/bits.hpp"
#include "memory/budget.hpp"
#include "strings/word_alignment.hpp"

namespace latticemetric {
namespace {

using Cost = std::int64_t;

// The cost of an error, for each pair of parts of two slots. Letters take off up to `most_likeness`, times up to
// `most_nearness`. A pair of equal words takes off more than two pairs of different words can: in alignments of equal
// cost, one pair of equal words stands against two of different ones.
constexpr Cost most_likeness = 16, most_nearness = 8;
constexpr Cost equal_pair = 2 * (most_likeness + most_nearness) + 1;
constexpr Cost error_unit = static_cast<Cost>((equal_pair + most_nearness) / tie_share);
// If columns are mediated by time, this is the most that times add: a little more than an error, so that two different
// words of other times do not share a column, which costs as much as a column of each.
constexpr Cost most_apart = error_unit + most_likeness + 1;
// `margin` is how many slots a band extends beyond the alignments that it holds, on each side. Tables of up to
// `small_table` cells need no band.
struct Width {
  std::int64_t margin, small_table;
};
constexpr Width wide_band{16, 1 << 14}, narrow_band{8, 1 << 10};
constexpr std::int32_t few_systems = 5;        // all bipartitions of so few are tried; of more, single systems

// Returns which letters and pairs of adjacent letters a word has, hashed to bits.
std::uint64_t letters_of(const std::string& word) {
  std::uint64_t bits = 0;
  unsigned before = 1;
  for (const unsigned char letter : word) {
    bits |= std::uint64_t{1} << (letter * 37u % 32);
    bits |= std::uint64_t{1} << (32 + (before * 31u + letter * 7u) % 32);
    before = letter;
  }
  return bits;
}

// A table of the share of common letters, by the number of all letters and of common ones.
struct Likeness {
  std::array<std::uint8_t, 65 * 65> table{};
  Likeness() {
    for (unsigned all = 1; all <= 64; ++all)
      for (unsigned common = 0; common <= all; ++common)
        table[65 * all + common] = static_cast<std::uint8_t>(most_likeness * common / all);
  }
  Cost of(std::uint64_t one, std::uint64_t other) const {
    return table[static_cast<std::size_t>(65 * count_bits(one | other) + count_bits(one & other))];
  }
};

struct Entry {
  std::int32_t word;
  Cost parts;
  std::uint64_t letters;
};

// The columns of some systems, each with the sum of the systems' slots.
struct SlotNetwork {
  std::vector<std::int32_t> members;  // ascending
  std::vector<std::int64_t> slot;     // by column, then by member; -1 for none
  std::vector<std::int64_t> begin;    // the entries of each column, and the end
  std::vector<Entry> entries;
  std::vector<Cost> silence;          // by column: the parts of no word
  std::vector<double> times;          // begin and end of each member's slot in each column; NaN if unknown

  std::int64_t columns() const { return static_cast<std::int64_t>(silence.size()); }
  Cost parts() const { return whole_slot * static_cast<Cost>(members.size()); }
};

// For each column of one network, and for its end: the first and the last column of the other network that may come
// next.
struct Band {
  std::vector<std::int64_t> first, last;
};

enum Step : std::uint8_t { both, only_left, only_right, nowhere };

class Combiner {
 public:
  Combiner(const SystemOutputs& outputs, const std::vector<std::string>& spelling, bool is_time_mediated)
      : outputs_(outputs), is_time_mediated_(is_time_mediated) {
    letters_.reserve(spelling.size());
    for (const auto& word : spelling) letters_.push_back(letters_of(word));
    for (std::int32_t s = 0; s < outputs.systems; ++s) add_string(s);
    const auto slots = 2 * outputs.system_begin[outputs.systems];
    has_times_ = std::any_of(outputs.times, outputs.times + slots, [](double time) { return !std::isnan(time); });
  }

  MultipleAlignment run() {
    const SlotNetwork whole = joined();
    SlotNetwork network;
    network.members = whole.members;
    const auto append = [&](const SlotNetwork& part) {
      network.slot.insert(network.slot.end(), part.slot.begin(), part.slot.end());
    };
    for (std::int64_t first = 0, end = 0; first < whole.columns(); first = end) {
      for (end = first + 1; end < whole.columns() && !(is_certain(whole, end - 1) && is_certain(whole, end));) ++end;
      SlotNetwork region = columns_from(whole, first, end);
      if (end - first > 1) improve(region);
      append(region);
    }
    if (has_times_) order_by_time(network.slot);
    sum_up(network);
    MultipleAlignment found;
    found.cost = cost_of(network);
    found.slot = std::move(network.slot);
    for (std::int32_t s = 0; s < outputs_.systems; ++s)
      for (std::int32_t t = s + 1; t < outputs_.systems; ++t) found.distances += edits(s, t).distance;
    return found;
  }

 private:
  // Lists the likeliest words of a system, for distances and bands, and the slots of these words.
  void add_string(std::int32_t system) {
    auto& words = strings_.emplace_back();
    auto& places = places_.emplace_back();
    for (auto slot = outputs_.system_begin[system]; slot < outputs_.system_begin[system + 1]; ++slot) {
      auto best = outputs_.slot_begin[slot];
      for (auto e = best + 1; e < outputs_.slot_begin[slot + 1]; ++e)
        if (outputs_.parts[e] > outputs_.parts[best]) best = e;
      if (outputs_.word[best] == 0) continue;
      words.push_back(outputs_.word[best]);
      places.push_back(slot - outputs_.system_begin[system]);
    }
  }

  std::int64_t slots(std::int32_t system) const {
    return outputs_.system_begin[system + 1] - outputs_.system_begin[system];
  }

  // ---- Networks ----

  SlotNetwork of_system(std::int32_t system) const {
    SlotNetwork network;
    network.members = {system};
    network.slot.resize(static_cast<std::size_t>(slots(system)));
    std::iota(network.slot.begin(), network.slot.end(), 0);
    sum_up(network);
    return network;
  }

  // Returns the columns of some members, without those columns where none of them has a slot.
  SlotNetwork part_of(const SlotNetwork& whole, const std::vector<std::int32_t>& members) const {
    SlotNetwork part;
    part.members = members;
    const auto width = whole.members.size();
    std::vector<std::size_t> place;
    for (const auto member : members)
      place.push_back(static_cast<std::size_t>(
          std::find(whole.members.begin(), whole.members.end(), member) - whole.members.begin()));
    for (std::size_t row = 0; row < whole.slot.size(); row += width) {
      if (std::all_of(place.begin(), place.end(), [&](std::size_t p) { return whole.slot[row + p] < 0; })) continue;
      for (const auto p : place) part.slot.push_back(whole.slot[row + p]);
    }
    sum_up(part);
    return part;
  }

  void sum_up(SlotNetwork& network) const {
    const auto width = network.members.size();
    network.begin.assign(1, 0);
    network.entries.clear();
    network.silence.clear();
    network.times.clear();
    for (std::size_t row = 0; row < network.slot.size(); row += width) {
      const auto first = network.entries.size();
      Cost silence = 0;
      for (std::size_t m = 0; m < width; ++m) {
        if (network.slot[row + m] < 0) {
          silence += whole_slot;
          if (has_times_) network.times.insert(network.times.end(), 2, std::numeric_limits<double>::quiet_NaN());
          continue;
        }
        const auto slot = outputs_.system_begin[network.members[m]] + network.slot[row + m];
        if (has_times_)
          network.times.insert(network.times.end(), outputs_.times + 2 * slot, outputs_.times + 2 * slot + 2);
        for (auto e = outputs_.slot_begin[slot]; e < outputs_.slot_begin[slot + 1]; ++e) {
          if (outputs_.word[e] == 0) {
            silence += outputs_.parts[e];
            continue;
          }
          const auto same = std::find_if(network.entries.begin() + static_cast<std::ptrdiff_t>(first),
                                         network.entries.end(),
                                         [&](const Entry& known) { return known.word == outputs_.word[e]; });
          if (same != network.entries.end())
            same->parts += outputs_.parts[e];
          else
            network.entries.push_back({outputs_.word[e], outputs_.parts[e], letters_[outputs_.word[e]]});
        }
      }
      network.begin.push_back(static_cast<std::int64_t>(network.entries.size()));
      network.silence.push_back(silence);
      poll(static_cast<std::int64_t>(8 * width));
    }
  }

  // Returns the sum over pairs of systems, in errors.
  double cost_of(const SlotNetwork& network) const {
    const auto width = network.members.size();
    double cost = 0;
    for (std::size_t c = 0; c < network.silence.size(); ++c) {
      // What differs, over all ordered pairs of systems including each system with itself; the latter is taken off
      // below.
      double same = std::pow(static_cast<double>(network.silence[c]), 2);
      for (auto e = network.begin[c]; e < network.begin[c + 1]; ++e)
        same += std::pow(static_cast<double>(network.entries[e].parts), 2);
      double differing = std::pow(static_cast<double>(network.parts()), 2) - same;
      for (std::size_t m = 0; m < width; ++m) {
        if (network.slot[c * width + m] < 0) continue;
        const auto slot = outputs_.system_begin[network.members[m]] + network.slot[c * width + m];
        double own = std::pow(static_cast<double>(whole_slot), 2);
        for (auto e = outputs_.slot_begin[slot]; e < outputs_.slot_begin[slot + 1]; ++e)
          own -= std::pow(static_cast<double>(outputs_.parts[e]), 2);
        differing -= own;
      }
      cost += differing / 2;
      poll(static_cast<std::int64_t>(8 * width));
    }
    return cost / (whole_slot * whole_slot);
  }

  // ---- Search ----

  // Joins all systems: first the nearest pair, then each time the system that is nearest to those in the network.
  SlotNetwork joined() {
    const auto count = outputs_.systems;
    if (count == 1) return of_system(0);
    const auto apart = [&](std::int32_t one, std::int32_t other) { return edits(one, other).distance; };
    std::int32_t first = 0, second = 1;
    for (std::int32_t s = 0; s < count; ++s)
      for (std::int32_t t = s + 1; t < count; ++t)
        if (apart(s, t) < apart(first, second)) first = s, second = t;
    SlotNetwork network = merged(of_system(first), of_system(second));
    while (network.members.size() < static_cast<std::size_t>(count)) {
      std::int32_t next = -1;
      std::int64_t least = 0;
      for (std::int32_t s = 0; s < count; ++s) {
        if (std::binary_search(network.members.begin(), network.members.end(), s)) continue;
        std::int64_t sum = 0;
        for (const auto member : network.members) sum += apart(s, member);
        if (next < 0 || sum < least) next = s, least = sum;
      }
      network = merged(network, of_system(next));
    }
    return network;
  }

  // Returns whether nearly all systems have the same word in a column. The network is cut between two such columns in a
  // row, and each region is improved on its own.
  static bool is_certain(const SlotNetwork& network, std::int64_t column) {
    Cost most = 0;
    for (auto e = network.begin[column]; e < network.begin[column + 1]; ++e)
      most = std::max(most, network.entries[e].parts);
    return 10 * most >= 9 * network.parts();
  }

  SlotNetwork columns_from(const SlotNetwork& whole, std::int64_t first, std::int64_t end) const {
    SlotNetwork part;
    part.members = whole.members;
    const auto width = static_cast<std::int64_t>(whole.members.size());
    part.slot.assign(whole.slot.begin() + first * width, whole.slot.begin() + end * width);
    return part;
  }

  // Aligns each group of systems with the rest again, until that improves no group.
  void improve(SlotNetwork& network) {
    const auto count = outputs_.systems;
    const auto all = count <= few_systems ? (1u << (count - 1)) - 1 : static_cast<unsigned>(count);
    if (count < 3) return;
    for (unsigned k = 0, in_vain = 0; in_vain < all; k = (k + 1) % all) {
      std::vector<std::int32_t> group, rest;
      for (std::int32_t s = 0; s < count; ++s) {
        // Few systems: all groups; the last system is always in the rest.
        const bool is_in = count <= few_systems ? (k + 1) >> s & 1 : static_cast<unsigned>(s) == k;
        (is_in ? group : rest).push_back(s);
      }
      in_vain = realign(network, group, rest) ? 0 : in_vain + 1;
    }
  }

  bool realign(SlotNetwork& network, const std::vector<std::int32_t>& group, const std::vector<std::int32_t>& rest) {
    const auto left = part_of(network, rest), right = part_of(network, group);
    std::vector<Step> now;
    const auto width = network.members.size();
    const auto has_slot = [&](std::size_t row, const std::vector<std::int32_t>& members) {
      return std::any_of(members.begin(), members.end(), [&](std::int32_t member) {
        const auto m = std::lower_bound(network.members.begin(), network.members.end(), member);
        return network.slot[row + static_cast<std::size_t>(m - network.members.begin())] >= 0;
      });
    };
    for (std::size_t row = 0; row < network.slot.size(); row += width)
      now.push_back(!has_slot(row, group) ? only_left : !has_slot(row, rest) ? only_right : both);
    std::vector<Step> steps;
    if (align(left, right, band_around(left, right, now), steps) >= cost_along(left, right, now)) return false;
    network = put_together(left, right, steps);
    return true;
  }

  SlotNetwork merged(const SlotNetwork& left, const SlotNetwork& right) {
    std::vector<Step> steps;
    align(left, right, band_of(left, right), steps);
    return put_together(left, right, steps);
  }

  SlotNetwork put_together(const SlotNetwork& left, const SlotNetwork& right, const std::vector<Step>& steps) const {
    SlotNetwork whole;
    std::merge(left.members.begin(), left.members.end(), right.members.begin(), right.members.end(),
               std::back_inserter(whole.members));
    std::int64_t i = 0, j = 0;
    const auto slot_in = [](const SlotNetwork& side, std::int64_t column, std::int32_t member, bool is_there) {
      const auto m = std::lower_bound(side.members.begin(), side.members.end(), member) - side.members.begin();
      return is_there ? side.slot[static_cast<std::size_t>(column) * side.members.size() + static_cast<std::size_t>(m)]
                      : -1;
    };
    for (const auto step : steps) {
      for (const auto member : whole.members) {
        const bool is_left = std::binary_search(left.members.begin(), left.members.end(), member);
        whole.slot.push_back(is_left ? slot_in(left, i, member, step != only_right)
                             : slot_in(right, j, member, step != only_left));
      }
      i += step != only_right;
      j += step != only_left;
    }
    sum_up(whole);
    return whole;
  }

  // Neighbouring columns that have no system in common may change places: puts such columns in the order of their times.
  void order_by_time(std::vector<std::int64_t>& slot) const {
    const auto width = static_cast<std::size_t>(outputs_.systems);
    std::vector<double> middle;
    for (std::size_t row = 0; row < slot.size(); row += width) middle.push_back(middle_of(slot.data() + row));
    const auto is_late = [&](std::size_t c) {  // comparisons with NaN are false
      if (!(middle[c - 1] > middle[c])) return false;
      for (std::size_t s = 0; s < width; ++s)
        if (slot[(c - 1) * width + s] >= 0 && slot[c * width + s] >= 0) return false;
      return true;
    };
    for (std::size_t column = 1; column < middle.size(); ++column)
      for (auto c = column; c > 0 && is_late(c); --c) {
        std::swap(middle[c - 1], middle[c]);
        const auto begin = slot.begin() + static_cast<std::ptrdiff_t>((c - 1) * width);
        const auto next = begin + static_cast<std::ptrdiff_t>(width);
        std::swap_ranges(begin, next, next);
        poll(static_cast<std::int64_t>(8 * width));
      }
  }

  // Returns the mean middle of a column's slots with times, in seconds; NaN if there are none.
  double middle_of(const std::int64_t* slots_of_column) const {
    double sum = 0, timed = 0;
    for (std::int32_t s = 0; s < outputs_.systems; ++s) {
      if (slots_of_column[s] < 0) continue;
      const auto* const times = outputs_.times + 2 * (outputs_.system_begin[s] + slots_of_column[s]);
      const double middle = times[0] / 2 + times[1] / 2;
      if (std::isnan(middle)) continue;
      sum += middle;
      ++timed;
    }
    return sum / timed;
  }

  // ---- Costs ----

  Cost pair_cost(const SlotNetwork& left, std::int64_t i, const SlotNetwork& right, std::int64_t j) const {
    const Cost silent = left.silence[i] * right.silence[j];
    Cost same = silent, alike = 0;
    for (auto e = left.begin[i]; e < left.begin[i + 1]; ++e) {
      const auto& one = left.entries[e];
      for (auto f = right.begin[j]; f < right.begin[j + 1]; ++f) {
        const auto& other = right.entries[f];
        if (one.word == other.word)
          same += one.parts * other.parts;
        else
          alike += one.parts * other.parts * likeness_.of(one.letters, other.letters);
      }
    }
    const Cost all = left.parts() * right.parts();
    const Cost cost = error_unit * (all - same) - equal_pair * (same - silent) - alike;
    return has_times_ ? cost + whole_slot * whole_slot * time_cost(left, i, right, j) : cost;
  }

  // Returns what times add to the cost of two columns, for each pair of parts. They take off up to `most_nearness` or, if
  // columns are mediated by time, cost up to an error. Slots without times add nothing.
  Cost time_cost(const SlotNetwork& left, std::int64_t i, const SlotNetwork& right, std::int64_t j) const {
    const auto width = left.members.size(), other_width = right.members.size();
    const auto* one = left.times.data() + 2 * static_cast<std::size_t>(i) * width;
    const auto* const end = one + 2 * width;
    const auto* const others = right.times.data() + 2 * static_cast<std::size_t>(j) * other_width;
    const double most = is_time_mediated_ ? seconds_of_error : seconds_near;
    double apart = 0, pairs = 0;
    for (; one < end; one += 2)
      for (std::size_t m = 0; m < other_width; ++m) {
        const double seconds = std::fabs(one[0] - others[2 * m]) + std::fabs(one[1] - others[2 * m + 1]);
        if (std::isnan(seconds)) continue;
        apart += std::min(seconds / most, 1.0);
        ++pairs;
      }
    return is_time_mediated_ ? std::llround(apart * static_cast<double>(most_apart))
                             : -std::llround((pairs - apart) * static_cast<double>(most_nearness));
  }

  static Cost gap_cost(const SlotNetwork& side, std::int64_t column, const SlotNetwork& other) {
    return error_unit * other.parts() * (side.parts() - side.silence[column]);
  }

  Cost cost_along(const SlotNetwork& left, const SlotNetwork& right, const std::vector<Step>& steps) const {
    Cost cost = 0;
    std::int64_t i = 0, j = 0;
    for (const auto step : steps) {
      cost += step == both ? pair_cost(left, i, right, j) : step == only_left ? gap_cost(left, i, right)
                                                                               : gap_cost(right, j, left);
      i += step != only_right;
      j += step != only_left;
    }
    return cost;
  }

  // ---- The table ----

  // Finds the best alignment in a band, and returns its cost. Ties, from the end on: both sides before the left side
  // alone, and that before the right side alone.
  Cost align(const SlotNetwork& left, const SlotNetwork& right, const Band& band, std::vector<Step>& steps) {
    const auto rows = left.columns();
    constexpr Cost unreached = std::numeric_limits<Cost>::max() / 2;
    std::vector<std::int64_t> row_begin{0};
    for (std::int64_t i = 0; i <= rows; ++i) row_begin.push_back(row_begin.back() + band.last[i] - band.first[i] + 1);
    auto back = filled(static_cast<std::size_t>(row_begin.back()), static_cast<std::uint8_t>(nowhere));
    std::vector<Cost> alone(static_cast<std::size_t>(right.columns())), row, above;
    for (std::int64_t j = 0; j < right.columns(); ++j) alone[j] = gap_cost(right, j, left);
    for (std::int64_t i = 0; i <= rows; ++i) {
      const auto first = band.first[i], last = band.last[i];
      row.assign(static_cast<std::size_t>(last - first + 1), unreached);
      const auto first_above = i ? band.first[i - 1] : 0, last_above = i ? band.last[i - 1] : -1;
      const auto left_alone = i ? gap_cost(left, i - 1, right) : 0;
      auto* const way = back.data() + row_begin[i] - first;
      for (auto j = first; j <= last; ++j) {
        Cost best = i == 0 && j == 0 ? 0 : unreached;
        const auto take = [&](Cost before, Cost cost, Step step) {
          if (before < unreached && before + cost < best) best = before + cost, way[j] = step;
        };
        if (j > 0 && j - 1 >= first_above && j - 1 <= last_above && above[j - 1 - first_above] < unreached)
          take(above[j - 1 - first_above], pair_cost(left, i - 1, right, j - 1), both);
        if (j >= first_above && j <= last_above) take(above[j - first_above], left_alone, only_left);
        if (j > first) take(row[j - 1 - first], alone[j - 1], only_right);
        row[j - first] = best;
      }
      poll((last - first + 1) * 8);
      above.swap(row);
    }
    steps.clear();
    for (auto i = rows, j = right.columns(); i > 0 || j > 0;) {
      const auto step = static_cast<Step>(back[row_begin[i] + j - band.first[i]]);
      steps.push_back(step);
      i -= step != only_right;
      j -= step != only_left;
    }
    std::reverse(steps.begin(), steps.end());
    return above[right.columns() - band.first[rows]];
  }

  // ---- Bands ----

  struct Edits {
    std::string letters;  // D where only the later system has a word, I where only the earlier one has
    std::int64_t distance = -1;
  };

  const Edits& edits(std::int32_t one, std::int32_t other) {
    if (one > other) std::swap(one, other);
    if (pairs_.empty()) pairs_.resize(strings_.size() * strings_.size());
    auto& pair = pairs_[static_cast<std::size_t>(one) * strings_.size() + static_cast<std::size_t>(other)];
    if (pair.distance < 0) {
      const auto& from = strings_[one];
      const auto& to = strings_[other];
      pair.letters = aligner_.align({from.data(), static_cast<std::int64_t>(from.size())},
                                    {to.data(), static_cast<std::int64_t>(to.size())});
      pair.distance = static_cast<std::int64_t>(pair.letters.size()) -
                      std::count(pair.letters.begin(), pair.letters.end(), 'C');
    }
    return pair;
  }

  static bool is_small(const SlotNetwork& left, const SlotNetwork& right, Width width) {
    return (left.columns() + 1) * (right.columns() + 1) <= width.small_table;
  }

  static Band whole_table(const SlotNetwork& left, const SlotNetwork& right) {
    const auto rows = static_cast<std::size_t>(left.columns() + 1);
    return {std::vector<std::int64_t>(rows, 0), std::vector<std::int64_t>(rows, right.columns())};
  }

  // Returns the band around the alignments of all pairs of a system on the left and a system on the right.
  Band band_of(const SlotNetwork& left, const SlotNetwork& right) {
    if (is_small(left, right, wide_band)) return whole_table(left, right);
    Band band = empty_band(left, right);
    for (std::size_t l = 0; l < left.members.size(); ++l)
      for (std::size_t r = 0; r < right.members.size(); ++r) {
        const bool is_first = left.members[l] < right.members[r];
        const auto from = columns_of(left, l), to = columns_of(right, r);
        std::size_t i = 0, j = 0;
        for (const auto edit : edits(left.members[l], right.members[r]).letters) {
          i += edit != (is_first ? 'D' : 'I');
          j += edit != (is_first ? 'I' : 'D');
          widen(band, from[i], to[j]);
        }
      }
    return widened(std::move(band), right.columns(), wide_band.margin);
  }

  static Band band_around(const SlotNetwork& left, const SlotNetwork& right, const std::vector<Step>& steps) {
    if (is_small(left, right, narrow_band)) return whole_table(left, right);
    Band band = empty_band(left, right);
    std::int64_t i = 0, j = 0;
    for (const auto step : steps) {
      i += step != only_right;
      j += step != only_left;
      widen(band, i, j);
    }
    return widened(std::move(band), right.columns(), narrow_band.margin);
  }

  static Band empty_band(const SlotNetwork& left, const SlotNetwork& right) {
    const auto rows = static_cast<std::size_t>(left.columns() + 1);
    Band band{std::vector<std::int64_t>(rows, right.columns()), std::vector<std::int64_t>(rows, 0)};
    widen(band, 0, 0);
    widen(band, left.columns(), right.columns());
    return band;
  }

  static void widen(Band& band, std::int64_t i, std::int64_t j) {
    band.first[i] = std::min(band.first[i], j);
    band.last[i] = std::max(band.last[i], j);
  }

  // Adds everything between neighbouring places of an alignment to a band, then the margin.
  static Band widened(Band band, std::int64_t most, std::int64_t margin) {
    const auto rows = band.first.size();
    for (std::size_t i = 1; i < rows; ++i) band.last[i] = std::max(band.last[i], band.last[i - 1]);
    for (std::size_t i = rows - 1; i > 0; --i) band.first[i - 1] = std::min(band.first[i - 1], band.first[i]);
    for (std::size_t i = 0; i < rows; ++i)
      if (band.first[i] > band.last[i]) std::swap(band.first[i], band.last[i]);
    for (std::size_t i = rows - 1; i > 0; --i) band.last[i - 1] = std::max(band.last[i - 1], band.first[i]);
    for (auto& column : band.first) column = std::max<std::int64_t>(0, column - margin);
    for (auto& column : band.last) column = std::min(most, column + margin);
    return band;
  }

  // Returns, for each number of words of a member, the column after the last of these words.
  std::vector<std::int64_t> columns_of(const SlotNetwork& network, std::size_t member) const {
    const auto width = network.members.size();
    std::vector<std::int64_t> column_of_slot(static_cast<std::size_t>(slots(network.members[member])));
    for (std::size_t c = 0; c < network.silence.size(); ++c)
      if (network.slot[c * width + member] >= 0)
        column_of_slot[static_cast<std::size_t>(network.slot[c * width + member])] = static_cast<std::int64_t>(c);
    std::vector<std::int64_t> behind{0};
    for (const auto place : places_[static_cast<std::size_t>(network.members[member])])
      behind.push_back(column_of_slot[static_cast<std::size_t>(place)] + 1);
    return behind;
  }

  const SystemOutputs& outputs_;
  const bool is_time_mediated_;
  std::vector<std::uint64_t> letters_;
  std::vector<std::vector<std::int32_t>> strings_;
  std::vector<std::vector<std::int64_t>> places_;
  std::vector<Edits> pairs_;
  WordAligner aligner_;
  Likeness likeness_;
  bool has_times_ = false;
};

}  // namespace

MultipleAlignment align_systems(const SystemOutputs& outputs, const std::vector<std::string>& spelling,
                                bool is_time_mediated) {
  return Combiner(outputs, spelling, is_time_mediated).run();
}

}  // namespace latticemetric
