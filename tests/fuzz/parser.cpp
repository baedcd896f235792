// A libFuzzer target for one native parser, named by the macro PARSER: whatever the bytes are, it returns or raises
// a ParseError (or NotJson), and AddressSanitizer and UndefinedBehaviorSanitizer have nothing to say.
#include <cstdint>
#include <string_view>

#include "formats/arc_lines.hpp"
#include "formats/cdec_json.hpp"
#include "formats/hypergraph.hpp"
#include "formats/json.hpp"
#include "formats/kaldi_binary.hpp"
#include "formats/network_lines.hpp"
#include "formats/node_lines.hpp"
#include "formats/plf.hpp"
#include "formats/search_graph.hpp"
#include "formats/slf.hpp"
#include "formats/slf_lattice.hpp"
#include "formats/travatar_json.hpp"
#include "graphs/forest_order.hpp"

namespace {

using namespace latticemetric;

// Numbers of a parsed column are valid, or the parser has promised too much to Python.
void check(bool condition) {
  if (!condition) __builtin_trap();
}

// Labels are rows of their buffer, each of them something, and numbers name the rows one after the other.
template <typename T>
void check_labels(const LabelRows<T>& rows, const std::vector<std::int32_t>& arcs, const std::vector<std::int32_t>& ends) {
  check(rows.begin.front() == 0 && rows.begin.back() == static_cast<std::int64_t>(rows.values.size()));
  for (std::size_t row = 1; row < rows.begin.size(); ++row) check(rows.begin[row - 1] < rows.begin[row]);
  std::size_t named = 0;
  for (const auto* numbers : {&arcs, &ends}) {
    std::int32_t last = 0;
    for (const auto number : *numbers) {
      if (number == 0) continue;
      check(last < number && number < static_cast<std::int64_t>(rows.begin.size()));
      last = number;
      ++named;
    }
  }
  check(named + 1 == rows.begin.size());
  std::vector<std::int64_t> all(named);
  for (std::size_t row = 0; row < named; ++row) all[row] = static_cast<std::int64_t>(row);
  const auto taken = taken_rows(rows.begin.data(), rows.values.data(), all.data(), named);
  check(taken.begin == rows.begin && taken.values == rows.values);
}

// Every row is UTF-8; Python relies on it.
void check_texts(const LabelRows<char>& rows) {
  for (std::size_t row = 1; row < rows.begin.size(); ++row)
    check(is_utf8({rows.values.data() + rows.begin[row - 1], static_cast<std::size_t>(rows.begin[row] - rows.begin[row - 1])}));
}

void kaldi(std::string_view text) {
  auto lattice = parse_kaldi(text, false);
  const auto arcs = lattice.source.size(), finals = lattice.final.size();
  check(lattice.target.size() == arcs && lattice.cost[0].size() == arcs && lattice.cost[1].size() == arcs);
  check(lattice.transitions.size() == arcs && lattice.final_transitions.size() == finals);
  check_labels(lattice.transition_rows, lattice.transitions, lattice.final_transitions);
  check_texts(lattice.transition_rows);
  check(lattice.final_cost[0].size() == finals && lattice.word.take().size() == arcs);
}

void openfst(std::string_view text) {
  auto machine = parse_openfst(text);
  const auto arcs = machine.source.size();
  check(machine.target.size() == arcs && machine.cost[0].size() == arcs && machine.word.take().size() == arcs);
  check(!machine.has_output || machine.input.take().size() == arcs);
  check(machine.final_cost[0].size() == machine.final.size());
}

void plf(std::string_view text) {
  const auto lattice = parse_plf(text);
  for (const auto& column : lattice.costs) check(column.second.size() == lattice.source.size());
  for (const auto target : lattice.target) check(0 < target && target <= lattice.end);
  for (const auto word : lattice.word) check(0 <= word && word <= static_cast<std::int32_t>(lattice.words.words().size()));
}

void slf(std::string_view text) {
  const auto lattice = parse_slf(text);
  for (const auto* table : {&lattice.nodes, &lattice.links})
    for (const auto& column : table->columns) check(column.values.size() <= table->lines.size());
}

void search_graph(std::string_view text) {
  const auto graph = read_search_graph(text);
  if (!graph) return;
  const auto arcs = graph->source.size();
  check(graph->target.size() == arcs && graph->word.size() == arcs && graph->span.size() == arcs);
  check(graph->cost.size() == arcs && !graph->final.empty());
  for (std::size_t arc = 0; arc < arcs; ++arc) check(graph->source[arc] >= 0 && graph->target[arc] > 0);
  for (const auto word : graph->word)
    check(0 <= word && word <= static_cast<std::int32_t>(graph->words.words().size()));
}

void slf_lattice(std::string_view text) {
  const auto lattice = read_slf(text);
  if (!lattice) return;
  const auto arcs = lattice->source.size();
  check(lattice->target.size() == arcs && lattice->word.size() == arcs && lattice->final.size() == 1);
  for (std::size_t arc = 0; arc < arcs; ++arc)
    check(0 <= lattice->source[arc] && lattice->source[arc] < lattice->target[arc] &&
          lattice->target[arc] < lattice->states);
  check(lattice->final[0] == lattice->states - 1);
  for (const auto word : lattice->word) check(0 <= word && word <= static_cast<std::int32_t>(lattice->words.size()));
  for (const auto& scores : lattice->scores) check(scores.cost.size() == arcs && std::isfinite(scores.weight));
  check(lattice->times.empty() || lattice->times.size() == static_cast<std::size_t>(lattice->states));
  check(lattice->variant.empty() || lattice->variant.size() == arcs);
}

void check_nodes(const std::optional<NodeLattice>& lattice) {
  if (!lattice) return;
  const auto nodes = static_cast<std::int32_t>(lattice->word.size());
  const auto words = static_cast<std::int32_t>(lattice->words.words().size());
  const auto is_node = [nodes](std::int32_t node) { return 0 <= node && node < nodes; };
  check(is_node(lattice->initial) && is_node(lattice->final));
  for (const auto* ends : {&lattice->source, &lattice->target}) {
    check(ends->size() == lattice->score.size());
    for (const auto node : *ends) check(is_node(node));
  }
  for (const auto word : lattice->word) check(0 < word && word <= words);
}

void pfsg(std::string_view text) { check_nodes(read_pfsg(text)); }

void sphinx(std::string_view text) {
  const auto lattice = read_sphinx(text);
  check_nodes(lattice);
  check(!lattice || lattice->frame.size() == lattice->word.size());
}

void network(std::string_view text) {
  for (const auto& network : {read_mesh(text), read_moses_network(text)}) {
    if (!network) continue;
    check(network->word.size() == network->position.size() && network->cost.size() == network->position.size());
    std::int32_t last = 0;
    for (const auto position : network->position) check(last <= position && (last = position) < network->positions);
    for (const auto word : network->word)
      check(0 < word && word <= static_cast<std::int32_t>(network->words.words().size()));
    for (const auto cost : network->cost) check(std::isfinite(cost));
  }
}

void blocks(std::string_view text) {
  for (const bool at_end : {false, true}) {
    const auto rows = split_blocks(text, 0, at_end);
    std::int64_t before = 0;
    for (std::size_t k = 0; k < rows.size(); k += 4) {
      check(before <= rows[k] && rows[k] < rows[k + 1] && rows[k + 1] <= static_cast<std::int64_t>(text.size()));
      before = rows[k + 1];
    }
  }
}

void kaldi_binary(std::string_view data) {
  const auto size = kaldi_binary_size(data);
  check(size <= data.size());
  const auto machine = parse_kaldi_binary(data.substr(0, size));
  const auto arcs = machine.source.size(), finals = machine.final.size();
  check(machine.target.size() == arcs && machine.output.size() == arcs && machine.transitions.size() == arcs);
  check(machine.final_transitions.size() == finals && machine.final_cost[1].size() == finals);
  check_labels(machine.transition_rows, machine.transitions, machine.final_transitions);
  const auto& rows = machine.transition_rows;
  check_texts(joined_rows(rows.begin.data(), rows.values.data(), rows.begin.size() - 1));
}

void check_rows(const Rows& rows, std::size_t edges) {
  check(rows.begin.size() == edges + 1 && rows.begin[0] == 0);
  check(rows.begin[edges] == static_cast<std::int64_t>(rows.values.size()));
  for (std::size_t e = 0; e < edges; ++e) check(rows.begin[e] <= rows.begin[e + 1]);
}

void check_labels(std::vector<std::pair<const char*, LabelColumn>>& labels, std::size_t rows) {
  for (auto& label : labels) {
    const auto texts = static_cast<std::int32_t>(label.second.texts().size());
    const auto numbers = label.second.take();
    check(numbers.size() >= rows);
    for (const auto number : numbers) check(0 <= number && number <= texts);
  }
}

// Columns have a row an edge, and words and tails are numbers that Python will find; it checks the rest itself.
void check_forest(ForestText forest) {
  const auto edges = forest.head.size();
  check_rows(forest.tails, edges);
  check_rows(forest.target, edges);
  for (const auto& column : forest.scores) check(is_utf8(column.first) && column.second.size() == edges);
  for (const auto head : forest.head) check(head >= 0);
  for (const auto symbol : forest.target.values) check(symbol != 0 && symbol <= static_cast<std::int32_t>(forest.words.size()));
  for (const auto word : forest.words) check(!word.empty() && is_utf8(word));
  check_labels(forest.labels, edges);
  check_labels(forest.node_labels, forest.goals.empty() ? 0 : static_cast<std::size_t>(forest.goals[0]) + 1);
}

void moses_hypergraph(std::string_view text) { check_forest(parse_moses_hypergraph(text)); }
void target_graph(std::string_view text) { check_forest(parse_target_graph(text)); }
void joshua_hypergraph(std::string_view text) { check_forest(parse_joshua_hypergraph(text)); }
void cdec_json(std::string_view text) { check_forest(parse_cdec_json(text)); }
void travatar_json(std::string_view text) { check_forest(parse_travatar_json(text)); }

// Bytes as edges of a forest of few nodes: a head, and up to three tails.
void forest(std::string_view data) {
  constexpr std::int32_t nodes = 12;
  std::vector<std::int32_t> head, tail;
  std::vector<std::int64_t> begin{0};
  std::vector<std::uint8_t> is_goal(nodes, 0);
  for (std::size_t k = 0; k + 4 <= data.size() && k < 400; k += 4) {
    const auto byte = [&](std::size_t j) { return static_cast<unsigned char>(data[k + j]); };
    if (byte(0) >= 200) is_goal[byte(1) % nodes] = 1;
    head.push_back(byte(0) % nodes);
    for (std::size_t j = 1; j <= byte(0) / 16 % 4; ++j) tail.push_back(byte(j) % nodes);
    begin.push_back(static_cast<std::int64_t>(tail.size()));
  }
  const auto order = order_forest(nodes, static_cast<std::int64_t>(head.size()), head.data(), begin.data(), tail.data(),
                                  is_goal.data());
  if (order.on_cycle >= 0) {
    check(order.on_cycle < nodes);
    return;
  }
  for (const auto e : order.edges)
    for (auto k = begin[e]; k < begin[e + 1]; ++k)
      check(0 <= order.rank[tail[k]] && order.rank[tail[k]] < order.rank[head[e]]);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    PARSER(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const ParseError&) {
  } catch (const NotJson&) {
  }
  return 0;
}
