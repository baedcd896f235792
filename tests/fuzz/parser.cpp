// A libFuzzer target for one native parser, named by the macro PARSER: whatever the bytes are, it returns or raises
// a ParseError, and AddressSanitizer and UndefinedBehaviorSanitizer have nothing to say.
#include <cstdint>
#include <string_view>

#include "arc_lines.hpp"
#include "forest_order.hpp"
#include "kaldi_binary.hpp"
#include "plf.hpp"
#include "slf.hpp"

namespace {

using namespace latticemetric;

// Numbers of a parsed column are valid, or the parser has promised too much to Python.
void check(bool condition) {
  if (!condition) __builtin_trap();
}

void kaldi(std::string_view text) {
  auto lattice = parse_kaldi(text, false);
  const auto arcs = lattice.source.size(), finals = lattice.final.size();
  check(lattice.target.size() == arcs && lattice.cost[0].size() == arcs && lattice.cost[1].size() == arcs);
  check(lattice.transitions.size() == arcs && lattice.final_transitions.size() == finals);
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
  for (const auto& column : lattice.scores) check(column.second.size() == lattice.source.size());
  for (const auto target : lattice.target) check(0 < target && target <= lattice.end);
  for (const auto word : lattice.word) check(0 <= word && word <= static_cast<std::int32_t>(lattice.words.words().size()));
}

void slf(std::string_view text) {
  const auto lattice = parse_slf(text);
  for (const auto* table : {&lattice.nodes, &lattice.links})
    for (const auto& column : table->columns) check(column.values.size() <= table->lines.size());
}

void blocks(std::string_view text) {
  for (const bool at_end : {false, true}) {
    const auto rows = split_blocks(text, at_end);
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
}

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
  }
  return 0;
}
