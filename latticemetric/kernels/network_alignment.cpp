#include "network_alignment.hpp"

#include <algorithm>
#include <limits>

#include "budget.hpp"

namespace latticemetric {
namespace {

// Cell (a, b) is what it costs at least to end with arc a of the reference and arc b of the candidate, whether they
// stand for each other or not. Arc 0 is one before the start, arc k + 1 is arc k of the network:
//
//   D(a, b) = min( pair(a, b) + min D(a', b'),  deletion(a) + min D(a', b),  insertion(b) + min D(a, b') )
//
// over all arcs a' that lead to where a begins, and b' likewise.
class Arcs {
 public:
  explicit Arcs(const Network& network) : network_(network), into_(static_cast<std::size_t>(network.states)) {
    into_[0].push_back(0);
    in_order([&](std::int64_t k) { into_[network.target[k]].push_back(k + 1); });
    for (std::int32_t s = 0; s < network.states; ++s)
      if (network.is_final[s]) last_.insert(last_.end(), into_[s].begin(), into_[s].end());
  }

  std::int64_t size() const { return network_.arcs + 1; }
  std::int32_t label(std::int64_t a) const { return network_.label[a - 1]; }
  const std::vector<std::int64_t>& before(std::int64_t a) const { return into_[network_.source[a - 1]]; }
  const std::vector<std::int64_t>& last() const { return last_; }

 private:
  // Depth first: all of an alternative before the next one, whatever the numbers of its arcs.
  template <typename Visit>
  void in_order(Visit visit) {
    const auto* const end = network_.source + network_.arcs;
    std::vector<std::uint8_t> reached(into_.size(), 0);
    std::vector<std::int64_t> pending;
    const auto reach = [&](std::int32_t s) {
      if (reached[s]) return;
      reached[s] = 1;
      const auto [from, to] = std::equal_range(network_.source, end, s);
      for (auto k = to - network_.source; k > from - network_.source; --k) pending.push_back(k - 1);
    };
    reach(0);
    while (!pending.empty()) {
      const auto k = pending.back();
      pending.pop_back();
      visit(k);
      reach(network_.target[k]);
    }
  }

  const Network& network_;
  std::vector<std::vector<std::int64_t>> into_;  // the arcs that lead to each state
  std::vector<std::int64_t> last_;               // the arcs that lead to an end
};

struct Cell {
  float cost = std::numeric_limits<float>::infinity();
  std::int64_t a = -1, b = -1;  // the cell before
};

class Aligned {
 public:
  Aligned(const Network& reference, const Network& candidate, EditCosts costs)
      : reference_(reference), candidate_(candidate), costs_(costs),
        cells_(filled(static_cast<std::size_t>(reference_.size() * candidate_.size()), Cell{})) {
    cell(0, 0).cost = 0;
    for (std::int64_t a = 0; a < reference_.size(); ++a)
      for (std::int64_t b = 0; b < candidate_.size(); ++b)
        if (a > 0 || b > 0) fill(a, b);
  }

  NetworkAlignment best() {
    NetworkAlignment found;
    const Cell end = cheapest(reference_.last(), candidate_.last());
    for (auto a = end.a, b = end.b; a > 0 || b > 0;) {
      const Cell& here = cell(a, b);
      const bool takes_reference = here.a != a, takes_candidate = here.b != b;
      const std::int32_t expected = takes_reference ? reference_.label(a) : 0;
      const std::int32_t said = takes_candidate ? candidate_.label(b) : 0;
      if (takes_reference) found.reference.push_back(a - 1);
      if (takes_candidate) found.candidate.push_back(b - 1);
      if (expected != 0 || said != 0)
        found.edits.push_back(said == 0 ? 'D' : expected == 0 ? 'I' : expected == said ? 'C' : 'S');
      a = here.a, b = here.b;
    }
    std::reverse(found.reference.begin(), found.reference.end());
    std::reverse(found.candidate.begin(), found.candidate.end());
    std::reverse(found.edits.begin(), found.edits.end());
    return found;
  }

 private:
  Cell& cell(std::int64_t a, std::int64_t b) { return cells_[static_cast<std::size_t>(a * candidate_.size() + b)]; }

  // The first of the cheapest cells, and where it is.
  Cell cheapest(const std::vector<std::int64_t>& as, const std::vector<std::int64_t>& bs) {
    Cell found;
    for (const auto a : as)
      for (const auto b : bs)
        if (cell(a, b).cost < found.cost) found = {cell(a, b).cost, a, b};
    return found;
  }

  void fill(std::int64_t a, std::int64_t b) {
    poll(40);
    Cell pair, deletion, insertion;
    const std::int32_t expected = a > 0 ? reference_.label(a) : 0, said = b > 0 ? candidate_.label(b) : 0;
    if (expected != 0 && said != 0) {
      pair = cheapest(reference_.before(a), candidate_.before(b));
      pair.cost += expected == said ? 0.0F : costs_.substitution;
    }
    if (a > 0) {
      deletion = cheapest(reference_.before(a), {b});
      deletion.cost += expected == 0 ? costs_.silence : costs_.deletion;
    }
    if (b > 0) {
      insertion = cheapest({a}, candidate_.before(b));
      insertion.cost += said == 0 ? costs_.silence : costs_.insertion;
    }
    if (pair.a >= 0 && pair.cost <= deletion.cost && pair.cost <= insertion.cost)
      cell(a, b) = pair;
    else
      cell(a, b) = deletion.cost < insertion.cost ? deletion : insertion;
  }

  const Arcs reference_, candidate_;
  const EditCosts costs_;
  std::vector<Cell> cells_;
};

}  // namespace

NetworkAlignment align_networks(const Network& reference, const Network& candidate, EditCosts costs) {
  return Aligned(reference, candidate, costs).best();
}

}  // namespace latticemetric
