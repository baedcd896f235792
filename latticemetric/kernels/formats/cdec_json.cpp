#include "formats/cdec_json.hpp"

#include <algorithm>
#include <unordered_map>

#include "formats/json.hpp"

namespace latticemetric {
namespace {

constexpr std::string_view any_category = "X";

// Returns whether a text can be a symbol of a rule, such as the X of [X] and [X,1].
bool is_symbol(std::string_view text) {
  return !text.empty() && std::none_of(text.begin(), text.end(),
                                       [](char c) { return c == '[' || c == ']' || c == ','; });
}

std::string_view inside_brackets(std::string_view token) {
  const bool has_brackets = token.size() > 2 && token.front() == '[' && token.back() == ']';
  return has_brackets ? token.substr(1, token.size() - 2) : std::string_view();
}

// Returns the k of [k] and [X,k], from 1 to 99; 0 for a word.
std::int32_t tail_number(std::string_view token) {
  std::string_view inside = inside_brackets(token);
  if (const std::size_t comma = inside.find(','); comma != std::string_view::npos) {
    if (!is_symbol(inside.substr(0, comma))) return 0;
    inside.remove_prefix(comma + 1);
  }
  std::int32_t number = 0;
  return inside.size() <= 2 && parse_number(inside, number) ? number : 0;
}

class CdecParser {
 public:
  explicit CdecParser(std::string_view text) : size_(text.size()), json_(text), words_(text), features_(text) {}

  ForestText parse() {
    if (json_.whole().shown() != "an object") json_.fail("the file is not a JSON object");
    for (const auto& field : json_.pairs(json_.whole(), "")) top(field.key, field.value);
    return finished();
  }

 private:
  struct RuleText {
    std::string_view left;
    std::string source;
    std::size_t begin, end;                 // of its target side
    std::int32_t source_label, left_label;  // -1 until they have a number
  };
  struct Edge {
    std::size_t rule;
    std::string spans;
  };

  // ---- The keys of the file ----

  void top(std::string_view key, Json::Value value) {
    if (key == "edges") {
      for (const auto& item : json_.items(value, "edges", "")) edge(item, "edge " + std::to_string(edges_.size()));
    } else if (key == "node") {
      node(value, "node " + std::to_string(categories_.size()));
    } else if (key == "rules") {
      rules(pairs(value, "rules are not pairs of a number and a text", "rules", ""));
    } else if (key == "features") {
      names_.clear();
      for (const auto& item : json_.items(value, "features", ""))
        names_.push_back(json_.text(item, "a feature's name", ""));
    } else if (key != "is_sorted") {
      json_.fail("the key " + quoted(key) + " is not one of cdec's");
    }
  }

  // Returns the items of a list of pairs: two items make one pair.
  std::vector<Json::Value> pairs(Json::Value list, const char* problem, const std::string& what,
                                 const std::string& place) {
    auto items = json_.items(list, what, place);
    if (items.size() % 2) json_.fail(problem, place);
    return items;
  }

  void rules(const std::vector<Json::Value>& items) {
    for (std::size_t k = 0; k < items.size(); k += 2) {
      const std::string place = "rule " + items[k].shown();
      const auto [entry, is_new] = rule_numbers_.try_emplace(json_.integer(items[k], "rules", place), rules_.size());
      if (!is_new) json_.fail("the rule appears twice", place);
      rule(json_.text(items[k + 1], "the rule", place), place);
    }
  }

  // Reads a rule: [X] ||| source ||| target. Further fields are ignored.
  void rule(std::string_view text, const std::string& place) {
    RuleText rule{{}, {}, targets_.size(), 0, -1, -1};
    std::size_t part = 0, lefts = 0;
    std::string_view rest = text;
    while (true) {
      const std::string_view token = take_field(rest, is_space);
      if (token.empty()) break;
      poll(20);
      if (token == "|||") {
        ++part;
      } else if (part == 0) {
        rule.left = inside_brackets(token);
        ++lefts;
      } else if (part == 1) {
        rule.source += (rule.source.empty() ? "" : " ") + std::string(token);
      } else if (part == 2) {
        const std::int32_t tail = tail_number(token);
        targets_.push_back(tail > 0 ? -tail : words_.number(token) + 1);
      }
    }
    if (part < 2 || lefts != 1 || !is_symbol(rule.left))
      json_.fail(quoted(text) + " is not a rule; rules look like [X] ||| source ||| target", place);
    rule.end = targets_.size();
    rules_.push_back(std::move(rule));
  }

  // ---- Edges and nodes ----

  void edge(Json::Value value, const std::string& place) {
    Json::Value tails, spans, feats, rule;
    std::string_view unknown;
    for (const auto& [key, name, own] : json_.fields(value, place))
      if (key == "tail")
        tails = own;
      else if (key == "spans")
        spans = own;
      else if (key == "feats")
        feats = own;
      else if (key == "rule")
        rule = own;
      else if (unknown.data() == nullptr || key < unknown)
        unknown = key;
    if (unknown.data() != nullptr) json_.fail("unknown field of an edge: " + quoted(unknown), place);
    const std::size_t rule_index = rule_of(rule, place);
    edges_.push_back({rule_index, spans_of(spans, place)});
    features(feats, place);
    for (const auto tail : json_.integers(tails, "tail", place)) forest_.tails.values.push_back(tail);
    forest_.tails.end_row();
    forest_.head.push_back(-1);
  }

  std::size_t rule_of(Json::Value value, const std::string& place) {
    if (value.is_null()) json_.fail("the edge has no rule; let cdec write the forest with its rules", place);
    if (value.is_text()) {
      rule(json_.text(value, "rule", place), place);
      return rules_.size() - 1;
    }
    const std::int32_t number = json_.integer(value, "rule", place);
    const auto entry = rule_numbers_.find(number);
    if (entry == rule_numbers_.end()) json_.fail("rule " + std::to_string(number) + " does not exist", place);
    return entry->second;
  }

  std::string spans_of(Json::Value value, const std::string& place) const {
    const auto spans = json_.integers(value, "spans", place);
    if (!spans.empty() && spans.size() != 4)
      json_.fail("the edge has " + std::to_string(spans.size()) + " spans, not 4", place);
    std::string text;
    for (const auto span : spans) text += (text.empty() ? "" : ",") + std::to_string(span);
    return text;
  }

  void features(Json::Value value, const std::string& place) {
    const auto items = pairs(value, "feats are not pairs of a feature and its value", "feats", place);
    for (std::size_t k = 0; k < items.size(); k += 2) {
      std::string_view name;
      if (items[k].is_text()) {
        name = json_.text(items[k], "a feature's name", place);
      } else {
        const std::int32_t number = json_.integer(items[k], "feats", place);
        if (number < 0 || number >= static_cast<std::int64_t>(names_.size()))
          json_.fail("feature " + std::to_string(number) + " does not exist", place);
        name = names_[static_cast<std::size_t>(number)];
      }
      features_.add(name, json_.real(items[k + 1], "feature " + quoted(name), place),
                    static_cast<std::int64_t>(edges_.size()) - 1);
    }
    features_.end_edge();
  }

  void node(Json::Value value, const std::string& place) {
    Json::Value in_edges, category;
    std::string_view unknown;
    for (const auto& [key, name, own] : json_.fields(value, place))
      if (key == "in_edges")
        in_edges = own;
      else if (key == "cat")
        category = own;
      else if (unknown.data() == nullptr || key < unknown)
        unknown = key;
    if (unknown.data() != nullptr) json_.fail("unknown field of a node: " + quoted(unknown), place);
    for (const auto edge : json_.integers(in_edges, "in_edges", place)) {
      if (edge < 0 || edge >= static_cast<std::int64_t>(edges_.size()))
        json_.fail("edge " + std::to_string(edge) + " does not come before this node", place);
      auto& head = forest_.head[static_cast<std::size_t>(edge)];
      if (head >= 0)
        json_.fail("edge " + std::to_string(edge) + " already belongs to node " + std::to_string(head), place);
      head = static_cast<std::int32_t>(categories_.size());
    }
    categories_.push_back(category.is_null() ? std::string_view() : json_.text(category, "cat", place));
  }

  // ---- What only the whole file shows ----

  ForestText finished() {
    if (categories_.empty()) json_.fail("the forest is empty: it has no node");
    check_edges();
    add_axioms();
    forest_.scores = features_.columns(edges_.size(), size_);
    if (features_.twice() >= 0)
      json_.fail("feature " + quoted(features_.twice_name()) + " appears twice",
                 "edge " + std::to_string(features_.twice()));
    label();
    forest_.goals.push_back(static_cast<std::int32_t>(categories_.size()) - 1);
    forest_.words = words_.list();
    forest_.unescaped = json_.take_unescaped();
    return std::move(forest_);
  }

  void check_edges() const {
    const auto nodes = static_cast<std::int64_t>(categories_.size());
    for (std::size_t e = 0; e < edges_.size(); ++e)
      if (forest_.head[e] < 0) json_.fail("the edge belongs to no node", "edge " + std::to_string(e));
    for (std::size_t e = 0; e < edges_.size(); ++e)
      for (auto k = forest_.tails.begin[e]; k < forest_.tails.begin[e + 1]; ++k) {
        const std::int32_t tail = forest_.tails.values[static_cast<std::size_t>(k)];
        if (tail < 0 || tail >= nodes)
          json_.fail("tail is " + std::to_string(tail) + ", but there are only " + std::to_string(nodes) + " nodes",
                     "edge " + std::to_string(e));
      }
  }

  // cdec treats nodes without edges as axioms: they get an edge without words and costs.
  void add_axioms() {
    std::vector<std::uint8_t> has_edges(categories_.size(), 0);
    for (const auto head : forest_.head) has_edges[static_cast<std::size_t>(head)] = 1;
    for (std::size_t node = 0; node < categories_.size(); ++node) {
      if (has_edges[node]) continue;
      edges_.push_back({rules_.size(), {}});
      rules_.push_back({left_of(node), {}, 0, 0, -1, -1});
      forest_.tails.end_row();
      forest_.head.push_back(static_cast<std::int32_t>(node));
    }
  }

  std::string_view left_of(std::size_t node) const { return categories_[node].empty() ? any_category : categories_[node]; }

  // Adds the target sides and labels of edges: spans, and the source and left sides that do not follow from the nodes.
  void label() {
    LabelColumn sources, lefts, spans, categories;
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      RuleText& rule = rules_[edges_[e].rule];
      poll(static_cast<std::int64_t>(rule.end - rule.begin) + 50);
      for (std::size_t k = rule.begin; k < rule.end; ++k) forest_.target.values.push_back(targets_[k]);
      forest_.target.end_row();
      add(sources, is_plain_source(rule.source, e) ? std::string_view() : rule.source, rule.source_label);
      const bool is_plain_left = rule.left == left_of(static_cast<std::size_t>(forest_.head[e]));
      add(lefts, is_plain_left ? std::string_view() : rule.left, rule.left_label);
      spans.add(edges_[e].spans);
    }
    for (const auto category : categories_) categories.add(std::string(category));
    forest_.labels.emplace_back("source", std::move(sources));
    forest_.labels.emplace_back("lhs", std::move(lefts));
    forest_.labels.emplace_back("spans", std::move(spans));
    forest_.node_labels.emplace_back("category", std::move(categories));
  }

  // Adds a rule's text. All edges of the rule share the number of the text.
  static void add(LabelColumn& column, std::string_view text, std::int32_t& number) {
    if (!text.empty() && number < 0) number = column.number(std::string(text));
    column.add(text.empty() ? 0 : number);
  }

  // Returns whether a source side consists of the edge's tails only: [X,1] [Y,2].
  bool is_plain_source(std::string_view source, std::size_t e) const {
    const auto take = [&source](std::string_view part) {
      if (source.substr(0, part.size()) != part) return false;
      source.remove_prefix(part.size());
      return true;
    };
    const auto begin = forest_.tails.begin[e], end = forest_.tails.begin[e + 1];
    for (auto k = begin; k < end; ++k) {
      const auto tail = static_cast<std::size_t>(forest_.tails.values[static_cast<std::size_t>(k)]);
      if (!take(k == begin ? "[" : " [") || !take(left_of(tail)) || !take("," + std::to_string(k - begin + 1) + "]"))
        return false;
    }
    return source.empty();
  }

  const std::size_t size_;
  Json json_;
  Names words_;
  Features features_;
  std::vector<std::string_view> names_;  // of features, by their numbers in the file
  std::unordered_map<std::int32_t, std::size_t> rule_numbers_;
  std::vector<RuleText> rules_;
  std::vector<std::int32_t> targets_;
  std::vector<Edge> edges_;
  std::vector<std::string_view> categories_;  // of nodes
  ForestText forest_;
};

}  // namespace

ForestText parse_cdec_json(std::string_view text) { return CdecParser(text).parse(); }

}  // namespace latticemetric
