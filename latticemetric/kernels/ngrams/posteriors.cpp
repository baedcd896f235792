#include "ngrams/posteriors.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <tuple>

#include "memory/budget.hpp"
#include "ngrams/failure_function.hpp"
#include "ngrams/memory_estimate.hpp"

namespace latticemetric {
namespace {

using Arc = WordArc;

// A site of an n-gram: an arc with its last word, whose source is reached with the other words as history.
struct Site {
  std::int64_t arc;
  double history;   // the probability of reaching the source with this history
};

// `lanes` n-grams are counted together, each in one lane of a vector. Their first words are hashed into `slots` slots.
// N-grams that begin in the same of `parts` parts of the lattice are put together.
constexpr std::size_t lanes = 16;
constexpr std::size_t slots = 256;
constexpr std::int64_t parts = 64;

// Two lanes, wherever they are in memory: a loop over single lanes is not always compiled to vector instructions.
typedef double TwoLanes __attribute__((vector_size(2 * sizeof(double)), aligned(alignof(double)), may_alias));

struct Masses {
  double of[lanes];

  void add(const Masses& other, double factor) {
    auto* const to = reinterpret_cast<TwoLanes*>(of);
    const auto* const from = reinterpret_cast<const TwoLanes*>(other.of);
    for (std::size_t k = 0; k < lanes / 2; ++k) to[k] += from[k] * factor;
  }
};

struct SiteOfLane {
  std::int64_t arc;
  double history;
  std::uint32_t lane;
};

// The mass that has read the whole n-gram before, and now its first `words` words again.
struct PartialMatch {
  std::uint32_t lane;
  std::size_t words;
  double mass;
};

class Counting {
 public:
  Counting(std::int32_t states, std::int64_t arcs, const std::int32_t* source, const std::int32_t* target,
           const std::int32_t* word, const double* transition, std::int32_t order)
      : states_(states), order_(order) {
    auto in = incoming_arcs(states, arcs, target);
    arcs_.reserve(in.arc.size());
    for (const auto a : in.arc) arcs_.push_back({source[a], word[a], transition[a]});
    arc_begin_ = std::move(in.begin);
  }

  NgramPosteriors run() {
    require_ngram_memory(states_, arc_begin_, arcs_, order_);
    expand();
    correct();
    // Rounding may push a probability out of 0 .. 1.
    for (auto& p : posterior_) p = std::min(std::max(p, 0.0), 1.0);
    return {std::move(trie_), std::move(posterior_)};
  }

 private:
  // Splits each state by its histories: the words read last, of every length below the order. Sums up the expected
  // count of each n-gram, which is the posterior of those that no path contains twice (Can & Narayanan 2015). An arc
  // with a word extends the histories of its source: a history of k words comes from one of k - 1 words, and none is
  // ever shortened.
  void expand() {
    reserve_nodes();
    begin_.assign(1, 0);
    for (std::int32_t t = 0; t < states_; ++t) {
      if (t == 0) reach(NgramTrie::root, 1);
      for (auto a = arc_begin_[t]; a < arc_begin_[t + 1]; ++a) follow(arcs_[a], t);
      begin_.push_back(static_cast<std::int64_t>(history_.size()));
    }
  }

  void follow(const Arc arc, std::int32_t t) {
    for (auto h = begin_[arc.source]; h < begin_[arc.source + 1]; ++h) {
      poll(20);
      const double mass = mass_[h] * arc.transition;
      if (arc.word == 0) {
        reach(history_[h], mass);
        continue;
      }
      if (history_[h] == NgramTrie::root) reach(NgramTrie::root, mass);
      const auto ngram = trie_.add(history_[h], arc.word);
      if (static_cast<std::size_t>(ngram) == posterior_.size()) reserve_node(t);
      // An arc can follow another one on a path only if its source is not smaller than the other's target.
      if (first_target_[ngram] <= arc.source) may_repeat_[ngram] = 1;
      posterior_[ngram] += mass;
      completed_.push_back(ngram);
      if (trie_.length(ngram) < order_) reach(ngram, mass);
    }
  }

  void reach(std::int32_t history, double mass) {
    auto& at = reached_at_[history];
    if (at >= begin_.back()) {
      mass_[at] += mass;
      return;
    }
    at = static_cast<std::int64_t>(history_.size());
    history_.push_back(history);
    mass_.push_back(mass);
  }

  void reserve_nodes() {
    posterior_.assign(1, 1);
    first_target_.assign(1, 0);
    may_repeat_.assign(1, 0);
    reached_at_.assign(1, -1);
  }

  void reserve_node(std::int32_t target) {
    posterior_.push_back(0);
    first_target_.push_back(target);
    may_repeat_.push_back(0);
    reached_at_.push_back(-1);
  }

  // Corrects the posteriors of n-grams that may occur twice on a path. Shorter ones go first: if an n-gram without its
  // last word, or without its first, never occurs twice, neither does the n-gram itself.
  void correct() {
    std::vector<std::int32_t> suspects;
    for (std::int32_t g = 1; g < trie_.size(); ++g)
      if (may_repeat_[g]) suspects.push_back(g);
    if (suspects.empty()) return;
    repeats_.assign(posterior_.size(), 0);
    repeats_[NgramTrie::root] = 1;
    collect_sites();
    // N-grams are counted together if they have the same length, and begin and end in about the same parts of the
    // lattice.
    const auto order = [&](std::int32_t g) {
      const auto part = static_cast<std::int64_t>(first_target_[g]) * parts / states_;
      return std::make_tuple(trie_.length(g), part, sites_[site_begin_[g + 1] - 1].arc, g);
    };
    std::sort(suspects.begin(), suspects.end(), [&](std::int32_t a, std::int32_t b) { return order(a) < order(b); });
    std::vector<std::int32_t> together;
    for (std::size_t k = 0; k < suspects.size(); ++k) {
      const auto g = suspects[k];
      if (repeats_[trie_.parent(g)] && repeats_[without_first(g)]) together.push_back(g);
      const bool is_last = k + 1 == suspects.size() || trie_.length(suspects[k + 1]) > trie_.length(g);
      if (together.size() < lanes && !(is_last && !together.empty())) continue;
      count_once(together);
      together.clear();
    }
  }

  // Collects the sites of the suspects, in the order of arcs.
  void collect_sites() {
    site_begin_.assign(posterior_.size() + 1, 0);
    for (const auto g : completed_) site_begin_[g + 1] += may_repeat_[g];
    for (std::size_t g = 0; g < posterior_.size(); ++g) site_begin_[g + 1] += site_begin_[g];
    sites_.resize(static_cast<std::size_t>(site_begin_.back()));
    auto next = site_begin_;
    std::size_t met = 0;
    for (std::size_t a = 0; a < arcs_.size(); ++a) {
      if (arcs_[a].word == 0) continue;
      for (auto h = begin_[arcs_[a].source]; h < begin_[arcs_[a].source + 1]; ++h) {
        poll(8);
        const auto g = completed_[met++];
        if (may_repeat_[g]) sites_[next[g]++] = {static_cast<std::int64_t>(a), mass_[h]};
      }
    }
  }

  std::int32_t without_first(std::int32_t g) const {
    const auto words = trie_.words_of(g);
    std::int32_t node = NgramTrie::root;
    for (std::size_t k = 1; k < words.size(); ++k) node = trie_.child(node, words[k]);
    return node;
  }

  // Sets the posterior of each n-gram to the mass that completes it for the first time, summed over its sites. For
  // that, two kinds of mass are carried from the first site to the last. `held_` has all mass that has completed the
  // n-gram before, a lane for each n-gram. `partial_` has the part of it that has just read the first words of the
  // n-gram again; there is little of that, so it is a list.
  void count_once(const std::vector<std::int32_t>& ngrams) {
    read(ngrams);
    double total[lanes] = {};
    auto site = together_.begin();
    const auto complete = [&](Masses& here) {
      const Arc& arc = arcs_[site->arc];
      const auto lane = site->lane;
      const double again = repeated_mass(arc.source, lane);
      if (again > 0) repeats_[ngrams[lane]] = 1;
      const double now = (site->history - again) * arc.transition;
      total[lane] += now;
      here.of[lane] += now;
      for (auto j = failure_[lane]; j > 0; j = failure_[lanes * j + lane]) add(lane, j, now);
    };
    for (auto t = first_; t <= last_; ++t) {
      poll(4 * (1 + arc_begin_[t + 1] - arc_begin_[t]));
      Masses here = carried(t);
      partial_begin_[t - first_] = here_begin_ = partial_.size();
      if (length_ > 1)
        for (auto a = arc_begin_[t]; a < arc_begin_[t + 1]; ++a)
          if (arcs_[a].source >= first_) carry_partial(arcs_[a]);
      for (; site < together_.end() && site->arc < arc_begin_[t + 1]; ++site) complete(here);
      held_[t - first_] = here;
      is_held_[t - first_] = std::any_of(here.of, here.of + lanes, [](double mass) { return mass != 0; });
      partial_begin_[t - first_ + 1] = partial_.size();
    }
    here_begin_ = partial_.size();
    for (Masses beyond{}; site < together_.end(); ++site) complete(beyond);
    for (std::size_t lane = 0; lane < ngrams.size(); ++lane) posterior_[ngrams[lane]] = total[lane];
  }

  // Sets up the lanes for n-grams of one length.
  void read(const std::vector<std::int32_t>& ngrams) {
    length_ = static_cast<std::size_t>(trie_.length(ngrams[0]));
    words_.assign(length_ * lanes, 0);
    failure_.assign(length_ * lanes, 0);
    std::fill(std::begin(begins_), std::end(begins_), 0u);
    together_.clear();
    first_ = states_, last_ = 0;
    for (std::uint32_t lane = 0; lane < ngrams.size(); ++lane) {
      const auto g = ngrams[lane];
      const auto words = trie_.words_of(g);
      for (std::size_t j = 0; j < length_; ++j) words_[lanes * j + lane] = words[j];
      chain_failures(lane, words);
      begins_[slot(words[0])] |= 1u << lane;
      first_ = std::min(first_, first_target_[g]);
      for (auto s = site_begin_[g]; s < site_begin_[g + 1]; ++s) {
        together_.push_back({sites_[s].arc, sites_[s].history, lane});
        last_ = std::max(last_, arcs_[sites_[s].arc].source);
      }
    }
    std::sort(together_.begin(), together_.end(), [](const SiteOfLane& a, const SiteOfLane& b) {
      return a.arc != b.arc ? a.arc < b.arc : a.lane < b.lane;
    });
    const auto range = static_cast<std::size_t>(std::max(last_ - first_, 0)) + 1;
    if (held_.size() < range) held_.resize(range), is_held_.resize(range), partial_begin_.resize(range + 1);
    partial_.clear();
    partial_at_.assign(length_ * lanes, -1);
  }

  // Stores the failure function of a lane, so that a loop can follow its chain: first the value for the whole n-gram,
  // then for each shorter number of words the next value.
  void chain_failures(std::uint32_t lane, const std::vector<std::int32_t>& words) {
    const auto failure = failure_function(words);
    failure_[lane] = failure[length_];
    for (std::size_t j = 1; j < length_; ++j) failure_[lanes * j + lane] = failure[j];
  }

  // Returns the mass that has completed the n-grams before it reaches state t.
  Masses carried(std::int32_t t) const {
    Masses here{};
    for (auto a = arc_begin_[t]; a < arc_begin_[t + 1]; ++a) {
      const Arc& arc = arcs_[a];
      if (arc.source < first_ || !is_held_[arc.source - first_]) continue;
      here.add(held_[arc.source - first_], arc.transition);
    }
    return here;
  }

  void carry_partial(const Arc& arc) {
    const auto s = arc.source - first_;
    for (auto k = partial_begin_[s]; k < partial_begin_[s + 1]; ++k) {
      const auto [lane, words, mass] = partial_[k];
      if (arc.word == 0)
        add(lane, words, mass * arc.transition);
      else if (words + 1 < length_ && words_[lanes * words + lane] == arc.word)
        add(lane, words + 1, mass * arc.transition);
    }
    if (arc.word == 0 || !is_held_[s]) return;
    for (auto left = begins_[slot(arc.word)]; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::uint32_t>(__builtin_ctz(left));
      if (words_[lane] == arc.word && held_[s].of[lane] != 0) add(lane, 1, held_[s].of[lane] * arc.transition);
    }
  }

  // Adds mass to a partial match of the state that is being read.
  void add(std::uint32_t lane, std::size_t words, double mass) {
    auto& at = partial_at_[lanes * words + lane];
    if (at >= static_cast<std::int64_t>(here_begin_)) {
      partial_[at].mass += mass;
      return;
    }
    at = static_cast<std::int64_t>(partial_.size());
    partial_.push_back({lane, words, mass});
  }

  // Returns the mass at a state that has completed the n-gram and has read it again, except for its last word.
  double repeated_mass(std::int32_t state, std::uint32_t lane) const {
    if (state < first_) return 0;
    const auto s = state - first_;
    if (length_ == 1) return held_[s].of[lane];
    for (auto k = partial_begin_[s]; k < partial_begin_[s + 1]; ++k)
      if (partial_[k].lane == lane && partial_[k].words + 1 == length_) return partial_[k].mass;
    return 0;
  }

  static std::size_t slot(std::int32_t word) { return static_cast<std::size_t>(word) % slots; }

  std::int32_t states_, order_;
  std::vector<std::int64_t> arc_begin_;
  std::vector<Arc> arcs_;   // by target
  NgramTrie trie_;
  std::vector<double> posterior_;
  std::vector<std::int32_t> first_target_;
  std::vector<std::uint8_t> may_repeat_, repeats_;
  std::vector<std::int64_t> begin_;          // by state: the begin in the two vectors below
  std::vector<std::int32_t> history_;
  std::vector<double> mass_;                 // the probability of reaching the state with the history
  std::vector<std::int64_t> reached_at_;     // by history: its last index in them
  std::vector<std::int32_t> completed_;      // the n-gram that each arc completes after each history of its source
  std::vector<std::int64_t> site_begin_;
  std::vector<Site> sites_;

  // For the n-grams that are counted together:
  std::size_t length_ = 0;
  std::int32_t first_ = 0, last_ = 0;        // the states between which mass is carried
  std::vector<std::int32_t> words_;          // by position and lane
  std::vector<std::size_t> failure_;
  std::uint32_t begins_[slots];              // the lanes whose first word has this hash, as bits
  std::vector<SiteOfLane> together_;
  std::vector<Masses> held_;                 // by state, from `first_` on; so are the next two
  std::vector<std::uint8_t> is_held_;
  std::vector<std::size_t> partial_begin_;
  std::vector<PartialMatch> partial_;
  std::vector<std::int64_t> partial_at_;       // by number of words and lane: the last index in `partial_`
  std::size_t here_begin_ = 0;               // where the state that is being read begins in `partial_`
};

}  // namespace

NgramPosteriors ngram_posteriors(std::int32_t states, std::int64_t arcs, const std::int32_t* source,
                                 const std::int32_t* target, const std::int32_t* word, const double* transition,
                                 std::int32_t order) {
  return Counting(states, arcs, source, target, word, transition, order).run();
}

}  // namespace latticemetric
