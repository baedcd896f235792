#include "networks/network_alignment.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "memory/budget.hpp"
#include "strings/long_alignment.hpp"

namespace latticemetric {
namespace {

// Cell D(a, b) is the least cost to end with arc a of the reference and arc b of the hypothesis, whether these are
// aligned with each other or not. Arc 0 stands before the start; arc k + 1 is arc k of the network.
//
//   D(a, b) = min( pair(a, b) + min D(a', b'),  deletion(a) + min D(a', b),  insertion(b) + min D(a, b') )
//
// The inner minima are over all arcs a' that lead to the source of a, and all arcs b' that lead to the source of b.
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
  bool is_chain() const {
    for (std::int64_t a = 1; a < size(); ++a)
      if (before(a) != std::vector<std::int64_t>{a - 1}) return false;
    return true;
  }

 private:
  // Visits arcs depth first: all of an alternative before the next one, whatever the numbers of its arcs.
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

// A row is kept as long as other rows are made from it. Rows are also divided into parts, and for each part the rows
// held at its beginning are kept. From these, the part's rows are made again when the alignment is read from the end,
// part by part. So memory grows with the size of a row times √(arcs).
class Aligned {
 public:
  Aligned(const Network& reference, const Network& hypothesis, EditCosts costs)
      : reference_(reference), hypothesis_(hypothesis), costs_(costs),
        rows_(static_cast<std::size_t>(reference_.size())),
        readers_end_(rows_.size()),
        part_(1 + static_cast<std::int64_t>(std::sqrt(static_cast<double>(reference_.size())))),
        above_(static_cast<std::size_t>(hypothesis_.size())),
        is_chain_(hypothesis_.is_chain()) {
    hypothesis_label_.assign(1, 0);
    inserting_.assign(1, infinite);
    for (std::int64_t b = 1; b < hypothesis_.size(); ++b) {
      hypothesis_label_.push_back(hypothesis_.label(b));
      inserting_.push_back(insertion(b));
    }
    for (std::int64_t a = 0; a < reference_.size(); ++a) readers_end_[a] = a;
    for (std::int64_t a = 1; a < reference_.size(); ++a)
      for (const auto before : reference_.before(a)) readers_end_[before] = std::max(readers_end_[before], a);
    for (const auto a : reference_.last()) readers_end_[a] = reference_.size();
    std::vector<std::vector<std::int64_t>> done(rows_.size());
    for (std::int64_t a = 0; a < reference_.size(); ++a)
      if (readers_end_[a] < reference_.size()) done[readers_end_[a]].push_back(a);
    for (std::int64_t a = 0; a < reference_.size(); ++a) {
      if (a % part_ == 0) starts_.push_back(held());
      make(a);
      for (const auto before : done[a]) rows_[before].reset();
    }
  }

  NetworkAlignment best() {
    NetworkAlignment found;
    Step step = cheapest(reference_.last(), hypothesis_.last());
    auto part = static_cast<std::int64_t>(starts_.size());
    for (auto a = step.a, b = step.b; a > 0 || b > 0; a = step.a, b = step.b) {
      poll(20);
      if (a / part_ != part) make_again(part = a / part_);
      step = before(a, b);
      const bool takes_reference = step.a != a, takes_hypothesis = step.b != b;
      const std::int32_t reference_label = takes_reference ? reference_.label(a) : 0;
      const std::int32_t hypothesis_label = takes_hypothesis ? hypothesis_.label(b) : 0;
      if (takes_reference) found.reference.push_back(a - 1);
      if (takes_hypothesis) found.hypothesis.push_back(b - 1);
      if (reference_label != 0 || hypothesis_label != 0)
        found.edits.push_back(hypothesis_label == 0 ? 'D' : reference_label == 0 ? 'I'
                              : reference_label == hypothesis_label ? 'C' : 'S');
    }
    std::reverse(found.reference.begin(), found.reference.end());
    std::reverse(found.hypothesis.begin(), found.hypothesis.end());
    std::reverse(found.edits.begin(), found.edits.end());
    return found;
  }

 private:
  using Row = std::shared_ptr<const std::vector<float>>;
  static constexpr float infinite = std::numeric_limits<float>::infinity();

  struct Step {
    float cost = infinite;
    std::int64_t a = -1, b = -1;  // the previous cell
  };

  float deletion(std::int64_t a) const { return reference_.label(a) == 0 ? costs_.silence : costs_.deletion; }
  float insertion(std::int64_t b) const { return hypothesis_.label(b) == 0 ? costs_.silence : costs_.insertion; }
  float pair(std::int64_t a, std::int64_t b) const {
    return reference_.label(a) == hypothesis_.label(b) ? 0.0F : costs_.substitution;
  }
  bool may_pair(std::int64_t a, std::int64_t b) const {
    return a > 0 && b > 0 && reference_.label(a) != 0 && hypothesis_.label(b) != 0;
  }

  // ---- Rows ---------------------------------------------------------------------------------------------------

  std::vector<std::pair<std::int64_t, Row>> held() const {
    std::vector<std::pair<std::int64_t, Row>> rows;
    for (std::size_t a = 0; a < rows_.size(); ++a)
      if (rows_[a]) rows.emplace_back(static_cast<std::int64_t>(a), rows_[a]);
    return rows;
  }

  void make_again(std::int64_t part) {
    for (auto& row : rows_) row.reset();
    for (const auto& [a, row] : starts_[static_cast<std::size_t>(part)]) rows_[a] = row;
    for (auto a = part * part_; a < std::min((part + 1) * part_, reference_.size()); ++a) make(a);
  }

  void make(std::int64_t a) {
    const auto width = static_cast<std::int64_t>(above_.size());
    poll(4 * width);
    auto made = std::make_shared<std::vector<float>>(above_.size(), infinite);
    float* here = made->data();
    std::fill(above_.begin(), above_.end(), infinite);
    if (a > 0)
      for (const auto before : reference_.before(a)) {
        poll(width);
        const float* row = rows_[before]->data();
        float* above = above_.data();
        for (std::int64_t b = 0; b < width; ++b) above[b] = row[b] < above[b] ? row[b] : above[b];
      }
    else
      here[0] = 0;
    if (is_chain_)
      fill_chain(a, here);
    else
      for (std::int64_t b = 0; b < width; ++b) here[b] = std::min(here[b], cost(a, b, here));
    rows_[a] = std::move(made);
  }

  float cost(std::int64_t a, std::int64_t b, const float* here) const {
    float least = a > 0 ? above_[b] + deletion(a) : infinite;
    if (b == 0) return least;
    float pairing = infinite, inserting = infinite;
    poll(static_cast<std::int64_t>(hypothesis_.before(b).size()));
    for (const auto before : hypothesis_.before(b)) {
      pairing = std::min(pairing, above_[before]);
      inserting = std::min(inserting, here[before]);
    }
    least = std::min(least, inserting + insertion(b));
    return may_pair(a, b) ? std::min(least, pairing + pair(a, b)) : least;
  }

  // Fills a row if the hypothesis is a chain: each arc follows the previous one.
  void fill_chain(std::int64_t a, float* here) {
    const auto width = static_cast<std::int64_t>(above_.size());
    const float deleting = a > 0 ? deletion(a) : infinite;
    const std::int32_t label = a > 0 ? reference_.label(a) : 0;
    const float *above = above_.data(), substitution = costs_.substitution;
    const std::int32_t* hypothesis_label = hypothesis_label_.data();
    for (std::int64_t b = 0; b < width; ++b) {
      const float cost = above[b] + deleting;
      here[b] = cost < here[b] ? cost : here[b];
    }
    if (label != 0)
      for (std::int64_t b = 1; b < width; ++b) {
        const float cost = above[b - 1] + (hypothesis_label[b] == label ? 0.0F : hypothesis_label[b] == 0 ? infinite
                                           : substitution);
        here[b] = cost < here[b] ? cost : here[b];
      }
    float last = here[0];
    for (std::int64_t b = 1; b < width; ++b) {
      const float cost = last + inserting_[b];
      here[b] = last = cost < here[b] ? cost : here[b];
    }
  }

  // ---- The alignment --------------------------------------------------------------------------------------------

  // Returns the first of the cheapest cells, with its cost.
  Step cheapest(const std::vector<std::int64_t>& as, const std::vector<std::int64_t>& bs) const {
    Step found;
    for (const auto a : as) {
      poll(static_cast<std::int64_t>(bs.size()));
      for (const auto b : bs)
        if ((*rows_[a])[b] < found.cost) found = {(*rows_[a])[b], a, b};
    }
    return found;
  }

  Step before(std::int64_t a, std::int64_t b) const {
    Step pairing, deleting, inserting;
    if (may_pair(a, b)) {
      pairing = cheapest(reference_.before(a), hypothesis_.before(b));
      pairing.cost += pair(a, b);
    }
    if (a > 0) {
      deleting = cheapest(reference_.before(a), {b});
      deleting.cost += deletion(a);
    }
    if (b > 0) {
      inserting = cheapest({a}, hypothesis_.before(b));
      inserting.cost += insertion(b);
    }
    if (pairing.a >= 0 && pairing.cost <= deleting.cost && pairing.cost <= inserting.cost) return pairing;
    return deleting.cost < inserting.cost ? deleting : inserting;
  }

  const Arcs reference_, hypothesis_;
  const EditCosts costs_;
  std::vector<Row> rows_;                  // by arc of the reference; null if not held
  std::vector<std::int64_t> readers_end_;  // by row: the last row that is made from it
  const std::int64_t part_;                // the number of rows in a part
  std::vector<std::vector<std::pair<std::int64_t, Row>>> starts_;  // by part: the rows that it needs from before
  std::vector<float> above_;               // the least of the rows that the current row is made from
  const bool is_chain_;
  std::vector<std::int32_t> hypothesis_label_;  // by arc of the hypothesis: its label
  std::vector<float> inserting_;    // likewise: the cost to insert it
};

// ---- Texts --------------------------------------------------------------------------------------------------------

// Returns whether a network is a text: its arcs follow one another, and all of them have words.
bool is_text(const Network& network) {
  if (network.arcs != network.states - 1 || !network.is_final[network.arcs]) return false;
  for (std::int32_t s = 0; s < network.arcs; ++s)
    if (network.source[s] != s || network.target[s] != s + 1 || network.label[s] <= 0 || network.is_final[s])
      return false;
  return true;
}

bool is_whole(float cost) { return cost < 1 << 20 && cost == std::floor(cost); }

// Aligns long texts in a band. Returns whether it can; then it finds the same as `Aligned`.
bool align_texts(const Network& reference, const Network& hypothesis, EditCosts costs, NetworkAlignment& found) {
  if (!is_text(reference) || !is_text(hypothesis)) return false;
  if (!is_whole(costs.substitution) || !is_whole(costs.deletion) || !is_whole(costs.insertion)) return false;
  const auto whole = [](float cost) { return static_cast<std::int64_t>(cost); };
  if (!align_long_from_end({hypothesis.label, hypothesis.arcs}, {reference.label, reference.arcs},
                           {whole(costs.substitution), whole(costs.deletion), whole(costs.insertion)}, "CSID",
                           found.edits))
    return false;
  found.reference.resize(static_cast<std::size_t>(reference.arcs));
  found.hypothesis.resize(static_cast<std::size_t>(hypothesis.arcs));
  std::iota(found.reference.begin(), found.reference.end(), 0);
  std::iota(found.hypothesis.begin(), found.hypothesis.end(), 0);
  return true;
}

}  // namespace

NetworkAlignment align_networks(const Network& reference, const Network& hypothesis, EditCosts costs,
                                std::int64_t longest_in_table) {
  NetworkAlignment found;
  if (std::max(reference.arcs, hypothesis.arcs) > longest_in_table && align_texts(reference, hypothesis, costs, found))
    return found;
  return Aligned(reference, hypothesis, costs).best();
}

}  // namespace latticemetric
