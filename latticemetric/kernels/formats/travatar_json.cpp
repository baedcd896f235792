#include "formats/travatar_json.hpp"

#include "formats/json.hpp"

namespace latticemetric {
namespace {

class TravatarParser {
 public:
  explicit TravatarParser(std::string_view text) : size_(text.size()), json_(text, 1), words_(text), features_(text) {}

  ForestText parse() {
    Json::Value words, nodes, edges;
    for (const auto& [key, name, value] : json_.fields(json_.whole(), "")) {
      if (key == "words") words = value;
      if (key == "nodes") nodes = value;
      if (key == "edges") edges = value;
    }
    sentence(words);
    for (const auto& value : json_.items(nodes, "nodes", "")) {
      node(value, "node " + std::to_string(nodes_));
      ++nodes_;
    }
    for (const auto& value : json_.items(edges, "edges", ""))
      edge(value, "edge " + std::to_string(forest_.head.size()));
    return finished();
  }

 private:
  void sentence(Json::Value words) {
    for (const auto& value : json_.items(words, "words", "")) {
      const std::string_view word = json_.text(value, "a source word", "");
      std::string_view rest = word;
      if (word.empty() || take_field(rest, is_space) != word)
        json_.fail("the source word " + quoted(word) + " is empty or holds white space");
      forest_.sentence += (forest_.sentence.empty() ? "" : " ") + std::string(word);
    }
  }

  void node(Json::Value value, const std::string& place) {
    Json::Value id, symbol, span;
    for (const auto& [key, name, own] : json_.fields(value, place)) {
      if (key == "id") id = own;
      if (key == "sym") symbol = own;
      if (key == "span") span = own;
    }
    check_id(id, nodes_, place);
    categories_.add(symbol.is_null() ? std::string() : std::string(json_.text(symbol, "sym", place)));
    const auto ends = json_.integers(span, "span", place);
    if (!ends.empty() && ends.size() != 2) json_.fail("the span is not two numbers", place);
    const bool is_span = !ends.empty() && !(ends[0] == -1 && ends[1] == -1);
    spans_.add(is_span ? std::to_string(ends[0]) + "," + std::to_string(ends[1]) : std::string());
  }

  void check_id(Json::Value id, std::int64_t number, const std::string& place) const {
    if (id && json_.integer(id, "id", place) != number)
      json_.fail("the id is " + id.shown() + "; number ids from 0, in order", place);
  }

  void edge(Json::Value value, const std::string& place) {
    Json::Value id, head, tails, target, features, source, score;
    for (const auto& [key, name, own] : json_.fields(value, place)) {
      if (key == "id") id = own;
      if (key == "head") head = own;
      if (key == "tails") tails = own;
      if (key == "trg") target = own;
      if (key == "features") features = own;
      if (key == "src_str") source = own;
      if (key == "score") score = own;
    }
    const auto number = static_cast<std::int64_t>(forest_.head.size());
    check_id(id, number, place);
    forest_.head.push_back(node_of(head, "head", place));
    for (const auto& tail : json_.items(tails, "tails", place))
      forest_.tails.values.push_back(node_of(tail, "a tail", place));
    symbols(target, static_cast<std::int32_t>(forest_.tails.row_size()), place);
    forest_.tails.end_row();
    if (!features.is_null())
      for (const auto& [key, name, own] : json_.fields(features, place + ", features")) {
        json_.text(name, "a feature's name", place);
        features_.add(key, json_.real(own, "feature " + quoted(key), place), number);
      }
    features_.end_edge();
    sources_.add(source.is_null() ? std::string() : std::string(json_.text(source, "src_str", place)));
    forest_.has_total = forest_.has_total || score;
    total_.push_back(score ? 0.0 - json_.real(score, "score", place) : 0.0);
  }

  std::int32_t node_of(Json::Value value, const std::string& what, const std::string& place) const {
    const std::int32_t node = json_.integer(value, what, place);
    if (node < 0 || node >= nodes_)
      json_.fail(what + " is " + std::to_string(node) + ", but there are only " + std::to_string(nodes_) + " nodes",
                 place);
    return static_cast<std::int32_t>(nodes_ - 1 - node);
  }

  // Adds the target side: texts are words, -k is the k-th tail.
  void symbols(Json::Value target, std::int32_t tails, const std::string& place) {
    const auto factors = json_.items(target, "trg", place);
    if (factors.size() > 1)
      json_.fail("the edge has " + std::to_string(factors.size()) +
                 " target sides; write the forest for one target language",
                 place);
    if (factors.empty() && tails > 0)
      json_.fail("the edge has no target side (trg); use the decoder's output, not its input", place);
    Json::Value words;
    if (!factors.empty())
      for (const auto& [key, name, own] : json_.fields(factors[0], place + ", trg"))
        if (key == "words") words = own;
    for (const auto& word : json_.items(words, "words", place))
      forest_.target.values.push_back(symbol(word, tails, place));
    forest_.target.end_row();
  }

  std::int32_t symbol(Json::Value word, std::int32_t tails, const std::string& place) {
    if (!word.is_text()) {
      const std::int32_t number = json_.integer(word, "words", place);
      if (number >= 0 || number < -tails)
        json_.fail("words holds " + word.shown() + ", which is not a tail; write words as texts, tails as −1, −2, …",
                   place);
      return number;
    }
    const std::string_view text = json_.text(word, "a word", place);
    if (text.empty()) json_.fail("a word is empty", place);
    return words_.number(text) + 1;
  }

  ForestText finished() {
    if (nodes_ == 0) json_.fail("the forest is empty: it has no node");
    forest_.scores = features_.columns(forest_.head.size(), size_, 1);
    if (forest_.has_total) {
      for (const auto& column : forest_.scores)
        if (column.first == "score") json_.fail("a feature has the name of the total, 'score'");
      forest_.scores.emplace(forest_.scores.begin(), "score", std::move(total_));
    }
    forest_.labels.emplace_back("source", std::move(sources_));
    for (auto* const labels : {&categories_, &spans_}) labels->reverse();
    forest_.node_labels.emplace_back("category", std::move(categories_));
    forest_.node_labels.emplace_back("span", std::move(spans_));
    forest_.goals.push_back(static_cast<std::int32_t>(nodes_) - 1);
    forest_.words = words_.list();
    forest_.unescaped = json_.take_unescaped();
    return std::move(forest_);
  }

  const std::size_t size_;
  Json json_;
  Names words_;
  Features features_;
  std::int64_t nodes_ = 0;
  LabelColumn sources_, categories_, spans_;  // of edges; of nodes
  std::vector<double> total_;
  ForestText forest_;
};

}  // namespace

ForestText parse_travatar_json(std::string_view text) { return TravatarParser(text).parse(); }

}  // namespace latticemetric
