#include "formats/arc_lines.hpp"

#include <algorithm>
#include <limits>

namespace latticemetric {
namespace {

using ArcFields = Fields<5>;

// Rounds a cost to 32 bits, which Kaldi's costs have. Text is rounded, too, so that the text and the binary form of an
// archive are the same lattices.
double as_single(double cost, std::string_view field, std::int64_t line) {
  constexpr double largest = std::numeric_limits<float>::max(), half_a_step = 0x1p+103;
  if (std::fabs(cost) >= largest + half_a_step)
    throw ParseError(line, "score " + quoted(field) + " is too large for the 32 bits of Kaldi's costs");
  return as_decimal(static_cast<float>(std::clamp(cost, -largest, largest)));
}

// Returns a cost in 32 bits. Up to six digits survive the rounding.
double single_cost(std::string_view field, std::int64_t line) {
  const PlainScore plain(field);
  if (plain.is_plain && plain.digits < 1000000) return plain.value;
  return as_single(parse_score(field, line), field, line);
}

// A weight of Kaldi: `graph,acoustic,transitions`. The last part may be empty or missing.
struct KaldiWeight {
  double cost[2] = {0, 0};
  std::string_view transitions;

  KaldiWeight(std::string_view field, std::int64_t line) {
    const std::size_t first = field.find(',');
    if (first == std::string_view::npos)
      throw ParseError(line, quoted(field) + " is not a pair of a graph and an acoustic cost, such as 1.5,-20.25");
    const std::size_t second = field.find(',', first + 1);
    const std::string_view part[] = {
        field.substr(0, first),
        field.substr(first + 1, second == std::string_view::npos ? second : second - first - 1)};
    for (int k = 0; k < 2; ++k) cost[k] = single_cost(part[k], line);
    if (second != std::string_view::npos) transitions = field.substr(second + 1);
    if (transitions.find(',') != std::string_view::npos)
      throw ParseError(line, quoted(field) + " has more than three parts between commas");
  }

  KaldiWeight() = default;
};

bool has_comma(std::string_view field) { return field.find(',') != std::string_view::npos; }

// Reads the numbers that nearly all lines of large archives begin with. Finds all non-digits among the next 64 bytes at
// once, so that no number has to wait until the end of the previous one is found.
class PlainNumbers {
 public:
  static constexpr std::size_t longest = 64, readable = longest + 16;

  // At least `readable` bytes must be readable.
  explicit PlainNumbers(const char* at) : at_(at), others_(bytes_without_digits(at)) {}

  // Reads a number of at most seven digits, without leading zeros, and the blank after it. Returns false if there is
  // anything else.
  bool number(std::int32_t& value) {
    const int end = next(), size = end - begin_;
    if (!is_short(size) || (at_[begin_] == '0' && size > 1) || (at_[end] != ' ' && at_[end] != '\t')) return false;
    value = static_cast<std::int32_t>(value_of_digits(eight_bytes(at_ + begin_), size));
    begin_ = end + 1;
    return true;
  }

  // Reads a decimal of at most fifteen digits, rounded to 32 bits, and the comma after it. Returns false if there is
  // anything else. Always inlined: calls would take a fifteenth of the time.
  __attribute__((always_inline)) bool decimal(double& value) {
    const bool negative = at_[begin_] == '-';
    if (negative) begin_ = next() + 1;
    int end = next();
    const int whole = end - begin_;
    int places = 0;
    const char* fraction = at_ + end;
    if (*fraction == '.') {
      ++fraction;
      end = next();
      places = end - begin_ - whole - 1;
    }
    const int size = whole + places;
    if (whole <= 0 || whole > 8 || places > 8 || size > 15 || at_[end] != ',') return false;
    const std::uint64_t first = eight_bytes(at_ + begin_);
    std::int64_t digits = 0;
    if (size <= 8 && whole < 8) {
      const std::uint64_t before_point = (std::uint64_t{1} << 8 * whole) - 1;
      digits = value_of_digits((first & before_point) | (eight_bytes(fraction - whole) & ~before_point), size);
    } else {
      digits = value_of_digits(first, whole);
      if (places > 0)
        digits = digits * static_cast<std::int64_t>(powers_of_ten[places]) +
                 value_of_digits(eight_bytes(fraction), places);
    }
    // A number of so few digits is far from the largest one of 32 bits. Up to six digits survive the rounding to 32
    // bits, so only longer numbers are rounded.
    value = static_cast<double>(digits) / powers_of_ten[places];
    if (digits >= 1000000) value = as_decimal(static_cast<float>(value));
    if (negative) value = -value;
    begin_ = end + 1;
    return true;
  }

  const char* rest() const { return at_ + begin_; }

 private:
  static constexpr int none = longest;

  static bool is_short(int size) { return size > 0 && size < 8; }

  int next() {
    if (others_ == 0) return none;
    const int found = __builtin_ctzll(others_);
    others_ &= others_ - 1;
    return found;
  }

  const char* const at_;
  std::uint64_t others_;
  int begin_ = 0;
};

// Takes transition ids, or nothing, and white space, up to the end of a line. Returns false if there is anything else.
inline bool take_ids(const char* at, const char* end, std::string_view& ids, const char*& line_end) {
  line_end = at;
  if (at >= end || *at == '\n') return true;
  const auto* found = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
  line_end = end = found ? found : end;
  while (at < end && is_space(end[-1])) --end;
  ids = {at, static_cast<std::size_t>(end - at)};
  std::uint8_t others = 0;  // no early exit, so that vector instructions can take several characters at a time
  for (const char c : ids) others |= static_cast<std::uint8_t>((c < '0') | (c > '9')) & static_cast<std::uint8_t>(c != '_');
  return others == 0;
}

// Adds the arcs of the next lines `source target word graph,acoustic,transitions` whose numbers are all plain, at most
// `most`, and moves past these lines. Returns how many it added; fewer than `most` if a line has another form.
//
// Makes room in all columns first: appending arc by arc takes a twelfth longer.
std::size_t add_plain_kaldi_arcs(ArcLines& lattice, Lines& lines, std::size_t most) {
  const std::size_t before = lattice.source.size();
  const auto resize = [&](std::size_t size) {
    for (auto* column : {&lattice.source, &lattice.target, &lattice.word.numbers(), &lattice.transitions})
      column->resize(size);
    for (auto& column : lattice.cost) column.resize(size);
  };
  resize(before + most);
  std::int32_t *const source = &lattice.source[before], *const target = &lattice.target[before];
  std::int32_t *const word = &lattice.word.numbers()[before], *const transitions = &lattice.transitions[before];
  double *const graph = &lattice.cost[0][before], *const acoustic = &lattice.cost[1][before];
  const char* at = lines.rest().data();
  const char* const end = at + lines.rest().size();
  std::size_t added = 0;
  for (; added < most && static_cast<std::size_t>(end - at) >= PlainNumbers::readable; ++added) {
    PlainNumbers numbers(at);
    if (!numbers.number(source[added]) || !numbers.number(target[added]) || !numbers.number(word[added]) ||
        !numbers.decimal(graph[added]) || !numbers.decimal(acoustic[added]))
      break;
    std::string_view ids;
    const char* line_end = nullptr;
    if (!take_ids(numbers.rest(), end, ids, line_end)) break;
    transitions[added] = lattice.transition_rows.add(ids.data(), ids.size(), static_cast<std::size_t>(end - at));
    at = std::min(line_end + 1, end);
  }
  lines.pass(added, at);
  resize(before + added);
  if (lattice.start < 0 && added > 0) lattice.start = lattice.source[before];
  return added;
}

std::int32_t add_transitions(ArcLines& lattice, std::string_view text, std::int64_t line, std::size_t most) {
  if (!is_utf8(text)) throw ParseError(line, quoted(text) + " is not UTF-8; convert the file with iconv");
  return lattice.transition_rows.add(text.data(), text.size(), most);
}

void add_kaldi_arc(ArcLines& lattice, const ArcFields& fields, std::int64_t line, std::size_t most) {
  const auto& field = fields.field;
  // A compact line is `s t word [weight]`, any other line `s t tid word [weight]`. With four fields, a comma in the
  // last one shows that it is a weight.
  const bool compact = fields.count == 3 || (fields.count == 4 && has_comma(field[3]));
  const std::size_t weight_at = compact ? 3 : 4;
  if (fields.count > 5)
    throw ParseError(line, std::to_string(fields.count) + " fields are neither an arc nor a final state");
  KaldiWeight weight;
  if (fields.count > weight_at) weight = KaldiWeight(field[weight_at], line);
  if (!compact) weight.transitions = field[2] == "0" ? std::string_view() : field[2];
  lattice.source.push_back(parse_state(field[0], line));
  lattice.target.push_back(parse_state(field[1], line));
  lattice.word.add(field[compact ? 2 : 3], line);
  for (int k = 0; k < 2; ++k) lattice.cost[k].push_back(weight.cost[k]);
  lattice.transitions.push_back(add_transitions(lattice, weight.transitions, line, most));
}

bool is_decimal(std::string_view field) {
  double value = 0;
  const char* const end = field.data() + field.size();
  return std::from_chars(field.data(), end, value).ptr == end && !field.empty();
}

bool is_score(std::string_view field) { return is_decimal(field.substr(field.substr(0, 1) == "+")); }

// Returns whether a field that is no number looks like one, as `1,5` and `1.O` do.
bool is_misspelled_number(std::string_view field) {
  return field.find_first_of("0123456789") != std::string_view::npos &&
         field.find_first_not_of("0123456789.,+-eEOoIl") == std::string_view::npos;
}

// Counts what stands on the arcs of an OpenFst text.
struct ArcCounts {
  std::size_t three = 0, four = 0, five = 0;             // arcs by number of fields; `five` is five or more
  std::size_t fractions = 0, misspelled = 0, words = 0;  // fourth fields: not whole numbers, nearly numbers, others
  bool symbols = false;                                  // whether some input is no number

  explicit ArcCounts(std::string_view text) {
    Lines lines(text);
    std::string_view line;
    while (lines.next(line)) {
      const ArcFields fields(line);
      std::int32_t number = 0;
      if (fields.count >= 3) symbols = symbols || !parse_number(fields.field[2], number);
      three += fields.count == 3;
      five += fields.count >= 5;
      if (fields.count == 4) add_fourth(fields.field[3]);
    }
  }

  // Returns whether the fourth fields are weights, because nearly all of them look like that. If so, the others are
  // errors.
  bool weights() const {
    if (misspelled + words == 0) return fractions > 0 || symbols;
    const std::size_t numbers = four - misspelled - words;
    if (words == 0 && numbers > 0) return fractions > 0 || symbols;
    return fractions > 0 && numbers > misspelled + words;
  }

 private:
  void add_fourth(std::string_view field) {
    std::int32_t number = 0;
    ++four;
    if (!is_decimal(field))
      ++(is_misspelled_number(field) ? misspelled : words);
    else
      fractions += !parse_number(field, number);
  }
};

// Returns whether the fourth field of an arc is an output label rather than a weight.
//
// If no arc has five fields, it is a weight if some arc has only three, or if fourth fields are numbers and either some
// of them have a fraction or some input is no number. If some arcs have five fields, it is an output label, unless
// there are more arcs of four fields, none of three, and the fourth fields are weights, some with a fraction. A few
// badly written lines do not turn the weights of all other lines into labels.
bool fourth_is_output(std::string_view text) {
  const ArcCounts arcs(text);
  if (arcs.five > 0) return arcs.three > 0 || arcs.four <= arcs.five || arcs.fractions == 0 || !arcs.weights();
  return arcs.four > 0 && arcs.three == 0 && !arcs.weights();
}

// Reserves room for about as many arcs as the text has. Most lines take at least 24 bytes.
void reserve(ArcLines& lines, std::string_view text) {
  const std::size_t arcs = text.size() / 24;
  for (auto* column : {&lines.source, &lines.target, &lines.transitions}) column->reserve(arcs);
  lines.word.reserve(arcs);
  for (auto& column : lines.cost) column.reserve(arcs);
}

// Returns the number of arcs for which there is room.
std::size_t room(const ArcLines& lines) { return lines.source.capacity() - lines.source.size(); }

ArcLines parse_kaldi(std::string_view text, WordColumn word) {
  ArcLines lattice;
  lattice.word = std::move(word);
  reserve(lattice, text);
  Lines lines(text);
  std::string_view line;
  lines.next(line);  // the id
  for (;;) {
    constexpr std::size_t few = 16, many = 256;  // room for few, since no line may be plain
    for (std::size_t most = few; lattice.word.numeric(); most = std::clamp(room(lattice), few, many))
      if (add_plain_kaldi_arcs(lattice, lines, most) < most) break;
    if (!lines.next(line)) break;
    const auto left = static_cast<std::size_t>(text.data() + text.size() - line.data());
    const ArcFields fields(line);
    const std::int64_t number = lines.number();
    if (fields.count == 0) continue;
    if (lattice.start < 0) lattice.start = parse_state(fields.field[0], number);
    if (fields.count > 2) {
      add_kaldi_arc(lattice, fields, number, left);
      continue;
    }
    const KaldiWeight weight = fields.count == 2 ? KaldiWeight(fields.field[1], number) : KaldiWeight();
    lattice.final.push_back(parse_state(fields.field[0], number));
    for (int k = 0; k < 2; ++k) lattice.final_cost[k].push_back(weight.cost[k]);
    lattice.final_transitions.push_back(add_transitions(lattice, weight.transitions, number, left));
  }
  lattice.transition_rows.shrink();
  return lattice;
}

ArcLines parse_openfst(std::string_view text, bool has_output, WordColumn word, WordColumn input) {
  ArcLines machine;
  machine.has_output = has_output;
  machine.word = std::move(word);
  machine.input = std::move(input);
  reserve(machine, text);
  const std::size_t weight_at = machine.has_output ? 4 : 3;
  Lines lines(text);
  std::string_view line;
  while (lines.next(line)) {
    const ArcFields fields(line);
    const std::int64_t number = lines.number();
    if (fields.count == 0) continue;
    if (machine.start < 0) machine.start = parse_state(fields.field[0], number);
    const bool is_arc = fields.count > 2;
    const std::size_t weight_field = is_arc ? weight_at : 1;
    if (fields.count > weight_field + 1)
      throw ParseError(number, "the line has " + std::to_string(fields.count) + " fields, too many for an arc");
    if (is_arc && machine.has_output && fields.count < 4) throw ParseError(number, "the arc has no output label");
    const bool weighted = fields.count > weight_field;
    // OpenFst writes a state that is not final like this, if asked to write all states.
    if (!is_arc && weighted && fields.field[1] == "Infinity") continue;
    if (is_arc && !has_output && weighted && !is_score(fields.field[weight_field]))
      throw ParseError(number, quoted(fields.field[weight_field]) +
                       " is not a number, but other arcs have a weight there; "
                       "if it is an output label, write a weight after it on each arc");
    const double cost = weighted ? parse_score(fields.field[weight_field], number) : 0.0;
    machine.weighted = machine.weighted || weighted;
    if (!is_arc) {
      machine.final.push_back(parse_state(fields.field[0], number));
      machine.final_cost[0].push_back(cost);
      continue;
    }
    machine.source.push_back(parse_state(fields.field[0], number));
    machine.target.push_back(parse_state(fields.field[1], number));
    machine.word.add(fields.field[machine.has_output ? 3 : 2], number);
    if (machine.has_output) machine.input.add(fields.field[2], number);
    machine.cost[0].push_back(cost);
  }
  return machine;
}

// Skips lines, a window at a time, as long as no line that may be blank follows. Returns the beginning of a line, and
// adds the number of lines skipped to `lines`.
std::size_t skip_lines(std::string_view text, std::size_t at, std::int64_t& lines) {
  constexpr std::size_t window = 64;
  std::size_t to = at;
  std::int64_t passed = 0;
  if (at < text.size() && is_space(text[at])) return at;  // this line itself may be blank
  for (; to + window < text.size(); to += window) {
    const LineMarks marks(text.data() + to);
    const std::uint64_t blank_after = static_cast<unsigned char>(text[to + window]) <= ' ';
    if (marks.ends & (marks.blanks >> 1 | blank_after << (window - 1))) break;
    passed += __builtin_popcountll(marks.ends);
  }
  while (to > at && text[to - 1] != '\n') --to;
  lines += passed;
  return to;
}

}  // namespace

ArcLines parse_kaldi(std::string_view text, bool symbols) {
  if (symbols) return parse_kaldi(text, WordColumn(true));
  try {
    return parse_kaldi(text, WordColumn());
  } catch (const WordColumn::NotNumbers&) {
    return parse_kaldi(text, WordColumn(true));
  }
}

bool may_be_weights(const ArcLines& lattice) {
  const auto is_cost = [](double cost) { return cost != 0; };
  for (const auto& costs : lattice.cost)
    if (std::any_of(costs.begin(), costs.end(), is_cost)) return false;
  const auto& words = lattice.word.words();
  return !words.empty() && (is_score(words[0]) || words[0] == "Infinity");
}

ArcLines parse_openfst(std::string_view text) {
  const bool has_output = fourth_is_output(text);
  // Each side may be numbers or symbols: tries numbers first.
  for (int symbols = 0;; ++symbols) {
    try {
      return parse_openfst(text, has_output, WordColumn((symbols & 1) != 0), WordColumn((symbols & 2) != 0));
    } catch (const WordColumn::NotNumbers&) {
    }
  }
}

std::vector<std::int64_t> split_blocks(std::string_view text, std::size_t at, bool at_end) {
  std::vector<std::int64_t> blocks;
  std::int64_t begin = -1, first_line = 0, lines = 0;
  while (at < text.size()) {
    const auto* found = static_cast<const char*>(std::memchr(text.data() + at, '\n', text.size() - at));
    if (!found && !at_end) break;
    const std::size_t end = found ? static_cast<std::size_t>(found - text.data()) : text.size();
    std::size_t first = at;
    while (first < end && is_space(text[first])) ++first;
    if (first == end && begin >= 0) {
      blocks.insert(blocks.end(), {begin, static_cast<std::int64_t>(at), first_line, lines});
      begin = -1;
    } else if (first < end && begin < 0) {
      begin = static_cast<std::int64_t>(at);
      first_line = lines;
    }
    ++lines;
    at = end + 1;
    if (begin >= 0) at = skip_lines(text, at, lines);
  }
  if (begin >= 0 && at_end)
    blocks.insert(blocks.end(), {begin, static_cast<std::int64_t>(text.size()), first_line, lines});
  return blocks;
}

}  // namespace latticemetric
