#include "formats/node_lines.hpp"

#include <charconv>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "formats/usual_lines.hpp"
#include "formats/written_rows.hpp"
#include "memory/int128.hpp"

namespace latticemetric {
namespace {

void add_node(NodeLattice& lattice, std::string_view text) { lattice.word.push_back(lattice.words.number(text, 0)); }

NodeLattice usual_pfsg(std::string_view text) {
  UsualLines lines(text, "##");
  NodeLattice lattice;
  lines.value("name");
  auto rest = lines.after("nodes");
  const auto nodes = static_cast<std::size_t>(usual_number(take_field(rest, is_space)));
  for (auto word = take_field(rest, is_space); !word.empty(); word = take_field(rest, is_space)) {
    poll(10);
    add_node(lattice, word);
  }
  if (nodes == 0 || lattice.word.size() != nodes) throw Unusual{};
  lattice.initial = usual_number(lines.value("initial"), nodes);
  lattice.final = usual_number(lines.value("final"), nodes);
  const auto arcs = static_cast<std::size_t>(usual_number(lines.value("transitions")));
  std::string_view line;
  while (lines.next(line)) {
    const Fields<3> fields(line);
    if (fields.count != 3) throw Unusual{};
    const auto cost = pfsg_cost(fields.field[2]);
    if (!cost) throw Unusual{};
    lattice.source.push_back(usual_number(fields.field[0], nodes));
    lattice.target.push_back(usual_number(fields.field[1], nodes));
    lattice.score.push_back(*cost);
  }
  if (lattice.source.size() != arcs) throw Unusual{};
  return lattice;
}

// The nodes of Sphinx: numbers from a file, and their places in it.
class NodeNumbers {
 public:
  void add(std::string_view field) {
    const auto number = usual_number(field);
    are_places_ &= number == count_;
    if (!are_places_ && places_.empty())
      for (std::int32_t place = 0; place < count_; ++place) places_.emplace(place, place);
    if (!are_places_ && !places_.emplace(number, count_).second) throw Unusual{};
    ++count_;
  }

  std::int32_t place(std::string_view field) const {
    if (are_places_) return usual_number(field, static_cast<std::size_t>(count_));
    const auto entry = places_.find(usual_number(field));
    if (entry == places_.end()) throw Unusual{};
    return entry->second;
  }

 private:
  std::int32_t count_ = 0;
  bool are_places_ = true;
  std::unordered_map<std::int32_t, std::int32_t> places_;
};

// Reads the lines of nodes, and the line of the initial node after them.
NodeNumbers read_nodes(UsualLines& lines, NodeLattice& lattice) {
  const auto nodes = static_cast<std::size_t>(usual_number(Fields<1>(lines.after("Nodes")).field[0]));
  NodeNumbers numbers;
  std::string_view line;
  while (lines.next(line)) {
    const Fields<6> fields(line);
    if (fields.field[0] == "Initial") {
      if (lattice.word.size() != nodes || nodes == 0 || fields.count < 2) throw Unusual{};
      lattice.initial = numbers.place(fields.field[1]);
      return numbers;
    }
    // PocketSphinx appends another number after a semicolon.
    if (fields.count < 5 || (fields.count > 5 && fields.field[5] != ";")) throw Unusual{};
    numbers.add(fields.field[0]);
    add_node(lattice, fields.field[1]);
    lattice.frame.push_back(usual_score(fields.field[2]));
    usual_score(fields.field[3]);
    usual_score(fields.field[4]);
  }
  throw Unusual{};
}

NodeLattice usual_sphinx(std::string_view text) {
  UsualLines lines(text, "#");
  NodeLattice lattice;
  lattice.frames = usual_score(Fields<1>(lines.after("Frames")).field[0]);
  const auto numbers = read_nodes(lines, lattice);
  lattice.final = numbers.place(Fields<1>(lines.after("Final")).field[0]);
  std::string_view line;
  for (auto segments = usual_number(Fields<1>(lines.after("BestSegAscr")).field[0]); segments > 0; --segments)
    if (!lines.next(line)) throw Unusual{};
  const Fields<2> titles(lines.after("Edges"));
  if (titles.count > 0 && (titles.count < 2 || titles.field[1] != "TO-NODEID")) throw Unusual{};
  while (lines.next(line)) {
    const Fields<3> fields(line);
    if (fields.count == 1 && fields.field[0] == "End") {
      if (lines.next(line)) throw Unusual{};
      return lattice;
    }
    if (fields.count != 3) throw Unusual{};
    lattice.source.push_back(numbers.place(fields.field[0]));
    lattice.target.push_back(numbers.place(fields.field[1]));
    lattice.score.push_back(usual_score(fields.field[2]));
  }
  throw Unusual{};
}

// A decimal: digits times a power of ten.
struct Decimal {
  Int128 digits = 0;
  int exponent = 0;
  bool is_negative = false;
};

std::optional<Decimal> read_decimal(std::string_view text) {
  constexpr Int128 million = 1000000, most = million * million * million * million * 100000;  // 29 digits, so 30 at last
  const char *at = text.data(), *const end = at + text.size();
  Decimal decimal;
  if (at < end && (*at == '-' || *at == '+')) decimal.is_negative = *at++ == '-';
  bool is_number = false, has_point = false;
  for (; at < end && *at != 'e' && *at != 'E'; ++at) {
    if (*at == '.') {
      if (std::exchange(has_point, true)) return std::nullopt;
      continue;
    }
    if (*at < '0' || *at > '9' || decimal.digits >= most) return std::nullopt;
    is_number = true;
    decimal.digits = 10 * decimal.digits + (*at - '0');
    decimal.exponent -= has_point;
  }
  if (!is_number) return std::nullopt;
  if (at == end) return decimal;
  ++at;
  if (at < end && *at == '+' && at + 1 < end && at[1] != '-') ++at;
  int exponent = 0;
  const auto [stop, error] = std::from_chars(at, end, exponent);
  if (error != std::errc() || stop != end || exponent < -250 || exponent > 250) return std::nullopt;
  decimal.exponent += exponent;
  return decimal;
}

// Writes cost times 10000.5, rounded to 30 digits (half to even), without a sign; returns null if the product has no more
// digits, or is of extreme size. `at` has room for 40 bytes.
char* write_rounded_score(char* at, double cost) {
  constexpr int places = 30, most_halvings = 120;
  constexpr double least = 1e-10, above = 1e12;
  if (!(cost >= least && cost < above)) return nullptr;
  int exponent = 0;
  auto digits = static_cast<std::int64_t>(std::ldexp(std::frexp(cost, &exponent), 53));
  const int halvings = 53 - exponent + 1;  // the product is `digits` times 20001, halved so often
  if (halvings < 1 || halvings > most_halvings) return nullptr;
  Unsigned128 rest = static_cast<Unsigned128>(digits) * 20001;
  const auto whole = static_cast<std::int64_t>(rest >> halvings);
  rest -= static_cast<Unsigned128>(whole) << halvings;
  char* const begin = at;
  at = std::to_chars(at, at + 20, whole).ptr;
  int written = whole > 0 ? static_cast<int>(at - begin) : 0;
  *at++ = '.';
  for (int zeros = 0; written < places; ++zeros) {
    if (rest == 0) return nullptr;
    rest *= 10;
    const auto digit = static_cast<int>(rest >> halvings);
    rest -= static_cast<Unsigned128>(digit) << halvings;
    *at++ = static_cast<char>('0' + digit);
    written += written > 0 || digit > 0;
    if (written == 0 && zeros >= 5) return nullptr;  // Python writes an exponent
  }
  if (rest == 0) return nullptr;
  const Unsigned128 half = Unsigned128{1} << (halvings - 1);
  if (rest < half || (rest == half && (at[-1] - '0') % 2 == 0)) return at;
  for (char* last = at - 1;; --last) {
    if (*last == '.') continue;
    if (*last != '9') {
      ++*last;
      return at;
    }
    if (last == begin) return nullptr;
    *last = '0';
  }
}

// Returns whether a positive score, a decimal of at most 17 digits, has this cost; returns nothing in the rare case that
// only exact arithmetic can tell. A score has a cost if it is less than half a step of doubles from cost times 10000.5.
std::optional<bool> has_cost_surely(std::string_view score, double cost) {
  constexpr int most_decimals = 16, most_digits = 17;
  std::int64_t digits = 0;
  const char* const end = score.data() + score.size();
  const char* at = read_digits(score.data(), end, digits);
  if (at == end || *at != '.' || score.size() > most_digits + 1) return std::nullopt;
  const char* const point = at++;
  if (read_digits(at, end, digits) != end || end - at > most_decimals) return std::nullopt;
  double unit = 20001;  // exact, as all products below 2^53 are
  for (const char* decimal = point + 1; decimal < end; ++decimal) unit *= 5;
  unit = std::ldexp(unit, static_cast<int>(end - point) - 2);
  int exponent = 0;
  const double mantissa = std::frexp(cost, &exponent);
  if (!(mantissa > 0.5)) return std::nullopt;  // below a power of two, steps are smaller
  const double product = cost * unit, lost = std::fma(cost, unit, -product);
  const auto most = static_cast<double>(digits);
  const auto rest = static_cast<double>(digits - static_cast<std::int64_t>(most));
  const double distance = std::fabs((most - product) + (rest - lost)), half = std::ldexp(unit, exponent - 54);
  constexpr double unsure = 1e-9;
  if (distance < half * (1 - unsure)) return true;
  if (distance > half * (1 + unsure)) return false;
  return std::nullopt;
}

// Writes the score of a cost; returns null if it is not usual. `at` has room for 48 bytes.
char* write_pfsg_score(char* at, double cost) {
  const double score = 0.0 - cost * 10000.5;
  constexpr double most_whole = 1e15;
  if (!(std::fabs(score) < most_whole)) return nullptr;
  const double whole = std::nearbyint(score);
  if (0.0 - 2 * whole / 20001 == cost) return std::to_chars(at, at + longest_number, static_cast<std::int64_t>(whole)).ptr;
  char* const end = write_number(at, score);
  const std::string_view text(at, static_cast<std::size_t>(end - at));
  auto has_cost = has_cost_surely(text.substr(text[0] == '-'), std::fabs(cost));
  if (!has_cost) {
    const auto read = pfsg_cost(text);
    has_cost = read && *read == cost;
  }
  if (*has_cost) return end;
  char* const number = at + (cost > 0);
  *at = '-';
  return write_rounded_score(number, std::fabs(cost));
}

}  // namespace

std::optional<WrittenScores> pfsg_scores(const double* costs, std::size_t count) {
  WrittenScores scores;
  scores.end.reserve(count);
  char text[48];
  for (std::size_t k = 0; k < count; ++k) {
    poll(100);
    const char* const end = write_pfsg_score(text, costs[k]);
    if (end == nullptr) return std::nullopt;
    scores.text.append(text, static_cast<std::size_t>(end - text));
    scores.end.push_back(static_cast<std::int64_t>(scores.text.size()));
  }
  return scores;
}

std::optional<NodeLattice> read_pfsg(std::string_view text) { return if_usual([text] { return usual_pfsg(text); }); }

std::optional<NodeLattice> read_sphinx(std::string_view text) { return if_usual([text] { return usual_sphinx(text); }); }

std::optional<double> pfsg_cost(std::string_view score) {
  constexpr std::size_t most_whole_digits = 15;
  constexpr std::int64_t unit = 20001;  // of half a score: twice 10000.5
  std::int64_t whole = 0;
  const bool is_negative = !score.empty() && score[0] == '-';
  const auto digits = score.substr(is_negative);
  const char* const end = digits.data() + digits.size();
  if (!digits.empty() && digits.size() <= most_whole_digits && read_digits(digits.data(), end, whole) == end) {
    const auto cost = static_cast<double>(2 * whole) / unit;  // both are exact, so the quotient is rounded once
    return is_negative ? cost : 0.0 - cost;
  }
  auto decimal = read_decimal(score);
  if (!decimal) return std::nullopt;
  if (decimal->digits == 0) return 0.0;
  Int128 dividend = 2 * decimal->digits, least = unit;
  constexpr int places = 30;
  for (int k = 1; k < places; ++k) least *= 10;
  for (; dividend < least; dividend *= 10) --decimal->exponent;  // now the quotient has 30 digits
  Int128 quotient = dividend / unit;
  quotient += 2 * (dividend % unit) > unit;  // never half: the unit is odd
  char text[places + 16];
  char *const after = text + places + 1, *at = after;
  constexpr std::int64_t half = 1000000000000000;  // of the digits
  for (auto part : {static_cast<std::int64_t>(quotient % half), static_cast<std::int64_t>(quotient / half)})
    for (int k = 0; k < places / 2 || part > 0; ++k, part /= 10) *--at = static_cast<char>('0' + part % 10);
  *after = 'e';
  const char* const stop = std::to_chars(after + 1, text + sizeof text, decimal->exponent).ptr;
  double cost = 0;
  if (std::from_chars(at, stop, cost).ec != std::errc()) return std::nullopt;
  return decimal->is_negative ? cost : 0.0 - cost;
}

}  // namespace latticemetric
