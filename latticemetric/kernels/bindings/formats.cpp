// Python bindings of the formats' parsers.
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "bindings/binding.hpp"
#include "bindings/graphs.hpp"
#include "formats/arc_lines.hpp"
#include "formats/cdec_json.hpp"
#include "formats/hypergraph.hpp"
#include "formats/json.hpp"
#include "formats/kaldi_binary.hpp"
#include "formats/kaldi_ids.hpp"
#include "formats/kaldi_order.hpp"
#include "formats/network_lines.hpp"
#include "formats/node_lines.hpp"
#include "formats/plf.hpp"
#include "formats/search_graph.hpp"
#include "formats/slf.hpp"
#include "formats/slf_lattice.hpp"
#include "formats/travatar_json.hpp"
#include "formats/word_nodes.hpp"

namespace latticemetric {
namespace {

using namespace nb::literals;

std::string_view as_view(const nb::bytes& text) { return {text.c_str(), text.size()}; }

nb::list to_strings(const std::vector<std::string_view>& texts) {
  nb::list list;
  for (const auto& text : texts) list.append(nb::str(text.data(), text.size()));
  return list;
}

// Returns word numbers, and the words in the order of their numbers from 1 on; `None` instead of words if the words are
// numbers themselves.
nb::tuple word_column(WordColumn& words) {
  nb::object texts = words.numeric() ? nb::none() : nb::object(to_strings(words.words()));
  return nb::make_tuple(column(words.take()), texts);
}

// Returns where the rows of labels begin, and their values.
template <typename T>
nb::tuple label_rows(LabelRows<T>&& rows) {
  using Value = std::conditional_t<sizeof(T) == 1, std::uint8_t, T>;
  auto owned = std::make_unique<std::vector<T>>(std::move(rows.values));
  auto* const values = reinterpret_cast<Value*>(owned->data());
  const std::size_t size = owned->size();
  nb::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::make_tuple(column(std::move(rows.begin)), Output<Value>(values, {size}, owner));
}

template <typename T>
void require_rows(const Input<std::int64_t>& begin, const Input<T>& values) {
  require_aligned(begin, values);
  require(begin.size() > 0 && begin.data()[0] == 0, "rows begin at 0");
  bool ascends = true;
  for (std::size_t k = 1; k < begin.size(); ++k) ascends &= begin.data()[k - 1] <= begin.data()[k];
  require(ascends && begin.data()[begin.size() - 1] == static_cast<std::int64_t>(values.size()),
          "rows are not in order");
}

template <typename T>
nb::tuple take_label_rows(Input<std::int64_t> begin, Input<T> values, Input<std::int64_t> rows) {
  require_rows(begin, values);
  require_aligned(rows);
  bool are_rows = true;
  for (std::size_t k = 0; k < rows.size(); ++k)
    are_rows &= rows.data()[k] >= 0 && rows.data()[k] + 1 < static_cast<std::int64_t>(begin.size());
  require(are_rows, "there is no such row");
  LabelRows<T> taken;
  {
    const KernelScope running;
    taken = taken_rows(begin.data(), values.data(), rows.data(), rows.size());
  }
  return label_rows(std::move(taken));
}

nb::tuple join_label_rows(Input<std::int64_t> begin, Input<std::int32_t> ids) {
  require_rows(begin, ids);
  LabelRows<char> texts;
  {
    const KernelScope running;
    texts = joined_rows(begin.data(), ids.data(), begin.size() - 1);
  }
  return label_rows(std::move(texts));
}

nb::object split_label_rows(Input<std::int64_t> begin, Input<std::uint8_t> texts) {
  require_rows(begin, texts);
  std::optional<LabelRows<std::int32_t>> rows;
  {
    const KernelScope running;
    rows = split_rows(begin.data(), reinterpret_cast<const char*>(texts.data()), begin.size() - 1);
  }
  return rows ? nb::object(label_rows(std::move(*rows))) : nb::none();
}

// Returns the word and the state of each node, and the node of each arc's word.
nb::tuple nodes_of_words(std::size_t states, Input<std::int32_t> near, Input<std::int32_t> far,
                         Input<std::int32_t> word, Input<std::uint8_t> is_bare) {
  require_aligned(near, far, word);
  require(near.size() == word.size() && far.size() == word.size() && is_bare.size() == states, "sizes differ");
  bool are_states = true;
  for (std::size_t a = 0; a < near.size(); ++a)
    are_states &= near.data()[a] >= 0 && static_cast<std::size_t>(near.data()[a]) < states;
  require(are_states, "there is no such state");
  WordNodes nodes;
  {
    const KernelScope running;
    nodes = word_nodes(states, near.data(), far.data(), word.data(), word.size(), is_bare.data());
  }
  return nb::make_tuple(column(std::move(nodes.word)), column(std::move(nodes.state)), column(std::move(nodes.of_arc)));
}

// Returns the scores of costs as texts; `None` if one is not usual.
nb::object scores_of_pfsg(Input<double> costs) {
  require_aligned(costs);
  std::optional<WrittenScores> scores;
  {
    const KernelScope running;
    scores = pfsg_scores(costs.data(), costs.size());
  }
  if (!scores) return nb::none();
  return nb::make_tuple(nb::bytes(scores->text.data(), scores->text.size()), column(std::move(scores->end)));
}

// Returns the columns that Kaldi's text, Kaldi's binary and OpenFst's text formats share.
template <typename Machine>
nb::dict arc_columns(Machine& machine) {
  nb::dict result;
  result["start"] = machine.start;
  result["source"] = column(std::move(machine.source));
  result["target"] = column(std::move(machine.target));
  result["final"] = column(std::move(machine.final));
  for (int k = 0; k < 2; ++k) {
    const std::string name = "cost" + std::to_string(k), final_name = "final_cost" + std::to_string(k);
    result[name.c_str()] = column(std::move(machine.cost[k]));
    result[final_name.c_str()] = column(std::move(machine.final_cost[k]));
  }
  result["transition_rows"] = label_rows(std::move(machine.transition_rows));
  result["transitions"] = column(std::move(machine.transitions));
  result["final_transitions"] = column(std::move(machine.final_transitions));
  return result;
}

template <typename Parse>
nb::dict parse_arc_lines(std::string_view text, const Parse& parse) {
  ArcLines lines;
  {
    const KernelScope running;
    lines = parse(text);
  }
  nb::dict result = arc_columns(lines);
  result["word"] = word_column(lines.word);
  result["input"] = lines.has_output ? nb::object(word_column(lines.input)) : nb::none();
  result["weighted"] = lines.weighted;
  return result;
}

// Returns a part of some bytes.
std::string_view part_of(const nb::bytes& whole, std::size_t begin, std::size_t end) {
  require(begin <= end && end <= whole.size(), "the part lies beyond the end of the bytes");
  return as_view(whole).substr(begin, end - begin);
}

nb::dict parse_kaldi_text(nb::bytes whole, std::size_t begin, std::size_t end, bool symbols) {
  return parse_arc_lines(part_of(whole, begin, end),
                         [symbols](std::string_view lines) { return parse_kaldi(lines, symbols); });
}

// Returns a column that Python cannot change.
template <typename T>
nb::ndarray<nb::numpy, const T> constant(std::vector<T> values) {
  if (values.empty()) values.reserve(1);  // without a place in memory, NumPy would make an array of its own
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  const T* const data = owned->data();
  const std::size_t size = owned->size();
  nb::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {data, {size}, owner};
}

// Returns a lattice whose columns are sorted: the number of states, source, target, word, final, the costs of arcs and
// final states by column, and the labels: `None` if the text has none.
template <typename Machine>
nb::tuple sorted_lattice(std::int32_t states, Machine& machine, std::vector<std::int32_t>& word, bool has_labels) {
  nb::object labels = nb::none();
  if (has_labels)
    labels = nb::make_tuple(constant(std::move(machine.transitions)), constant(std::move(machine.final_transitions)),
                            label_rows(std::move(machine.transition_rows)));
  return nb::make_tuple(states, constant(std::move(machine.source)), constant(std::move(machine.target)),
                        constant(std::move(word)), constant(std::move(machine.final)),
                        nb::make_tuple(constant(std::move(machine.cost[0])), constant(std::move(machine.final_cost[0]))),
                        nb::make_tuple(constant(std::move(machine.cost[1])), constant(std::move(machine.final_cost[1]))),
                        labels);
}

nb::object read_kaldi_text(nb::bytes whole, std::size_t begin, std::size_t end, bool symbols, bool may_move) {
  const auto text = part_of(whole, begin, end);
  ArcLines lines;
  std::vector<std::int32_t> word;
  std::int32_t states = 0;
  bool has_labels = false;
  {
    const KernelScope running;
    lines = parse_kaldi(text, symbols);
    word = lines.word.take();
    has_labels = lines.transition_rows.begin.size() > 1;
    if (!may_be_weights(lines)) states = sort_columns(lines, word, may_move);
  }
  if (states == 0) return nb::none();
  nb::object words = lines.word.numeric() ? nb::none() : nb::object(to_strings(lines.word.words()));
  return nb::make_tuple(sorted_lattice(states, lines, word, has_labels), words);
}

nb::dict parse_openfst_text(nb::bytes text) { return parse_arc_lines(as_view(text), parse_openfst); }

nb::dict parse_plf_line(nb::bytes text) {
  PlfLattice lattice;
  {
    const KernelScope running;
    lattice = latticemetric::parse_plf(as_view(text));
  }
  nb::dict result, costs;
  for (auto& [name, values] : lattice.costs) costs[nb::str(name.data(), name.size())] = column(std::move(values));
  result["costs"] = costs;
  result["source"] = column(std::move(lattice.source));
  result["target"] = column(std::move(lattice.target));
  result["word"] = column(std::move(lattice.word));
  result["words"] = to_strings(lattice.words.words());
  result["end"] = lattice.end;
  return result;
}

// Returns a column of whole numbers in 0 .. 2^31 - 2; nothing if a value is missing or of another kind.
std::optional<std::vector<std::int32_t>> whole_numbers(const SlfColumn& field, std::size_t rows) {
  if (field.values.size() != rows) return std::nullopt;
  std::vector<std::int32_t> numbers(rows);
  for (std::size_t row = 0; row < rows; ++row)
    if (!parse_number(field.values[row], numbers[row])) return std::nullopt;
  return numbers;
}

// Returns a column of numbers (NaN where one is missing) if all values are numbers; otherwise word numbers and words.
nb::object slf_column(const SlfColumn& field, const std::vector<std::int64_t>& lines, bool is_text) {
  static constexpr std::string_view states[] = {"I", "J", "S", "E", "START", "END"};
  if (std::find(std::begin(states), std::end(states), field.name) != std::end(states))
    if (auto whole = whole_numbers(field, lines.size())) return nb::cast(column(std::move(*whole)));
  std::vector<double> numbers;
  bool numeric = !is_text;
  numbers.reserve(field.values.size());
  for (std::size_t row = 0; numeric && row < field.values.size(); ++row) {
    if (field.values[row].empty())
      numbers.push_back(std::nan(""));
    else
      try {
        numbers.push_back(parse_score(field.values[row], lines[row]));
      } catch (const ParseError& error) {
        // A number that is not finite is an error. Any other text makes this a column of words.
        if (std::string_view(error.what()).find("finite") != std::string_view::npos) throw;
        numeric = false;
      }
  }
  if (numeric) {
    numbers.resize(lines.size(), std::nan(""));
    return nb::cast(column(std::move(numbers)));
  }
  Words words;
  std::vector<std::int32_t> ids;
  for (std::size_t row = 0; row < field.values.size(); ++row)
    ids.push_back(words.number(field.values[row], lines[row]));
  ids.resize(lines.size(), 0);
  return nb::make_tuple(column(std::move(ids)), to_strings(words.words()));
}

// Returns the columns of a sorted lattice; `None` if the file is not usual.
nb::object read_slf_text(nb::bytes text) {
  std::optional<SlfLattice> lattice;
  {
    const KernelScope running;
    lattice = read_slf(as_view(text));
  }
  if (!lattice) return nb::none();
  nb::list scores;
  for (auto& [field, weight, cost] : lattice->scores)
    scores.append(nb::make_tuple(field, weight, constant(std::move(cost))));
  const auto optional = [](auto& values) { return values.empty() ? nb::none() : nb::cast(constant(std::move(values))); };
  const nb::object times = optional(lattice->times), variant = optional(lattice->variant);
  const auto texts = nb::make_tuple(constant(std::move(lattice->word)), nb::cast(lattice->words));
  const auto variants = nb::make_tuple(variant, nb::cast(lattice->variants));
  return nb::make_tuple(lattice->states, constant(std::move(lattice->source)), constant(std::move(lattice->target)), texts,
                        constant(std::move(lattice->final)), scores, lattice->word_penalty, times, variants);
}

nb::dict slf_table(const SlfTable& table, const std::vector<std::string>& texts) {
  nb::dict result;
  for (const auto& field : table.columns) {
    bool is_text = false;
    for (const auto& name : texts) is_text = is_text || field.name == name;
    result[nb::str(field.name.data(), field.name.size())] = slf_column(field, table.lines, is_text);
  }
  result["line"] = column(std::vector<std::int64_t>(table.lines));
  return result;
}

nb::dict parse_slf_text(nb::bytes text, std::vector<std::string> texts) {
  SlfText parsed;
  {
    const KernelScope running;
    parsed = parse_slf(as_view(text));
  }
  nb::list header;
  for (const auto& field : parsed.header) {
    if (!is_utf8(field.name) || !is_utf8(field.value))
      throw ParseError(field.line, "the header is not UTF-8; convert the file with iconv");
    header.append(nb::make_tuple(nb::str(field.name.data(), field.name.size()),
                                 nb::str(field.value.data(), field.value.size()), field.line));
  }
  nb::dict result;
  result["header"] = header;
  result["nodes"] = slf_table(parsed.nodes, texts);
  result["links"] = slf_table(parsed.links, texts);
  return result;
}

// Returns the columns of a lattice with words on nodes; `None` if the file is not usual.
template <std::optional<NodeLattice> (*read)(std::string_view)>
nb::object read_node_lattice(nb::bytes text) {
  std::optional<NodeLattice> lattice;
  {
    const KernelScope running;
    lattice = read(as_view(text));
  }
  if (!lattice) return nb::none();
  nb::dict result;
  result["texts"] = nb::make_tuple(column(std::move(lattice->word)), to_strings(lattice->words.words()));
  result["initial"] = lattice->initial;
  result["final"] = lattice->final;
  result["source"] = column(std::move(lattice->source));
  result["target"] = column(std::move(lattice->target));
  result["score"] = column(std::move(lattice->score));
  result["end"] = lattice->frames;
  result["frames"] = column(std::move(lattice->frame));
  return result;
}

// Returns the number of positions, and by arc its position, its word and its cost; `None` if the file is not usual.
template <std::optional<NetworkLines> (*read)(std::string_view)>
nb::object read_network(nb::bytes whole, std::size_t begin, std::size_t end) {
  const auto text = part_of(whole, begin, end);
  std::optional<NetworkLines> network;
  {
    const KernelScope running;
    network = read(text);
  }
  if (!network) return nb::none();
  const auto texts = nb::make_tuple(column(std::move(network->word)), to_strings(network->words.words()));
  return nb::make_tuple(network->positions, column(std::move(network->position)), texts,
                        column(std::move(network->cost)));
}

// Returns the columns of arcs and the final states; `None` if the file is not usual.
nb::object read_moses_search_graph(nb::bytes text) {
  std::optional<SearchGraph> graph;
  {
    const KernelScope running;
    graph = read_search_graph(as_view(text));
  }
  if (!graph) return nb::none();
  const auto words = nb::make_tuple(column(std::move(graph->word)), to_strings(graph->words.words()));
  const auto spans = nb::make_tuple(column(std::move(graph->span)), to_strings(graph->spans.words()));
  return nb::make_tuple(column(std::move(graph->source)), column(std::move(graph->target)), words,
                        column(std::move(graph->final)), column(std::move(graph->cost)), spans);
}

nb::tuple rows(Rows& rows) { return nb::make_tuple(column(std::move(rows.begin)), column(std::move(rows.values))); }

nb::dict label_columns(std::vector<std::pair<const char*, LabelColumn>>& labels) {
  nb::dict result;
  for (auto& [name, label] : labels)
    if (!label.texts().empty()) result[name] = nb::make_tuple(column(label.take()), nb::cast(label.texts()));
  return result;
}

template <ForestText (*parse)(std::string_view)>
nb::dict parse_forest(nb::bytes text) {
  ForestText forest;
  {
    const KernelScope running;
    forest = parse(as_view(text));
  }
  nb::dict result, scores;
  for (auto& [name, costs] : forest.scores) scores[nb::str(name.data(), name.size())] = column(std::move(costs));
  result["scores"] = scores;
  result["head"] = column(std::move(forest.head));
  result["tails"] = rows(forest.tails);
  result["target"] = rows(forest.target);
  result["goals"] = column(std::move(forest.goals));
  result["words"] = to_strings(forest.words);
  result["labels"] = label_columns(forest.labels);
  result["node_labels"] = label_columns(forest.node_labels);
  result["sentence"] = forest.sentence;
  result["has_total"] = forest.has_total;
  return result;
}

Output<std::int64_t> split_text_blocks(nb::bytes text, std::size_t begin, bool at_end) {
  require(begin <= text.size(), "the text begins after its end");
  std::vector<std::int64_t> blocks;
  {
    const KernelScope running;
    blocks = split_blocks(as_view(text), begin, at_end);
  }
  const auto rows = blocks.size() / 4;
  return to_numpy(std::move(blocks), {rows, 4});
}

nb::object read_kaldi_machine(nb::bytes whole, std::size_t begin, std::size_t end, bool may_move) {
  const auto bytes = part_of(whole, begin, end);
  KaldiMachine machine;
  std::int32_t states = 0;
  bool has_labels = false;
  {
    const KernelScope running;
    machine = parse_kaldi_binary(bytes);
    has_labels = machine.transition_rows.begin.size() > 1;
    if (has_valid_numbers(machine)) states = sort_columns(machine, machine.output, may_move);
  }
  if (states == 0) return nb::none();
  return sorted_lattice(states, machine, machine.output, has_labels);
}

nb::list ids_of_blocks(nb::bytes text, nb::ndarray<const std::int64_t, nb::shape<-1, 4>, nb::c_contig, nb::device::cpu> blocks) {
  const auto* const rows = blocks.data();
  for (std::size_t k = 0; k < blocks.shape(0); ++k)
    require(0 <= rows[4 * k] && rows[4 * k] <= rows[4 * k + 1] &&
                rows[4 * k + 1] <= static_cast<std::int64_t>(text.size()),
            "a block lies beyond the text");
  std::vector<std::string_view> ids;
  {
    const KernelScope running;
    ids = kaldi_ids(as_view(text), rows, blocks.shape(0));
  }
  nb::list found;
  for (const auto id : ids) found.append(nb::str(id.data(), id.size()));
  return found;
}

nb::dict parse_kaldi_machine(nb::bytes whole, std::size_t begin, std::size_t end) {
  const auto bytes = part_of(whole, begin, end);
  KaldiMachine machine;
  {
    const KernelScope running;
    machine = parse_kaldi_binary(bytes);
  }
  nb::dict result = arc_columns(machine);
  result["word"] = column(std::move(machine.output));
  return result;
}

// Weights from Python: graph costs, acoustic costs, where the transition ids of each begin, ids.
using Weights = std::tuple<Input<float>, Input<float>, Input<std::int64_t>, Input<std::int32_t>>;

KaldiWeights checked_weights(const Weights& weights, std::size_t count) {
  const auto& [graph, acoustic, begin, ids] = weights;
  require_aligned(graph, acoustic);
  require_rows(begin, ids);
  require(graph.size() == count && acoustic.size() == count && begin.size() == count + 1, "weights differ in length");
  return {graph.data(), acoustic.data(), begin.data(), ids.data()};
}

nb::bytes write_kaldi_machine(std::int32_t states, Input<std::int32_t> source, Input<std::int32_t> target,
                              Input<std::int32_t> word, Weights arcs, Input<std::int32_t> final, Weights ends) {
  require_arcs(source, target, states);
  require_aligned(word, final);
  require(word.size() == source.size(), "source and word differ in length");
  const WrittenKaldiMachine machine{states,        source.size(), final.size(),
                                    source.data(), target.data(), word.data(),
                                    final.data(),  checked_weights(arcs, source.size()),
                                    checked_weights(ends, final.size())};
  std::string bytes;
  {
    const KernelScope running;
    bytes = write_kaldi_binary(machine);
  }
  return nb::bytes(bytes.data(), bytes.size());
}

// Returns where the machine that begins at an offset ends; `None` if the bytes end before it does.
nb::object skip_kaldi_machine(nb::bytes data, std::size_t begin) {
  require(begin <= data.size(), "the offset lies beyond the end");
  std::size_t size = 0;
  {
    const KernelScope running;
    size = kaldi_binary_size(as_view(data).substr(begin));
  }
  return size == 0 ? nb::none() : nb::object(nb::int_(begin + size));
}

}  // namespace

void bind_formats(nb::module_& m) {
  // ParseError(line, message[, place]): Python's readers add the file name and turn it into an error of the package.
  static nb::object parse_error =
      nb::steal(PyErr_NewException("latticemetric._native.ParseError", PyExc_ValueError, nullptr));
  m.attr("ParseError") = parse_error;
  nb::register_exception_translator([](const std::exception_ptr& raised, void*) {
    try {
      std::rethrow_exception(raised);
    } catch (const ParseError& error) {
      nb::tuple arguments = nb::make_tuple(error.line, error.what());
      if (!error.place.empty()) arguments = nb::make_tuple(error.line, error.what(), error.place);
      PyErr_SetObject(parse_error.ptr(), arguments.ptr());
    }
  });
  nb::exception<NotJson>(m, "NotJsonError", PyExc_ValueError);
  m.def("parse_kaldi", &parse_kaldi_text, "whole"_a, "begin"_a, "end"_a, "symbols"_a = false);
  m.def("read_kaldi", &read_kaldi_text, "whole"_a, "begin"_a, "end"_a, "symbols"_a, "may_move"_a);
  m.def("read_kaldi_binary", &read_kaldi_machine, "whole"_a, "begin"_a, "end"_a, "may_move"_a);
  m.def("parse_kaldi_binary", &parse_kaldi_machine, "whole"_a, "begin"_a, "end"_a);
  m.def("write_kaldi_binary", &write_kaldi_machine, "states"_a, "source"_a, "target"_a, "word"_a, "arcs"_a, "final"_a,
        "ends"_a);
  m.def("skip_kaldi_binary", &skip_kaldi_machine, "data"_a, "begin"_a);
  // Without conversion: rows of another width would make nanobind take the first of these for any values.
  m.def("take_rows", &take_label_rows<std::int32_t>, "begin"_a, "values"_a.noconvert(), "rows"_a);
  m.def("take_rows", &take_label_rows<std::uint8_t>, "begin"_a, "values"_a.noconvert(), "rows"_a);
  m.def("join_rows", &join_label_rows, "begin"_a, "ids"_a);
  m.def("split_rows", &split_label_rows, "begin"_a, "texts"_a);
  m.def("parse_openfst", &parse_openfst_text, "text"_a);
  m.def("word_nodes", &nodes_of_words, "states"_a, "near"_a, "far"_a, "word"_a, "is_bare"_a);
  m.def("pfsg_scores", &scores_of_pfsg, "costs"_a);
  m.def("parse_plf", &parse_plf_line, "text"_a);
  m.def("parse_slf", &parse_slf_text, "text"_a, "texts"_a);
  m.def("read_search_graph", &read_moses_search_graph, "text"_a);
  m.def("read_slf", &read_slf_text, "text"_a);
  m.def("read_pfsg", &read_node_lattice<read_pfsg>, "text"_a);
  m.def("read_sphinx", &read_node_lattice<read_sphinx>, "text"_a);
  m.def("read_mesh", &read_network<read_mesh>, "whole"_a, "begin"_a, "end"_a);
  m.def("read_moses_network", &read_network<read_moses_network>, "whole"_a, "begin"_a, "end"_a);
  m.def("parse_moses_hypergraph", &parse_forest<parse_moses_hypergraph>, "text"_a);
  m.def("parse_target_graph", &parse_forest<parse_target_graph>, "text"_a);
  m.def("parse_joshua_hypergraph", &parse_forest<parse_joshua_hypergraph>, "text"_a);
  m.def("parse_cdec_json", &parse_forest<parse_cdec_json>, "text"_a);
  m.def("parse_travatar_json", &parse_forest<parse_travatar_json>, "text"_a);
  m.def("split_blocks", &split_text_blocks, "text"_a, "begin"_a, "at_end"_a);
  m.def("kaldi_ids", &ids_of_blocks, "text"_a, "blocks"_a);
}

}  // namespace latticemetric
