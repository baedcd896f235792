// The border to Python: array shapes and bounds are checked here, the GIL is released, no policy is made.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "alignment.hpp"
#include "arc_lines.hpp"
#include "best_path.hpp"
#include "plf.hpp"
#include "recognition_search.hpp"
#include "slf.hpp"
#include "topology.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <typename T>
using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename T>
using Output = nb::ndarray<nb::numpy, T>;

template <typename T>
Output<T> to_numpy(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* data = owned->data();
  nb::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Output<T>(data, shape, owner);
}

void require(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

// NumPy can make arrays that the machine's own types cannot stand at.
template <typename... T>
void require_aligned(const Input<T>&... arrays) {
  require(((reinterpret_cast<std::uintptr_t>(arrays.data()) % alignof(T) == 0) && ...), "an array is not aligned");
}

void require_ids(const Input<std::int32_t>& ids, std::int64_t below, const char* message) {
  for (std::size_t k = 0; k < ids.size(); ++k) require(ids.data()[k] >= 0 && ids.data()[k] < below, message);
}

latticemetric::Gains checked_gains(std::int32_t order, std::int64_t unit, std::int64_t alpha, std::int64_t beta) {
  require(order >= 1 && order < 255, "the order must lie in 1 .. 254");
  require(unit >= 1, "the unit must be positive");
  return {order, unit, alpha, beta};
}

nb::tuple order_states(Input<std::int32_t> source, Input<std::int32_t> target, std::int32_t start,
                       Input<std::uint8_t> is_final) {
  const auto states = static_cast<std::int32_t>(is_final.size());
  require_aligned(source, target, is_final);
  require(source.size() == target.size(), "source and target differ in length");
  require(start >= 0 && start < states, "the start is not a state");
  require_ids(source, states, "a source is not a state");
  require_ids(target, states, "a target is not a state");
  latticemetric::Topology topology;
  {
    nb::gil_scoped_release release;
    topology = latticemetric::order_states(states, source.data(), target.data(),
                                           static_cast<std::int64_t>(source.size()), start, is_final.data());
  }
  const auto size = topology.rank.size();
  return nb::make_tuple(to_numpy(std::move(topology.rank), {size}), topology.kept, topology.in_order, topology.on_cycle);
}

void require_lattice(const Input<std::int32_t>& source, const Input<std::int32_t>& target, std::int32_t states) {
  const auto arcs = source.size();
  require_aligned(source, target);
  require(target.size() == arcs, "source and target differ in length");
  for (std::size_t a = 0; a < arcs; ++a) {
    require(0 <= source.data()[a] && source.data()[a] < target.data()[a] && target.data()[a] < states,
            "arcs must go from smaller to larger states");
    require(a == 0 || source.data()[a - 1] <= source.data()[a], "arcs must be sorted by source");
  }
}

Output<std::int64_t> best_path(Input<std::int32_t> source, Input<std::int32_t> target, Input<double> cost,
                               Input<std::uint8_t> is_word, Input<double> final_cost) {
  const auto states = static_cast<std::int32_t>(final_cost.size());
  const auto arcs = source.size();
  require_lattice(source, target, states);
  require_aligned(cost, is_word, final_cost);
  require(cost.size() == arcs && is_word.size() == arcs, "columns differ in length");
  std::vector<std::int64_t> path;
  {
    nb::gil_scoped_release release;
    path = latticemetric::best_path(states, static_cast<std::int64_t>(arcs), source.data(), target.data(),
                                    cost.data(), is_word.data(), final_cost.data());
  }
  const auto size = path.size();
  return to_numpy(std::move(path), {size});
}

// The gain may need more than 64 bits: it is returned as its high and its low half.
nb::tuple search_lattice(Input<std::int32_t> source, Input<std::int32_t> target, Input<std::int32_t> label,
                         Input<std::uint8_t> is_word, Input<double> cost, Input<double> final_cost,
                         Input<std::int32_t> reference, std::int32_t order, std::int64_t unit, std::int64_t alpha,
                         std::int64_t beta) {
  const auto states = static_cast<std::int32_t>(final_cost.size());
  const auto arcs = source.size();
  require(states > 0, "a lattice has a start");
  require_aligned(label, is_word, cost, final_cost, reference);
  require_lattice(source, target, states);
  require(label.size() == arcs && is_word.size() == arcs && cost.size() == arcs, "columns differ in length");
  require(reference.size() < (std::size_t{1} << 24), "the reference is too long");
  const auto gains = checked_gains(order, unit, alpha, beta);
  const latticemetric::Graph graph{states,       static_cast<std::int64_t>(arcs), source.data(), target.data(),
                                   label.data(), is_word.data(),                  cost.data(),   final_cost.data()};
  latticemetric::Best best;
  {
    nb::gil_scoped_release release;
    best = latticemetric::search_lattice(graph, reference.data(), static_cast<std::int32_t>(reference.size()), gains);
  }
  const auto size = best.arcs.size();
  return nb::make_tuple(to_numpy(std::move(best.arcs), {size}), static_cast<std::int64_t>(best.gain >> 64),
                        static_cast<std::uint64_t>(best.gain));
}

std::string align(Input<std::int32_t> candidate, Input<std::int32_t> reference, std::int32_t order,
                  std::int64_t unit, std::int64_t alpha, std::int64_t beta) {
  require_aligned(candidate, reference);
  latticemetric::Aligner aligner(checked_gains(order, unit, alpha, beta));
  nb::gil_scoped_release release;
  return aligner.align(candidate.data(), static_cast<std::int64_t>(candidate.size()), reference.data(),
                       static_cast<std::int64_t>(reference.size()));
}

// Pair p is candidate words candidate_begin[p] .. candidate_begin[p + 1], and likewise for its reference.
Output<std::int64_t> count_pairs(Input<std::int32_t> candidates, Input<std::int64_t> candidate_begin,
                                 Input<std::int32_t> references, Input<std::int64_t> reference_begin,
                                 std::int32_t order, std::int64_t unit, std::int64_t alpha, std::int64_t beta) {
  const auto check = [](const Input<std::int64_t>& begin, std::size_t words) {
    require(begin.size() >= 1 && begin.data()[0] == 0, "the first string must begin at 0");
    for (std::size_t p = 1; p < begin.size(); ++p)
      require(begin.data()[p - 1] <= begin.data()[p], "strings must follow one another");
    require(static_cast<std::size_t>(begin.data()[begin.size() - 1]) == words, "the last string must end at the end");
  };
  require_aligned(candidates, candidate_begin, references, reference_begin);
  check(candidate_begin, candidates.size());
  check(reference_begin, references.size());
  require(candidate_begin.size() == reference_begin.size(), "there must be one reference a candidate");
  latticemetric::Aligner aligner(checked_gains(order, unit, alpha, beta));
  const std::size_t pairs = candidate_begin.size() - 1, columns = static_cast<std::size_t>(order) + 3;
  std::vector<std::int64_t> counts(pairs * columns, 0);
  {
    nb::gil_scoped_release release;
    for (std::size_t p = 0; p < pairs; ++p) {
      const auto c = candidate_begin.data()[p], r = reference_begin.data()[p];
      const auto& edits = aligner.align(candidates.data() + c, candidate_begin.data()[p + 1] - c,
                                        references.data() + r, reference_begin.data()[p + 1] - r);
      latticemetric::count_edits(edits, order, counts.data() + p * columns);
    }
  }
  return to_numpy(std::move(counts), {pairs, columns});
}

// ---- Text formats ----

std::string_view as_view(const nb::bytes& text) { return {text.c_str(), text.size()}; }

nb::list to_strings(const std::vector<std::string_view>& texts) {
  nb::list list;
  for (const auto& text : texts) list.append(nb::str(text.data(), text.size()));
  return list;
}

template <typename T>
Output<T> column(std::vector<T> values) {
  const auto size = values.size();
  return to_numpy(std::move(values), {size});
}

// Word numbers, and the words in the order of their numbers from 1; `None` where the words are numbers themselves.
nb::tuple word_column(latticemetric::WordColumn& words) {
  nb::object texts = words.numeric() ? nb::none() : nb::object(to_strings(words.words()));
  return nb::make_tuple(column(words.take()), texts);
}

nb::dict parse_arc_lines(const nb::bytes& text, latticemetric::ArcLines (*parse)(std::string_view)) {
  latticemetric::ArcLines lines;
  {
    nb::gil_scoped_release release;
    lines = parse(as_view(text));
  }
  nb::dict result;
  result["start"] = lines.start;
  result["source"] = column(std::move(lines.source));
  result["target"] = column(std::move(lines.target));
  result["final"] = column(std::move(lines.final));
  result["word"] = word_column(lines.word);
  result["input"] = lines.has_output ? nb::object(word_column(lines.input)) : nb::none();
  for (int k = 0; k < 2; ++k) {
    const std::string name = "cost" + std::to_string(k), final_name = "final_cost" + std::to_string(k);
    result[name.c_str()] = column(std::move(lines.cost[k]));
    result[final_name.c_str()] = column(std::move(lines.final_cost[k]));
  }
  result["weighted"] = lines.weighted;
  result["transition_texts"] = to_strings(lines.transition_texts.words());
  result["transitions"] = column(std::move(lines.transitions));
  result["final_transitions"] = column(std::move(lines.final_transitions));
  return result;
}

nb::dict parse_kaldi(nb::bytes text) { return parse_arc_lines(text, latticemetric::parse_kaldi); }

nb::dict parse_openfst(nb::bytes text) { return parse_arc_lines(text, latticemetric::parse_openfst); }

nb::dict parse_plf(nb::bytes text) {
  latticemetric::PlfLattice lattice;
  {
    nb::gil_scoped_release release;
    lattice = latticemetric::parse_plf(as_view(text));
  }
  nb::dict result, scores;
  for (auto& [name, values] : lattice.scores) scores[nb::str(name.data(), name.size())] = column(std::move(values));
  result["scores"] = scores;
  result["source"] = column(std::move(lattice.source));
  result["target"] = column(std::move(lattice.target));
  result["word"] = column(std::move(lattice.word));
  result["words"] = to_strings(lattice.words.words());
  result["end"] = lattice.end;
  return result;
}

// A column of numbers (missing ones NaN) where all its values are, else word numbers and words.
nb::object slf_column(const latticemetric::SlfColumn& field, const std::vector<std::int64_t>& lines, bool is_text) {
  std::vector<double> numbers;
  bool numeric = !is_text;
  for (std::size_t row = 0; numeric && row < field.values.size(); ++row) {
    if (field.values[row].empty())
      numbers.push_back(std::nan(""));
    else
      try {
        numbers.push_back(latticemetric::parse_score(field.values[row], lines[row]));
      } catch (const latticemetric::ParseError& error) {
        // A number that is not finite is refused; a text is kept as one.
        if (std::string_view(error.what()).find("finite") != std::string_view::npos) throw;
        numeric = false;
      }
  }
  if (numeric) {
    numbers.resize(lines.size(), std::nan(""));
    return nb::cast(column(std::move(numbers)));
  }
  latticemetric::Words words;
  std::vector<std::int32_t> ids;
  for (std::size_t row = 0; row < field.values.size(); ++row) ids.push_back(words.number(field.values[row], lines[row]));
  ids.resize(lines.size(), 0);
  return nb::make_tuple(column(std::move(ids)), to_strings(words.words()));
}

nb::dict slf_table(const latticemetric::SlfTable& table, const std::vector<std::string>& texts) {
  nb::dict result;
  for (const auto& field : table.columns) {
    bool is_text = false;
    for (const auto& name : texts) is_text = is_text || field.name == name;
    result[nb::str(field.name.data(), field.name.size())] = slf_column(field, table.lines, is_text);
  }
  result["line"] = column(std::vector<std::int64_t>(table.lines));
  return result;
}

nb::dict parse_slf(nb::bytes text, std::vector<std::string> texts) {
  latticemetric::SlfText parsed;
  {
    nb::gil_scoped_release release;
    parsed = latticemetric::parse_slf(as_view(text));
  }
  nb::list header;
  for (const auto& field : parsed.header) {
    if (!latticemetric::is_utf8(field.name) || !latticemetric::is_utf8(field.value))
      throw latticemetric::ParseError(field.line, "the header is not UTF-8; convert the file with iconv");
    header.append(nb::make_tuple(nb::str(field.name.data(), field.name.size()),
                                 nb::str(field.value.data(), field.value.size()), field.line));
  }
  nb::dict result;
  result["header"] = header;
  result["nodes"] = slf_table(parsed.nodes, texts);
  result["links"] = slf_table(parsed.links, texts);
  return result;
}

Output<std::int64_t> split_blocks(nb::bytes text, bool at_end) {
  std::vector<std::int64_t> blocks;
  {
    nb::gil_scoped_release release;
    blocks = latticemetric::split_blocks(as_view(text), at_end);
  }
  const auto rows = blocks.size() / 4;
  return to_numpy(std::move(blocks), {rows, 4});
}

}  // namespace

NB_MODULE(_native, m) {
  // ParseError(line, message): readers add the file and make it one of our errors.
  static nb::object parse_error = nb::steal(PyErr_NewException("latticemetric._native.ParseError", PyExc_ValueError, nullptr));
  m.attr("ParseError") = parse_error;
  nb::register_exception_translator([](const std::exception_ptr& raised, void*) {
    try {
      std::rethrow_exception(raised);
    } catch (const latticemetric::ParseError& error) {
      PyErr_SetObject(parse_error.ptr(), nb::make_tuple(error.line, error.what()).ptr());
    }
  });
  m.def("parse_kaldi", &parse_kaldi, "text"_a);
  m.def("parse_openfst", &parse_openfst, "text"_a);
  m.def("parse_plf", &parse_plf, "text"_a);
  m.def("parse_slf", &parse_slf, "text"_a, "texts"_a);
  m.def("split_blocks", &split_blocks, "text"_a, "at_end"_a);
  m.def("order_states", &order_states, "source"_a, "target"_a, "start"_a, "is_final"_a);
  m.def("best_path", &best_path, "source"_a, "target"_a, "cost"_a, "is_word"_a, "final_cost"_a);
  m.def("search_lattice", &search_lattice, "source"_a, "target"_a, "label"_a, "is_word"_a, "cost"_a, "final_cost"_a,
        "reference"_a, "order"_a, "unit"_a, "alpha"_a, "beta"_a);
  m.def("align", &align, "candidate"_a, "reference"_a, "order"_a, "unit"_a, "alpha"_a, "beta"_a);
  m.def("count_pairs", &count_pairs, "candidates"_a, "candidate_begin"_a, "references"_a, "reference_begin"_a,
        "order"_a, "unit"_a, "alpha"_a, "beta"_a);
}
