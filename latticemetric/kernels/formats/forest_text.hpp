// What the readers of forests share: numbered words, features `name=value` as columns, rows, labels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/text.hpp"
#include "strings/word_numbers.hpp"

namespace latticemetric {

// Rows of different lengths: row e is values[begin[e]] .. values[begin[e + 1]].
struct Rows {
  std::vector<std::int64_t> begin{0};
  std::vector<std::int32_t> values;

  void end_row() { begin.push_back(static_cast<std::int64_t>(values.size())); }
  std::size_t row_size() const { return values.size() - static_cast<std::size_t>(begin.back()); }
};

// Distinct texts, numbered from 0 in order of appearance.
class Names {
 public:
  explicit Names(std::string_view text = {}) : text_(text) {}

  // Returns the number of a name. A name outside of the text that is read must live as long as this object.
  std::int32_t number(std::string_view name) {
    const bool is_inside = name.data() >= text_.data() && name.data() < text_.data() + text_.size();
    Word word;
    word.set(name.data(), name.data() + name.size(), is_inside ? text_.data() : name.data());
    return numbers_.of(word);
  }

  void forget() { numbers_.forget(); }
  std::size_t size() const { return numbers_.words().size(); }
  std::string_view operator[](std::size_t k) const { return {numbers_.words()[k].begin, numbers_.words()[k].size}; }

  std::vector<std::string_view> list() const {
    std::vector<std::string_view> names;
    for (const auto& word : numbers_.words()) names.emplace_back(word.begin, word.size);
    return names;
  }

 private:
  std::string_view text_;
  WordNumbers numbers_;
};

// A text for each edge or node. Texts are numbered from 1; 0 means none.
class LabelColumn {
 public:
  std::int32_t number(const std::string& text) {
    if (text.empty()) return 0;
    const auto [entry, is_new] = known_.try_emplace(text, static_cast<std::int32_t>(texts_.size()) + 1);
    if (is_new) texts_.push_back(text);
    return entry->second;
  }

  void add(std::int32_t number) { numbers_.push_back(number); }
  void add(const std::string& text) { add(number(text)); }

  void reverse() { std::reverse(numbers_.begin(), numbers_.end()); }

  std::vector<std::int32_t> take() { return std::move(numbers_); }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::int32_t> numbers_;
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::int32_t> known_;
};

using CostColumns = std::vector<std::pair<std::string_view, std::vector<double>>>;

// Named log probabilities of edges, kept as costs.
class Features {
 public:
  explicit Features(std::string_view text = {}) : names_(text) {}

  // Returns the name that the next feature of this edge probably has, since most edges have the same features in the
  // same order; an empty text if nothing is expected.
  std::string_view expected() const { return next_ + 1 < names_.size() ? names_[next_ + 1] : std::string_view(); }

  // Adds a feature of the current edge. `where` is what an error names: a line or an edge.
  void add(std::string_view name, double value, std::int64_t where) {
    const std::string_view likely = expected();
    const bool is_likely = name.data() == likely.data() || name == likely;
    next_ = is_likely && !likely.empty() ? next_ + 1 : static_cast<std::size_t>(names_.number(name));
    if (next_ == last_edge_.size()) last_edge_.push_back(-1);
    const auto edge = static_cast<std::int64_t>(begin_.size()) - 1;
    if (last_edge_[next_] == edge && twice_ < 0) twice_ = where, twice_name_ = next_;
    last_edge_[next_] = edge;
    column_.push_back(static_cast<std::int32_t>(next_));
    cost_.push_back(0.0 - value);  // not -value: no cost becomes -0
  }

  void end_edge() {
    begin_.push_back(column_.size());
    next_ = static_cast<std::size_t>(-1);
  }

  // Return the first edge (or its line) that has a feature twice, or -1, and the name of that feature.
  std::int64_t twice() const { return twice_; }
  std::string_view twice_name() const { return names_[twice_name_]; }

  // Returns one column for each name, 0 for edges without it. Throws a ParseError for `line` if the columns are far
  // larger than the text.
  CostColumns columns(std::size_t edges, std::size_t text_size, std::int64_t line = 0) const;

 private:
  Names names_;
  std::size_t next_ = static_cast<std::size_t>(-1), twice_name_ = 0;
  std::int64_t twice_ = -1;
  std::vector<std::int64_t> last_edge_;  // by column: the last edge that has it
  std::vector<std::size_t> begin_{0};    // by edge: the begin of its features in the columns below
  std::vector<std::int32_t> column_;
  std::vector<double> cost_;
};

// A forest as the reader of a format returns it. Views point into the text or into `unescaped`.
struct ForestText {
  std::vector<std::int32_t> head, goals;
  Rows tails, target;  // in target sides: word numbers from 1, and -k for the k-th tail
  std::vector<std::string_view> words;
  CostColumns scores;
  std::vector<std::pair<const char*, LabelColumn>> labels, node_labels;
  std::string sentence;  // Travatar: the source sentence
  bool has_total = false;  // Travatar: whether the first score is the model's total
  std::deque<std::string> unescaped;
};

}  // namespace latticemetric
