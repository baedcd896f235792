#include "formats/search_graph.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "formats/usual_lines.hpp"

namespace latticemetric {
namespace {

// A hypothesis and the arc into it; the first hypothesis has no arc.
struct Hypothesis {
  std::int32_t number = 0, stack = 0, back = 0, survivor = 0;
  bool is_complete = false, has_forward = false;
  double cost = 0;
  std::string_view covered;  // empty if it covers nothing
  std::string_view words;
};

// The fields of a line, name=value; `out` extends to its end.
class SearchFields {
 public:
  enum Field { hyp, stack, forward, fscore, back, score, transition, recombined, covered, out };

  explicit SearchFields(std::string_view line) {
    while (!line.empty()) {
      const std::size_t equals = std::min(line.find('='), line.size());
      const auto field = field_of(line.substr(0, equals));
      if (std::exchange(has_[field], true) || equals == line.size()) throw Unusual{};
      line.remove_prefix(equals + 1);
      const std::size_t size = field == out ? line.size() : std::min(line.find_first_of(" \t"), line.size());
      value_[field] = line.substr(0, size);
      if (size > 0 && field != out && (line[0] == '"' || line[0] == '[')) throw Unusual{};
      line.remove_prefix(size);
      while (!line.empty() && (line[0] == ' ' || line[0] == '\t')) line.remove_prefix(1);
    }
  }

  bool has(Field field) const { return has_[field]; }

  std::string_view operator[](Field field) const {
    if (!has_[field]) throw Unusual{};
    return value_[field];
  }

 private:
  static Field field_of(std::string_view name) {
    static constexpr std::string_view names[] = {"hyp",   "stack",      "forward",    "fscore",  "back",
                                                 "score", "transition", "recombined", "covered", "out"};
    for (std::size_t k = 0; k < 10; ++k)
      if (names[k] == name) return static_cast<Field>(k);
    throw Unusual{};
  }

  bool has_[10] = {};
  std::string_view value_[10];
};

// Returns the span of a source, such as 2-4; nothing if it is empty, such as 1-0.
std::string_view source_span(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos || dash > 9 || text.size() - dash > 10) throw Unusual{};
  const auto first = usual_number(text.substr(0, dash)), last = usual_number(text.substr(dash + 1));
  return first <= last ? text : std::string_view();
}

Hypothesis read_hypothesis(std::string_view line) {
  if (line.find_first_of("\r\f\v") != std::string_view::npos) throw Unusual{};
  take_field(line, is_space);  // the number of the sentence
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos || line.substr(begin, 4) != "hyp=") throw Unusual{};
  using F = SearchFields;
  const F fields(line.substr(begin));
  Hypothesis read;
  read.number = read.survivor = usual_number(fields[F::hyp]);
  read.stack = usual_number(fields[F::stack]);
  for (const auto field : {F::score, F::fscore})
    if (fields.has(field)) usual_score(fields[field]);
  read.has_forward = fields.has(F::forward);
  if (read.has_forward || read.number != 0) {
    read.is_complete = fields[F::forward] == "-1";
    if (!read.is_complete) usual_number(fields[F::forward]);
  }
  if (read.number == 0) {
    for (const auto field : {F::back, F::score, F::transition, F::recombined, F::covered, F::out})
      if (fields.has(field)) throw Unusual{};
    return read;
  }
  read.back = usual_number(fields[F::back]);
  if (fields.has(F::recombined)) read.survivor = usual_number(fields[F::recombined]);
  if (fields.has(F::recombined) && read.survivor == read.number) throw Unusual{};
  read.cost = 0.0 - usual_score(fields[F::transition]);
  if (fields.has(F::covered)) read.covered = source_span(fields[F::covered]);
  read.words = fields[F::out];
  if (read.words.find(", pC=") != std::string_view::npos) throw Unusual{};
  return read;
}

// Numbers the states: the hypotheses that were not recombined into others.
class SearchStates {
 public:
  explicit SearchStates(const std::vector<Hypothesis>& lines) {
    std::vector<std::int32_t> numbers;
    for (const auto& line : lines) {
      const bool is_state = line.survivor == line.number;
      if (!into_.emplace(line.number, line.survivor).second) throw Unusual{};
      if (!is_state) continue;
      stack_.emplace(line.number, line.stack);
      numbers.push_back(line.number);
    }
    std::sort(numbers.begin(), numbers.end());
    if (numbers.empty() || numbers[0] != 0) throw Unusual{};
    for (std::size_t state = 0; state < numbers.size(); ++state)
      state_.emplace(numbers[state], static_cast<std::int32_t>(state));
  }

  std::int32_t size() const { return static_cast<std::int32_t>(state_.size()); }

  // Returns the states of an arc.
  std::pair<std::int32_t, std::int32_t> ends(const Hypothesis& line) {
    const auto from = survivor(line.back), to = survivor(line.survivor);
    if (stack_.at(from) >= stack_.at(to)) throw Unusual{};
    return {state_.at(from), state_.at(to)};
  }

 private:
  std::int32_t survivor(std::int32_t hypothesis) {
    std::vector<std::int32_t> passed;
    for (;;) {
      const auto entry = into_.find(hypothesis);
      if (entry == into_.end() || passed.size() > into_.size()) throw Unusual{};
      if (entry->second == hypothesis) break;
      passed.push_back(hypothesis);
      hypothesis = entry->second;
    }
    poll(static_cast<std::int64_t>(passed.size()));
    for (const auto one : passed) into_[one] = hypothesis;
    return hypothesis;
  }

  std::unordered_map<std::int32_t, std::int32_t> into_, stack_, state_;
};

void add_arcs(SearchGraph& graph, const Hypothesis& line, std::pair<std::int32_t, std::int32_t> ends,
              std::int32_t& inner) {
  auto words = line.words;
  auto from = ends.first;
  graph.cost.push_back(line.cost);
  graph.span.push_back(graph.spans.number(line.covered, 0));
  for (auto word = take_field(words, is_space);;) {
    const auto next = take_field(words, is_space);
    graph.source.push_back(from);
    graph.word.push_back(graph.words.number(word, 0));
    if (next.empty()) break;
    poll(50);
    if (inner == INT32_MAX - 1) throw Unusual{};
    graph.target.push_back(from = inner++);
    graph.cost.push_back(0);
    graph.span.push_back(0);
    word = next;
  }
  graph.target.push_back(ends.second);
}

SearchGraph usual_search_graph(std::string_view text) {
  std::vector<Hypothesis> lines;
  UsualLines rest(text);
  std::string_view line;
  while (rest.next(line)) {
    while (is_space(line.back())) line.remove_suffix(1);
    lines.push_back(read_hypothesis(line));
  }
  SearchStates states(lines);
  SearchGraph graph;
  const auto begin = std::find_if(lines.begin(), lines.end(), [](const auto& one) { return one.number == 0; });
  std::unordered_set<std::int32_t> complete;
  const auto add_end = [&](std::int32_t state) {
    if (complete.insert(state).second) graph.final.push_back(state);
  };
  // If the first line does not say so, its hypothesis is complete only if the graph has no other hypothesis.
  if (begin->is_complete || (!begin->has_forward && lines.size() == 1)) add_end(0);
  auto inner = states.size();
  for (const auto& one : lines) {
    if (one.number == 0) continue;
    const auto ends = states.ends(one);
    if (one.is_complete) add_end(ends.second);
    add_arcs(graph, one, ends, inner);
  }
  if (graph.final.empty()) throw Unusual{};
  return graph;
}

}  // namespace

std::optional<SearchGraph> read_search_graph(std::string_view text) {
  return if_usual([text] { return usual_search_graph(text); });
}

}  // namespace latticemetric
