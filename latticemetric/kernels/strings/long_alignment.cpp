#include "strings/long_alignment.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>
#include <vector>

#include "memory/budget.hpp"
#include "search/band_search.hpp"
#include "search/lattice_search.hpp"

namespace latticemetric {
namespace {

// What decides between alignments of the same gain, from some cell to the end.
struct Rest {
  std::int64_t matches = -1, gaps = 0;  // matches are -1 if there is no alignment
  char edit = 0;
  std::size_t next = 0;

  bool beats(const Rest& other) const {
    if (matches != other.matches) return matches > other.matches;
    if (gaps != other.gaps) return gaps < other.gaps;
    return preference(edit) < preference(other.edit);
  }
  static int preference(char edit) { return edit == 'C' ? 0 : edit == 'S' ? 1 : edit == 'D' ? 2 : 3; }
};

// An objective that keeps all alignments that gain as much as the best. Arcs cost nothing.
template <typename Value>
struct AllOptimal {
  using Completion = Rest;
  static constexpr bool adversarial = false, has_costs = false;

  Value cost(std::int64_t) const { return 0; }
  Value end_cost(std::int32_t) const { return 0; }
  Value slack(std::int32_t, std::int32_t) const { return 0; }
  void reach(std::int32_t, std::int32_t, Value) {}
};

// A lattice of one path with the words of a string. Words are one larger there, since 0 is no word in a lattice.
class Chain {
 public:
  explicit Chain(String words) : state_(static_cast<std::size_t>(words.size) + 1), ends_(state_.size(), HUGE_VAL) {
    std::iota(state_.begin(), state_.end(), 0);
    ends_.back() = 0;
    for (std::int64_t k = 0; k < words.size; ++k) label_.push_back(words.begin[k] + 1);
  }

  Lattice lattice() const {
    const auto arcs = static_cast<std::int64_t>(label_.size());
    return {static_cast<std::int32_t>(state_.size()), arcs, state_.data(), state_.data() + 1, label_.data(), nullptr,
            nullptr, ends_.data()};
  }

 private:
  std::vector<std::int32_t> state_, label_;
  std::vector<double> ends_;
};

template <typename Value>
void read(BandSearch& search, std::int32_t states, std::string& edits) {
  AllOptimal<Value> objective;
  const auto [optimal, lost] = search.best<Value>(objective, search.most<Value>(objective));
  auto transitions = search.transitions(optimal, objective);
  std::vector<Rest> rest(optimal.size());
  for (std::int32_t s = states; s-- > 0;) {
    for (auto n = optimal.end(s); n-- > optimal.begin(s);) {
      poll(20);
      const std::int32_t state = optimal.state(n);
      Rest best;
      if (transitions.ends(s, state)) best.matches = 0;
      transitions.each_transition(s, state, [&](std::int64_t, std::int32_t t, std::int32_t r, Edit edit) {
        const auto next = optimal.number(t, r);
        const char found = letter(edit);
        const Rest& after = rest[next];
        const Rest one{after.matches + (found == 'C'), after.gaps + (found == 'I' || found == 'D'), found, next};
        if (one.beats(best)) best = one;
      });
      rest[n] = best;
    }
  }
  edits.clear();
  for (std::size_t n = 0; rest[n].edit != 0; n = rest[n].next) edits.push_back(rest[n].edit);
}

// Of edits that are equally good, takes the one that comes first in `order`.
template <typename Value>
void follow(BandSearch& search, std::string_view order, std::string& edits) {
  AllOptimal<Value> objective;
  edits.clear();
  search.follow<Value>(
      objective, search.most<Value>(objective), [&](Edit edit) { return order.find(letter(edit)); },
      [&](Edit edit) { edits.push_back(letter(edit)); });
}

// Calls use(search, states, value) with the search of the hypothesis as a lattice of so many states, and with a value of
// the type that gains need. Returns false if none is large enough, or if there are more states than 32 bits can number.
template <typename Use>
bool search_long(String hypothesis, String reference, Gains gains, Use use) {
  if ((reference.size + 1) * gains.order > std::numeric_limits<std::int32_t>::max()) return false;
  const Chain chain(hypothesis);
  const Lattice lattice = chain.lattice();
  std::vector<std::int32_t> words;
  for (std::int64_t k = 0; k < reference.size; ++k) words.push_back(reference.begin[k] + 1);
  const auto size = static_cast<std::int32_t>(words.size());
  // Relative to par, a loss may be twice as large as a gain.
  const auto largest = BandSearch::largest_sum<Int128>(gains, hypothesis.size, reference.size);
  if (!fits<std::int64_t>(largest, 8)) return false;
  using Losses = std::vector<BandSearch::Loss>;
  const PrefixBounds::Costs none{Losses(static_cast<std::size_t>(lattice.arcs), 0),
                                 Losses(static_cast<std::size_t>(lattice.states), 0)};
  BandSearch search(lattice, words.data(), size, gains, none,
                    {size >= BandSearch::least_for_segments, SearchMethod().part_bytes});
  if (fits<std::int32_t>(largest, 8))
    use(search, lattice.states, std::int32_t{0});
  else
    use(search, lattice.states, std::int64_t{0});
  return true;
}

std::vector<std::int32_t> reversed(String words) {
  return {std::make_reverse_iterator(words.begin + words.size), std::make_reverse_iterator(words.begin)};
}

}  // namespace

bool align_long(String hypothesis, String reference, Gains gains, std::string& edits) {
  return search_long(hypothesis, reference, gains, [&](BandSearch& search, std::int32_t states, auto value) {
    read<decltype(value)>(search, states, edits);
  });
}

bool align_long_from_end(String hypothesis, String reference, WholeCosts costs, std::string_view order,
                         std::string& edits) {
  const auto said = reversed(hypothesis), expected = reversed(reference);
  // At par, a match costs nothing, and the other edits what they are to cost.
  const Gains gains{1, costs.substitution, costs.insertion, costs.deletion - costs.substitution};
  const bool is_found = search_long({said.data(), hypothesis.size}, {expected.data(), reference.size}, gains,
                                    [&](BandSearch& search, std::int32_t, auto value) {
                                      follow<decltype(value)>(search, order, edits);
                                    });
  std::reverse(edits.begin(), edits.end());
  return is_found;
}

}  // namespace latticemetric
