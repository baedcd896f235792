#include "formats/network_lines.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "formats/usual_lines.hpp"

namespace latticemetric {
namespace {

class MeshLines {
 public:
  explicit MeshLines(std::string_view text) : lines_(text) {}

  NetworkLines read() {
    std::string_view line;
    while (lines_.next(line)) {
      const auto keyword = take_field(line, is_space);
      if (keyword == "align") {
        add_words(line);
      } else if (keyword == "numaligns") {
        if (expected_ >= 0) throw Unusual{};
        expected_ = usual_number(only_value(line));
      } else if (keyword == "posterior" || keyword == "transposterior" || keyword == "time") {
        if (Fields<2>(line).count > 1) take_position(line);
        usual_score(only_value(line));
      } else if (keyword == "reference") {
        take_position(line);
        if (Fields<1>(line).count == 0) throw Unusual{};
      } else if (keyword == "name") {
        only_value(line);
      } else {
        throw Unusual{};
      }
    }
    if (network_.positions != expected_) throw Unusual{};
    return std::move(network_);
  }

 private:
  static std::string_view only_value(std::string_view line) {
    const Fields<1> fields(line);
    if (fields.count != 1) throw Unusual{};
    return fields.field[0];
  }

  std::int32_t take_position(std::string_view& line) const {
    return usual_number(take_field(line, is_space), static_cast<std::size_t>(std::max(expected_, 0)));
  }

  void add_words(std::string_view line) {
    if (take_position(line) != network_.positions) throw Unusual{};
    const auto first = network_.word.size();
    for (auto text = take_field(line, is_space); !text.empty(); text = take_field(line, is_space)) {
      poll(50);
      const double posterior = usual_score(take_field(line, is_space));
      if (!(posterior > 0)) throw Unusual{};
      const auto word = network_.words.number(text, 0);
      if (static_cast<std::size_t>(word) > last_.size()) last_.resize(static_cast<std::size_t>(word), -1);
      if (std::exchange(last_[static_cast<std::size_t>(word) - 1], network_.positions) == network_.positions)
        throw Unusual{};  // twice
      network_.position.push_back(network_.positions);
      network_.word.push_back(word);
      network_.cost.push_back(0.0 - std::log(posterior));
    }
    if (network_.word.size() == first) throw Unusual{};
    ++network_.positions;
  }

  UsualLines lines_;
  std::int32_t expected_ = -1;
  std::vector<std::int32_t> last_;  // by word: the last position that has it
  NetworkLines network_;
};

// Returns whether a word would count as a decimal number, so that it might be a probability.
bool may_be_probability(std::string_view word) {
  if (word.find_first_not_of("0123456789") == std::string_view::npos) return false;
  if (word.find_first_not_of("0123456789.+-eE") != std::string_view::npos) return false;
  try {
    usual_score(word);
    return true;
  } catch (const ParseError&) {
    return false;
  }
}

NetworkLines usual_moses_network(std::string_view text) {
  constexpr double highest_cost = 100;
  UsualLines lines(text);
  NetworkLines network;
  std::string_view line;
  for (; lines.next(line); ++network.positions) {
    for (auto word = take_field(line, is_space); !word.empty(); word = take_field(line, is_space)) {
      poll(50);
      const double probability = usual_score(take_field(line, is_space));
      if (probability < 0 || may_be_probability(word)) throw Unusual{};
      network.position.push_back(network.positions);
      network.word.push_back(network.words.number(word, 0));
      const double cost = 0.0 - std::log(std::min(probability, 1.0));
      network.cost.push_back(probability == 0 ? highest_cost : std::min(cost, highest_cost));
    }
  }
  if (network.positions == 0) throw Unusual{};
  return network;
}

}  // namespace

std::optional<NetworkLines> read_mesh(std::string_view text) {
  return if_usual([text] { return MeshLines(text).read(); });
}

std::optional<NetworkLines> read_moses_network(std::string_view text) {
  return if_usual([text] { return usual_moses_network(text); });
}

}  // namespace latticemetric
