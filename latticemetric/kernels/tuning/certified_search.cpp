#include "tuning/certified_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "memory/budget.hpp"

namespace latticemetric {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::int64_t most_edges = std::int64_t{1} << 28;

}  // namespace

CertifiedSearch::CertifiedSearch(const TunedGraph& graph, const EdgeCosts& costs, int sum_bits)
    : graph_(graph), costs_(costs), inside_(graph.nodes()), outside_(graph.nodes(), infinite),
      choice_(graph.nodes(), -1), kept_(graph.nodes()), found_(graph.nodes()) {
  const auto largest_of = [&](const auto& own) {
    std::vector<double> largest(graph_.nodes(), 0);
    for (std::int32_t v = 0; v < graph_.nodes(); ++v)
      for (auto e = graph_.begin[v]; e < graph_.begin[v + 1]; ++e) {
        poll(4);
        double sum = own(e);
        for (auto t = graph_.tail_begin[e]; t < graph_.tail_begin[e + 1]; ++t) sum += largest[graph_.tail[t]];
        largest[v] = std::max(largest[v], sum);
      }
    return *std::max_element(largest.begin(), largest.end());
  };
  longest_ = largest_of([](std::int64_t) { return 1.0; });
  for (std::size_t k = 0; k < largest_.size(); ++k)
    largest_[k] = largest_of([&](std::int64_t e) { return std::fabs(costs_.rough[k][e]); });
  if (*std::max_element(largest_.begin(), largest_.end()) >= std::ldexp(1.0, sum_bits) || longest_ >= most_edges)
    throw TooLarge("the costs of a path are too large to be compared exactly");
}

double CertifiedSearch::rough_cost(std::int64_t edge) const {
  return costs_.rough[0][edge] + x_ * costs_.rough[1][edge] + y_ * costs_.rough[2][edge];
}

PathSums CertifiedSearch::roughly_best(const WeightPoint& point) {
  point_ = point;
  x_ = point.first();
  y_ = point.second();
  for (std::int32_t v = 0; v < graph_.nodes(); ++v) {
    double best = infinite;
    std::int64_t chosen = -1;
    poll(4 * (graph_.begin[v + 1] - graph_.begin[v]) + 4);
    for (auto e = graph_.begin[v]; e < graph_.begin[v + 1]; ++e) {
      double cost = rough_cost(e);
      for (auto t = graph_.tail_begin[e]; t < graph_.tail_begin[e + 1]; ++t) cost += inside_[graph_.tail[t]];
      chosen = cost < best ? e : chosen;
      best = std::min(cost, best);
    }
    inside_[v] = best;
    choice_[v] = chosen;
  }
  return sums_along([this](std::int32_t node) { return choice_[node]; }, nullptr);
}

PathSums CertifiedSearch::best(Direction direction) {
  // The cost of a path adds at most 3 products and sums an edge, each rounded by 2^-53, in two directions.
  const double size = largest_[0] + std::fabs(x_) * largest_[1] + std::fabs(y_) * largest_[2];
  const double rounding = 16 * (longest_ + 4) * std::numeric_limits<double>::epsilon() * size;
  keep_near(inside_[graph_.goal()] + rounding);
  for (std::size_t k = reached_.size(); k-- > 0;) {
    const auto node = reached_[k];
    poll(static_cast<std::int64_t>(20 * kept_[node].size()));
    Derivation chosen{0, 0, 0, -1};
    for (const auto e : kept_[node]) {
      if (!has_tails(e)) continue;
      const Derivation one = derivation_by(e, direction);
      if (chosen.edge < 0 || one.comes_before(chosen)) chosen = one;
    }
    found_[node] = chosen;
  }
  return sums_along([this](std::int32_t node) { return found_[node].edge; }, nullptr);
}

std::vector<std::int64_t> CertifiedSearch::edges() const {
  std::vector<std::int64_t> edges;
  sums_along([this](std::int32_t node) { return found_[node].edge; }, &edges);
  return edges;
}

// Keeps the edges of paths that cost at most `limit` in doubles.
void CertifiedSearch::keep_near(double limit) {
  reached_.clear();
  outside_[graph_.goal()] = 0;
  for (std::int32_t v = graph_.goal(); v >= 0; --v) {
    if (outside_[v] == infinite) continue;
    reached_.push_back(v);
    kept_[v].clear();
    poll(4 * (graph_.begin[v + 1] - graph_.begin[v]));
    for (auto e = graph_.begin[v]; e < graph_.begin[v + 1]; ++e) {
      double cost = outside_[v] + rough_cost(e);
      for (auto t = graph_.tail_begin[e]; t < graph_.tail_begin[e + 1]; ++t) cost += inside_[graph_.tail[t]];
      if (cost > limit) continue;
      kept_[v].push_back(e);
      for (auto t = graph_.tail_begin[e]; t < graph_.tail_begin[e + 1]; ++t) {
        double& rest = outside_[graph_.tail[t]];
        rest = std::min(rest, cost - inside_[graph_.tail[t]]);
      }
    }
    outside_[v] = infinite;  // for the next search
  }
}

// Returns whether edges of all tails were kept. If not, the edge is far from the best: near the limit, rounding decides
// whether an edge is kept.
bool CertifiedSearch::has_tails(std::int64_t edge) const {
  const auto *const begin = graph_.tail.data() + graph_.tail_begin[edge],
             *const end = graph_.tail.data() + graph_.tail_begin[edge + 1];
  return std::all_of(begin, end, [this](std::int32_t node) { return found_[node].edge >= 0; });
}

CertifiedSearch::Derivation CertifiedSearch::derivation_by(std::int64_t edge, Direction direction) const {
  const PathSums own = costs_.sums(edge);
  Derivation derivation{own.at(point_), direction.x * own.c[1] + direction.y * own.c[2], graph_.words[edge], edge};
  for (auto t = graph_.tail_begin[edge]; t < graph_.tail_begin[edge + 1]; ++t) {
    const Derivation& tail = found_[graph_.tail[t]];
    derivation.cost += tail.cost;
    derivation.slope += tail.slope;
    derivation.words += tail.words;
  }
  return derivation;
}

template <typename EdgeOf>
PathSums CertifiedSearch::sums_along(const EdgeOf& edge_of, std::vector<std::int64_t>* edges) const {
  PathSums sums;
  std::vector<std::int32_t> pending{graph_.goal()};
  while (!pending.empty()) {
    poll(4);
    const auto edge = edge_of(pending.back());
    pending.pop_back();
    if (edges != nullptr) edges->push_back(edge);
    const PathSums own = costs_.sums(edge);
    for (std::size_t k = 0; k < sums.c.size(); ++k) sums.c[k] += own.c[k];
    for (auto t = graph_.tail_begin[edge + 1]; t > graph_.tail_begin[edge]; --t)
      pending.push_back(graph_.tail[t - 1]);
  }
  return sums;
}

}  // namespace latticemetric
