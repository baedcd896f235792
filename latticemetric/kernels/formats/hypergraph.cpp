#include "formats/hypergraph.hpp"

#include <algorithm>

namespace latticemetric {
namespace {

using Edges = std::int64_t;

constexpr std::string_view separator = "|||";

std::string_view stripped(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// Returns the value of one to nine digits; -1 for anything else.
std::int32_t count_of(std::string_view field) {
  if (field.empty() || field.size() > 9) return -1;
  std::int32_t value = 0;
  for (const char c : field) {
    if (c < '0' || c > '9') return -1;
    value = 10 * value + (c - '0');
  }
  return value;
}

// The lines of a text without their ends. They must be UTF-8.
class TextLines {
 public:
  explicit TextLines(std::string_view text) : text_(text), valid_(utf8_size(text)), lines_(text) {}

  bool next(std::string_view& line) {
    if (!lines_.next(line)) return false;
    const auto begin = static_cast<std::size_t>(line.data() - text_.data());
    if (begin + line.size() > valid_)
      fail("byte " + std::to_string(valid_ - begin + 1) + " of the line is not UTF-8; convert the file with iconv");
    while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return true;
  }

  std::string_view required(const std::string& what) {
    std::string_view line;
    if (!next(line)) fail("expected " + what + ", found the end of the file");
    return line;
  }

  void header(const std::string& expected) {
    std::string_view line = required("the header");
    while (!line.empty() && is_space(line.back())) line.remove_suffix(1);
    if (line != expected) fail("this is not the header of a hypergraph; the first line must be " + expected);
  }

  // Reads the numbers of a line, which must be exactly as many as `numbers` takes.
  template <std::size_t size>
  void counts(std::string_view line, const std::string& what, std::int32_t (&numbers)[size]) const {
    const Fields<size> fields(line);
    bool are_counts = fields.count == size;
    for (std::size_t k = 0; k < size && are_counts; ++k) are_counts = (numbers[k] = count_of(fields.field[k])) >= 0;
    if (!are_counts) fail("expected " + what + ", found " + quoted(line));
  }

  std::int64_t number() const { return lines_.number(); }

  [[noreturn]] void fail(const std::string& what) const { throw ParseError(number(), what); }

 private:
  std::string_view text_;
  std::size_t valid_;
  Lines lines_;
};

enum class Dialect { moses, cdec, joshua };

class HypergraphParser {
 public:
  HypergraphParser(std::string_view text, Dialect dialect)
      : size_(text.size()), dialect_(dialect), lines_(text), words_(text), features_(text) {}

  ForestText parse() {
    if (dialect_ == Dialect::moses) lines_.header("# target ||| features ||| source-covered");
    if (dialect_ == Dialect::joshua) lines_.header("# target ||| features");
    dialect_ == Dialect::joshua ? numbered_nodes() : counted_nodes();
    return finished();
  }

 private:
  // ---- Moses and cdec: the number of a node's edges, then the edges ----

  void counted_nodes() {
    std::int32_t header[2], count[1];
    std::string what = "the numbers of nodes and edges";
    lines_.counts(without_comments(what), what, header);
    if (header[0] == 0) lines_.fail("the forest is empty: it has no node");
    Edges axioms = 0;
    for (std::int32_t node = 0; node < header[0]; ++node) {
      what = "the number of edges of node " + std::to_string(node);
      lines_.counts(without_comments(what), what, count);
      what = "an edge of node " + std::to_string(node);
      for (std::int32_t k = 0; k < count[0]; ++k) edge(node, lines_.required(what));
      if (count[0] == 0 && dialect_ == Dialect::cdec) {
        // cdec treats such a node as an axiom: an edge without words and costs.
        edge(node, separator);
        ++axioms;
      }
    }
    std::string_view line;
    while (lines_.next(line))
      if (!stripped(line).empty())
        lines_.fail("there are more lines after the " + std::to_string(header[0]) + " nodes of the header");
    require(header[1] + axioms, edges(), "edges");
    forest_.goals.push_back(header[0] - 1);
  }

  std::string_view without_comments(const std::string& what) {
    std::string_view line;
    do line = lines_.required(what);
    while (!line.empty() && line[0] == '#');
    return line;
  }

  // ---- Joshua: the number of a node, then its edges ----

  void numbered_nodes() {
    std::int32_t header[2];
    const std::string what = "the numbers of nodes and edges";
    lines_.counts(lines_.required(what), what, header);
    bool is_bare = false;  // whether the last node has no edges yet
    std::string_view line;
    while (lines_.next(line)) {
      if (!nodes_.empty() && line.find(separator) != std::string_view::npos) {
        edge(nodes_.back(), line);
        is_bare = false;
      } else if (!stripped(line).empty()) {
        std::int32_t number[1];
        lines_.counts(line, "the number of a node", number);
        require_edges(is_bare);
        const std::int32_t last = nodes_.empty() ? 0 : nodes_.back();
        if (number[0] <= last)
          lines_.fail("node " + std::to_string(number[0]) + " comes after node " + std::to_string(last) +
                      "; node numbers rise from 1; if these are numbers of edges, use --from cdec-target-graph");
        nodes_.push_back(number[0]);
        is_used_.push_back(0);
        is_bare = true;
      }
    }
    require_edges(is_bare);
    require(header[0], static_cast<Edges>(nodes_.size()), "nodes");
    require(header[1], edges(), "edges");
    for (std::size_t k = 0; k < nodes_.size(); ++k)
      if (!is_used_[k]) forest_.goals.push_back(nodes_[k]);
  }

  void require_edges(bool is_bare) const {
    if (is_bare) lines_.fail("node " + std::to_string(nodes_.back()) + " has no edges");
  }

  // ---- Edges ----

  Edges edges() const { return static_cast<Edges>(forest_.head.size()); }

  static void require(Edges wanted, Edges there, const std::string& what) {
    if (wanted != there)
      throw ParseError(0, "the header gives " + std::to_string(wanted) + " " + what + ", but the file has " +
                       std::to_string(there));
  }

  void edge(std::int32_t head, std::string_view line) {
    const std::size_t most = dialect_ == Dialect::moses ? 3 : 2;
    std::string_view field[3], rest = line;
    std::size_t count = 1;
    for (std::size_t at; (at = rest.find(separator)) != std::string_view::npos; ++count) {
      if (count <= most) field[count - 1] = rest.substr(0, at);
      rest.remove_prefix(at + separator.size());
    }
    if (count != most)
      lines_.fail("the edge has " + std::to_string(count) + " fields between |||, not " + std::to_string(most) +
                  "; an edge is target ||| features" + (most == 3 ? " ||| covered" : ""));
    field[most - 1] = rest;
    target(head, field[0]);
    features(field[1]);
    if (most == 3) covered(stripped(field[2]));
    forest_.head.push_back(head);
  }

  void target(std::int32_t head, std::string_view text) {
    auto& values = forest_.target.values;
    while (true) {
      const std::string_view symbol = take_field(text, is_space);
      if (symbol.empty()) break;
      if (is_tail(symbol)) {
        tail(head, symbol);
        values.push_back(-static_cast<std::int32_t>(forest_.tails.row_size()));
      } else {
        values.push_back(words_.number(symbol) + 1);
      }
    }
    forest_.target.end_row();
    forest_.tails.end_row();
  }

  static bool is_tail(std::string_view symbol) {
    return symbol.size() > 2 && symbol.front() == '[' && symbol.back() == ']' &&
           std::all_of(symbol.begin() + 1, symbol.end() - 1, [](char c) { return c >= '0' && c <= '9'; });
  }

  void tail(std::int32_t head, std::string_view symbol) {
    const std::int32_t node = count_of(symbol.substr(1, symbol.size() - 2));
    if (node < 0) lines_.fail(shortened(symbol) + " is not a node");
    bool is_above = node < head;
    if (dialect_ == Dialect::joshua) {
      const auto place = std::lower_bound(nodes_.begin(), nodes_.end(), node) - nodes_.begin();
      is_above = is_above && nodes_[static_cast<std::size_t>(place)] == node;
      if (is_above) is_used_[static_cast<std::size_t>(place)] = 1;
    }
    if (!is_above && wrong_line_ == 0) wrong_line_ = lines_.number(), wrong_tail_ = node;
    forest_.tails.values.push_back(node);
  }

  void features(std::string_view text) {
    while (!text.empty()) {
      if (is_space_between(text[0]))
        text.remove_prefix(1);
      else if (!expected_feature(text))
        feature(take_field(text, [this](char c) { return is_space_between(c); }));
    }
    features_.end_edge();
  }

  // Returns whether a character separates features. Some versions of cdec write semicolons, others spaces.
  bool is_space_between(char c) const { return is_space(c) || (c == ';' && dialect_ == Dialect::cdec); }

  // Takes a feature with the expected name and a plain value from the front of a text. Returns false if there is
  // anything else.
  bool expected_feature(std::string_view& text) {
    const std::string_view name = features_.expected();
    const std::size_t before = name.size() + 1;
    if (name.empty() || text.size() <= before || text[before - 1] != '=' || text.substr(0, before - 1) != name)
      return false;
    PlainScore plain;
    const std::size_t size = plain.read(text.substr(before));
    if (size == 0 || (before + size < text.size() && !is_space_between(text[before + size]))) return false;
    features_.add(name, plain.value, lines_.number());
    text.remove_prefix(before + size);
    return true;
  }

  void feature(std::string_view field) {
    const std::size_t equals = field.rfind('=');
    if (equals == std::string_view::npos || equals == 0)
      lines_.fail(quoted(field) + " is not a feature; write name=value");
    const std::string_view value = field.substr(equals + 1);
    constexpr std::size_t longest = 1000;
    if (value.size() > longest) lines_.fail(quoted(value) + " is not a number");
    features_.add(field.substr(0, equals), parse_score(value, lines_.number()), lines_.number());
  }

  void covered(std::string_view field) {
    const std::int32_t count = count_of(field);
    if (count < 0) lines_.fail(quoted(field) + " is not a number of covered words");
    covered_.add(count == 0 ? std::string() : std::to_string(count));
  }

  // ---- What only the whole text shows ----

  ForestText finished() {
    if (wrong_line_ > 0)
      throw ParseError(wrong_line_, "[" + std::to_string(wrong_tail_) +
                       "] is not a node above this line; write each node before the nodes that use it");
    forest_.scores = features_.columns(forest_.head.size(), size_);
    if (features_.twice() >= 0)
      throw ParseError(features_.twice(), "feature " + quoted(features_.twice_name()) + " appears twice");
    forest_.words = words_.list();
    if (dialect_ == Dialect::moses) forest_.labels.emplace_back("covered", std::move(covered_));
    return std::move(forest_);
  }

  const std::size_t size_;
  const Dialect dialect_;
  TextLines lines_;
  Names words_;
  Features features_;
  LabelColumn covered_;
  std::vector<std::int32_t> nodes_;    // Joshua: the numbers of nodes, and whether an edge uses them
  std::vector<std::uint8_t> is_used_;
  std::int64_t wrong_line_ = 0;        // the first line with a tail that is no node above it; that tail
  std::int32_t wrong_tail_ = 0;
  ForestText forest_;
};

}  // namespace

ForestText parse_moses_hypergraph(std::string_view text) { return HypergraphParser(text, Dialect::moses).parse(); }
ForestText parse_target_graph(std::string_view text) { return HypergraphParser(text, Dialect::cdec).parse(); }
ForestText parse_joshua_hypergraph(std::string_view text) { return HypergraphParser(text, Dialect::joshua).parse(); }

}  // namespace latticemetric
