#include "formats/slf_lattice.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "formats/slf.hpp"
#include "formats/usual_lines.hpp"
#include "graphs/lattice_order.hpp"

namespace latticemetric {
namespace {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

double finite(double value) {
  if (!std::isfinite(value)) throw Unusual{};
  return value;
}

// The fields of the header, by name.
class SlfHeader {
 public:
  explicit SlfHeader(const std::vector<SlfField>& fields) : fields_(fields) {}

  // Returns the value of the last field with one of these names; null if there is none.
  const std::string_view* value(std::initializer_list<std::string_view> names) const {
    for (auto field = fields_.rbegin(); field != fields_.rend(); ++field)
      if (is_one_of(field->name, names)) return &field->value;
    return nullptr;
  }

  double number(std::string_view name, double otherwise) const {
    const auto* const text = value({name});
    return text ? usual_score(*text) : otherwise;
  }

  void require_count(std::initializer_list<std::string_view> names, std::size_t count) const {
    const auto* const text = value(names);
    if (text && usual_score(*text) != static_cast<double>(count)) throw Unusual{};
  }

  // Returns the weight of the scores of a field, as in HTK and SRILM.
  double weight(const std::string& field) const {
    if (field == "a") return number("acscale", 1);
    if (field == "l") return number("lmscale", 1);
    if (field == "n") return number("ngscale", 1);
    if (field == "r") return number("prscale", 1);
    if (field == "ds") return number("duscale", 0);
    return number(field + "scale", 0);
  }

 private:
  const std::vector<SlfField>& fields_;
};

const SlfColumn* column_of(const SlfTable& table, std::string_view name) {
  for (const auto& column : table.columns)
    if (column.name == name) return &column;
  return nullptr;
}

std::string_view value_of(const SlfColumn& column, std::size_t row) {
  return row < column.values.size() ? column.values[row] : std::string_view();
}

std::vector<std::string> copied(const Words& words) { return {words.words().begin(), words.words().end()}; }

class UsualSlf {
 public:
  explicit UsualSlf(std::string_view text)
      : text_(is_utf8(text) ? parse_slf(text) : throw Unusual{}), header_(text_.header) {}

  SlfLattice read() {
    require_form();
    read_ends();
    read_words();
    read_variants();
    read_scores();
    read_times();
    lattice_.final = {end_node()};
    sort(start_node());
    return std::move(lattice_);
  }

 private:
  std::size_t nodes() const { return text_.nodes.lines.size(); }
  std::size_t links() const { return text_.links.lines.size(); }

  void require_form() const {
    const auto* const direction = header_.value({"dir"});
    if ((direction && direction->substr(0, 1) == "b") || header_.value({"vscale"}) || nodes() == 0 || links() == 0)
      throw Unusual{};
    header_.require_count({"N", "NODES"}, nodes());
    header_.require_count({"L", "LINKS"}, links());
    for (const auto& column : text_.nodes.columns)
      if (!is_one_of(column.name, {"I", "t", "W", "v"})) throw Unusual{};
    const auto& numbers = text_.nodes.columns[0];  // lines of nodes begin with I
    for (std::size_t node = 0; node < nodes(); ++node)
      if (static_cast<std::size_t>(usual_number(value_of(numbers, node))) != node) throw Unusual{};
  }

  void read_ends() {
    for (const auto& [name, states] : {std::pair{"S", &lattice_.source}, std::pair{"E", &lattice_.target}}) {
      const auto* const column = column_of(text_.links, name);
      if (!column) throw Unusual{};
      states->reserve(links());
      for (std::size_t link = 0; link < links(); ++link)
        states->push_back(usual_number(value_of(*column, link), nodes()));
    }
    for (std::size_t link = 0; link < links(); ++link) usual_number(value_of(text_.links.columns[0], link));
  }

  // Numbers the words of nodes, then those of links. A link without a word has that of the node where it ends.
  void read_words() {
    Words words;
    lattice_.word.assign(links(), 0);
    const auto number = [&words](std::string_view text) {
      return is_one_of(text, {"!NULL", "!ENTER", "!EXIT"}) ? 0 : words.number(text, 0);
    };
    if (const auto* const column = column_of(text_.nodes, "W")) {
      std::vector<std::int32_t> of_node(nodes(), 0);
      for (std::size_t node = 0; node < nodes(); ++node) of_node[node] = number(value_of(*column, node));
      if (of_node[static_cast<std::size_t>(start_node())] != 0) throw Unusual{};
      for (std::size_t link = 0; link < links(); ++link)
        lattice_.word[link] = of_node[static_cast<std::size_t>(lattice_.target[link])];
    }
    if (const auto* const column = column_of(text_.links, "W"))
      for (std::size_t link = 0; link < links(); ++link)
        if (const auto own = number(value_of(*column, link))) lattice_.word[link] = own;
    lattice_.words = copied(words);
  }

  void read_variants() {
    const auto *const of_nodes = column_of(text_.nodes, "v"), *const of_links = column_of(text_.links, "v");
    if (of_nodes && of_links) throw Unusual{};
    if (!of_nodes && !of_links) return;
    Words texts;
    std::vector<std::int32_t> numbers;
    for (std::size_t row = 0; row < (of_nodes ? nodes() : links()); ++row)
      numbers.push_back(texts.number(value_of(of_nodes ? *of_nodes : *of_links, row), 0));
    for (std::size_t link = 0; link < links(); ++link)
      lattice_.variant.push_back(numbers[of_nodes ? static_cast<std::size_t>(lattice_.target[link]) : link]);
    lattice_.variants = copied(texts);
  }

  void read_scores() {
    constexpr double e = 2.718281828459045;
    const double base = header_.number("base", e);
    if (base <= 0 || base == 1) throw Unusual{};
    const double log_of_base = std::log(base);
    for (const auto& column : text_.links.columns) {
      if (is_one_of(column.name, {"J", "S", "E", "W", "v"})) continue;
      if (is_one_of(column.name, {"I", "d", "s", "i", "p", "L", "t", "line", "VERSION", "UTTERANCE", "NODES", "LINKS",
                                  "WORD", "START", "END", "time", "var", "div", "states", "acoustic", "language",
                                  "ngram"}))
        throw Unusual{};
      SlfScores scores{std::string(column.name), 0, {}};
      scores.weight = header_.weight(scores.field);
      scores.cost.reserve(links());
      for (std::size_t link = 0; link < links(); ++link) {
        const auto text = value_of(column, link);
        scores.cost.push_back(finite(0.0 - (text.empty() ? 0.0 : usual_score(text)) * log_of_base));
      }
      lattice_.scores.push_back(std::move(scores));
    }
    const double penalty = header_.number("wdpenalty", 0);
    if (penalty != 0) lattice_.word_penalty = finite(0.0 - penalty * log_of_base);
  }

  void read_times() {
    const auto* const column = column_of(text_.nodes, "t");
    const double scale = header_.number("tscale", 1);
    if (!column) return;
    for (std::size_t node = 0; node < nodes(); ++node) {
      const auto text = value_of(*column, node);
      lattice_.times.push_back(text.empty() ? std::nan("") : finite(usual_score(text) * scale));
    }
    const auto is_missing = [](double time) { return std::isnan(time); };
    if (std::any_of(lattice_.times.begin(), lattice_.times.end(), is_missing)) lattice_.times.clear();
  }

  std::int32_t start_node() const { return outermost("start", lattice_.target); }
  std::int32_t end_node() const { return outermost("end", lattice_.source); }

  // Returns the node that the header names, or else the only node that is not among `others`.
  std::int32_t outermost(std::string_view name, const std::vector<std::int32_t>& others) const {
    if (const auto* const text = header_.value({name})) return usual_number(*text, nodes());
    std::vector<bool> is_free(nodes(), true);
    for (const auto node : others) is_free[static_cast<std::size_t>(node)] = false;
    const auto first = std::find(is_free.begin(), is_free.end(), true);
    if (first == is_free.end() || std::find(std::next(first), is_free.end(), true) != is_free.end()) throw Unusual{};
    return static_cast<std::int32_t>(first - is_free.begin());
  }

  void sort(std::int32_t start) {
    const LatticeOrder order = lattice_order({start, lattice_.source, lattice_.target, lattice_.final});
    if (order.states == 0) throw Unusual{};
    lattice_.states = order.states;
    if (order.is_sorted) {
      if (!lattice_.times.empty()) lattice_.times.resize(static_cast<std::size_t>(order.states));
      return;
    }
    take_states(lattice_.source, order.arcs, order.rank);
    take_states(lattice_.target, order.arcs, order.rank);
    take_states(lattice_.final, order.ends, order.rank);
    take_rows(lattice_.word, order.arcs);
    if (!lattice_.variant.empty()) take_rows(lattice_.variant, order.arcs);
    for (auto& scores : lattice_.scores) take_rows(scores.cost, order.arcs);
    if (lattice_.times.empty()) return;
    std::vector<double> times(static_cast<std::size_t>(order.states), 0);
    for (std::size_t state = 0; state < order.rank.size(); ++state)
      if (order.rank[state] >= 0) times[static_cast<std::size_t>(order.rank[state])] = lattice_.times[state];
    lattice_.times = std::move(times);
  }

  SlfText text_;
  SlfHeader header_;
  SlfLattice lattice_;
};

}  // namespace

std::optional<SlfLattice> read_slf(std::string_view text) {
  return if_usual([text] { return UsualSlf(text).read(); });
}

}  // namespace latticemetric
