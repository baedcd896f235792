#include "forests/all_strings.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "memory/budget.hpp"

namespace latticemetric {
namespace {

// Limits of the attempt, whose time is lost if there are too many strings. They are lower if all derivations are paths,
// since the search that follows is cheaper for paths than for trees.
constexpr std::size_t most_derivations = std::size_t{1} << 21;
constexpr std::size_t most_paths_an_edge = 16;
constexpr std::int64_t most_words = 1000;

std::size_t most_derivations_of(const Forest& graph) {
  for (std::int64_t e = 0; e < graph.edges; ++e)
    if (graph.tail_begin[e + 1] - graph.tail_begin[e] > 1) return most_derivations;
  return most_paths_an_edge * static_cast<std::size_t>(graph.edges);
}

// Lists the distinct strings of each node, bottom-up. Some derivation uses every node, so no node has more strings than
// the whole forest.
class DistinctStrings {
  using Number = DerivationYields::Number;

 public:
  DistinctStrings(const Forest& graph, DerivationYields& yields, std::size_t most, std::size_t most_bytes)
      : graph_(graph), yields_(yields), most_(most), most_bytes_(most_bytes), of_node_(graph.nodes),
        most_derivations_(most_derivations_of(graph)) {}

  std::optional<std::vector<StringDerivation>> list() {
    for (std::int64_t e = 0; e < graph_.edges; ++e) {
      if (!add_edge(e)) return {};
      if (e + 1 == graph_.edges || graph_.head[e + 1] != graph_.head[e]) of_node_[graph_.head[e]] = taken();
    }
    for (std::int32_t v = 0; v < graph_.nodes; ++v)
      if (std::isfinite(graph_.goal_cost[v]))
        for (const auto& [number, cost] : of_node_[v])
          keep_better(yields_.text(number), cost + graph_.goal_cost[v], [&, number = number] { return number; });
    if (best_.size() > most_) return {};
    return taken();
  }

 private:
  // Adds the strings of an edge. Returns false if that exceeds a limit.
  bool add_edge(std::int64_t edge) {
    tails_.clear();
    for (auto k = graph_.target_begin[edge]; k < graph_.target_begin[edge + 1]; ++k)
      if (graph_.target[k] < 0)
        tails_.push_back(&of_node_[graph_.tail[graph_.tail_begin[edge] - graph_.target[k] - 1]]);
    chosen_.assign(tails_.size(), 0);
    do {
      poll(100);
      if (++derivations_ > most_derivations_ || !add_choice(edge)) return false;
    } while (choose_next());
    return true;
  }

  // Adds the edge over one string of each tail, the chosen ones. Returns false if that exceeds a limit.
  bool add_choice(std::int64_t edge) {
    parts_.clear();
    double cost = 0;
    for (std::size_t k = 0; k < tails_.size(); ++k) {
      const auto& [number, part_cost] = (*tails_[k])[chosen_[k]];
      parts_.push_back(number);
      cost = k == 0 ? part_cost : cost + part_cost;
    }
    const Texts::Number text = yields_.text(edge, parts_);
    keep_better(text, graph_.cost[edge] + cost, [&] { return yields_.add(edge, graph_.cost[edge], parts_); });
    return best_.size() <= most_ && yields_.words(text) <= most_words && yields_.bytes() <= most_bytes_;
  }

  bool choose_next() {
    for (std::size_t k = 0; k < tails_.size(); ++k) {
      if (++chosen_[k] < tails_[k]->size()) return true;
      chosen_[k] = 0;
    }
    return false;
  }

  template <typename Find>
  void keep_better(Texts::Number text, double cost, Find find) {
    const auto [place, is_new] = best_.try_emplace(text, StringDerivation{0, cost});
    StringDerivation& kept = place->second;
    if (!is_new && cost > kept.cost) return;
    const Number number = find();
    if (is_new || cost < kept.cost || yields_.less(number, kept.number)) kept = {number, cost};
  }

  std::vector<StringDerivation> taken() {
    std::vector<StringDerivation> strings;
    for (const auto& [text, derivation] : best_) strings.push_back(derivation);
    best_.clear();
    return strings;
  }

  const Forest& graph_;
  DerivationYields& yields_;
  const std::size_t most_, most_bytes_;
  std::size_t derivations_ = 0;
  std::vector<std::vector<StringDerivation>> of_node_;
  const std::size_t most_derivations_;
  std::unordered_map<Texts::Number, StringDerivation> best_;  // of the current node
  std::vector<const std::vector<StringDerivation>*> tails_;
  std::vector<std::size_t> chosen_;
  std::vector<Number> parts_;
};

}  // namespace

std::optional<std::vector<StringDerivation>> all_strings(const Forest& graph, DerivationYields& yields,
                                                         std::size_t most, std::size_t most_bytes) {
  return DistinctStrings(graph, yields, most, most_bytes).list();
}

}  // namespace latticemetric
