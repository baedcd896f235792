// A libFuzzer target for one native parser, named by the macro PARSER: whatever the bytes are, it returns or raises
// a ParseError, and AddressSanitizer and UndefinedBehaviorSanitizer have nothing to say.
#include <cstdint>
#include <string_view>

#include "arc_lines.hpp"
#include "plf.hpp"
#include "slf.hpp"

namespace {

using namespace latticemetric;

// Numbers of a parsed column are valid, or the parser has promised too much to Python.
void check(bool condition) {
  if (!condition) __builtin_trap();
}

void kaldi(std::string_view text) {
  auto lattice = parse_kaldi(text);
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    PARSER(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const ParseError&) {
  }
  return 0;
}
