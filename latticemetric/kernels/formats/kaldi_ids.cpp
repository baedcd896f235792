#include "formats/kaldi_ids.hpp"

#include <algorithm>

#include "formats/text.hpp"

namespace latticemetric {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Returns whether a line without leading white space begins like an arc or a final state with a cost: with a number,
// blanks, and more.
bool begins_with_state(std::string_view line) {
  std::size_t at = 0;
  while (at < line.size() && is_digit(line[at])) ++at;
  const std::size_t digits = at;
  while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
  return digits > 0 && at > digits && at < line.size() && !is_space(line[at]);
}

std::string_view without_blanks(std::string_view line) {
  while (!line.empty() && is_space(line.front())) line.remove_prefix(1);
  while (!line.empty() && is_space(line.back())) line.remove_suffix(1);
  return line;
}

}  // namespace

std::vector<std::string_view> kaldi_ids(std::string_view text, const std::int64_t* blocks, std::size_t count) {
  std::vector<std::string_view> ids;
  ids.reserve(count);
  for (std::size_t k = 0; k < count; ++k) {
    const auto begin = static_cast<std::size_t>(blocks[4 * k]), end = static_cast<std::size_t>(blocks[4 * k + 1]);
    const std::string_view block = text.substr(begin, end - begin);
    const std::string_view id = without_blanks(block.substr(0, block.find('\n')));
    if (id.empty() || id.front() == '#' || begins_with_state(id) || !is_utf8(id)) break;
    ids.push_back(id);
    poll(100);
  }
  return ids;
}

}  // namespace latticemetric
