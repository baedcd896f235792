#include "ngram_posteriors.hpp"

#include <algorithm>
#include <cstddef>

#include "budget.hpp"
#include "incoming.hpp"

namespace latticemetric {
namespace {

struct Arc {
  std::int32_t source;
  std::int32_t word;
  double transition;
};

// Where an n-gram ends: an arc that says its last word, whose source is reached with the others as history.
struct Site {
  std::int64_t arc;
  double history;   // the probability of that: of reaching the source so
};

class Counting {
 public:
  Counting(std::int32_t states, std::int64_t arcs, const std::int32_t* source, const std::int32_t* target,
           const std::int32_t* word, const double* transition, std::int32_t order)
      : states_(states), order_(order) {
    const auto in = incoming_arcs(states, arcs, target);
    arc_begin_ = in.begin;
    arcs_.reserve(in.arc.size());
    for (const auto a : in.arc) arcs_.push_back({source[a], word[a], transition[a]});
  }

  NgramPosteriors run() {
    expand();
    correct();
    // What rounding adds to a certainty.
    for (auto& p : posterior_) p = std::min(std::max(p, 0.0), 1.0);
    return {std::move(trie_), std::move(posterior_)};
  }

 private:
  // Expands states to the histories that they are reached with, of every length below the order, and sums up how often
  // each n-gram is met: that is the posterior of those that no path holds twice (Can & Narayanan 2015). Arcs with a
  // word extend histories, so that a history of k words comes from one of k - 1: nothing is ever shortened.
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
      // Of two arcs, one can follow the other only if its source is no smaller than the other's target.
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

  // N-grams that may stand twice on a path, shorter ones first: where the words of one without its last, or without its
  // first, never do, neither does it.
  void correct() {
    std::vector<std::int32_t> suspects;
    for (std::int32_t g = 1; g < trie_.size(); ++g)
      if (may_repeat_[g]) suspects.push_back(g);
    std::stable_sort(suspects.begin(), suspects.end(),
                     [&](std::int32_t a, std::int32_t b) { return trie_.length(a) < trie_.length(b); });
    if (suspects.empty()) return;
    repeats_.assign(posterior_.size(), 0);
    repeats_[NgramTrie::root] = 1;
    seen_.resize(static_cast<std::size_t>(states_) * static_cast<std::size_t>(trie_.length(suspects.back())));
    collect_sites();
    for (const auto g : suspects)
      if (repeats_[trie_.parent(g)] && repeats_[without_first(g)]) count_once(g);
  }

  // The sites of suspects, in the order of arcs.
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

  std::vector<std::int32_t> spelled(std::int32_t g) const {
    std::vector<std::int32_t> words;
    for (; g != NgramTrie::root; g = trie_.parent(g)) words.push_back(trie_.word(g));
    std::reverse(words.begin(), words.end());
    return words;
  }

  std::int32_t without_first(std::int32_t g) const {
    const auto words = spelled(g);
    std::int32_t node = NgramTrie::root;
    for (std::size_t k = 1; k < words.size(); ++k) node = trie_.child(node, words[k]);
    return node;
  }

  // The mass that holds the n-gram for the first time, over its sites. To know it, the mass that has held it already is
  // carried from the first site to the last: all of it, and of it what has just said the first j words, for each j.
  void count_once(std::int32_t g) {
    const auto words = spelled(g);
    const auto n = words.size();
    std::vector<std::size_t> borders{0};   // how many first words are also the last ones
    for (std::size_t j = 1; j < n; ++j)
      if (std::equal(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(j),
                     words.end() - static_cast<std::ptrdiff_t>(j)))
        borders.push_back(j);
    const Site *site = sites_.data() + site_begin_[g], *end = sites_.data() + site_begin_[g + 1];
    const auto first = first_target_[g];
    std::int32_t last = 0;
    for (auto s = site; s < end; ++s) last = std::max(last, arcs_[s->arc].source);
    double total = 0;
    const auto complete = [&](const Site& at) {
      const Arc& arc = arcs_[at.arc];
      const double again = arc.source >= first ? seen_[arc.source * n + n - 1] : 0;
      if (again > 0) repeats_[g] = 1;
      const double now = (at.history - again) * arc.transition;
      total += now;
      return now;
    };
    for (auto t = first; t <= last; ++t) {
      poll(static_cast<std::int64_t>(n) * (1 + arc_begin_[t + 1] - arc_begin_[t]));
      double* here = seen_.data() + t * n;
      std::fill(here, here + n, 0.0);
      for (auto a = arc_begin_[t]; a < arc_begin_[t + 1]; ++a) {
        const Arc& arc = arcs_[a];
        if (arc.source >= first) carry(arc, words, seen_.data() + arc.source * n, here);
        if (site < end && site->arc == a) {
          const double now = complete(*site++);
          for (const auto j : borders) here[j] += now;
        }
      }
    }
    for (; site < end; ++site) complete(*site);
    posterior_[g] = total;
  }

  static void carry(const Arc& arc, const std::vector<std::int32_t>& words, const double* from, double* to) {
    if (from[0] == 0) return;
    to[0] += from[0] * arc.transition;
    for (std::size_t j = 1; j < words.size(); ++j) {
      if (arc.word == 0)
        to[j] += from[j] * arc.transition;
      else if (arc.word == words[j - 1])
        to[j] += from[j - 1] * arc.transition;
    }
  }

  std::int32_t states_, order_;
  std::vector<std::int64_t> arc_begin_;
  std::vector<Arc> arcs_;   // by target
  NgramTrie trie_;
  std::vector<double> posterior_;
  std::vector<std::int32_t> first_target_;
  std::vector<std::uint8_t> may_repeat_, repeats_;
  std::vector<std::int64_t> begin_;          // of each state, in the two below
  std::vector<std::int32_t> history_;
  std::vector<double> mass_;                 // the probability of reaching the state with the history
  std::vector<std::int64_t> reached_at_;     // where a history stands last in them
  std::vector<std::int32_t> completed_;      // the n-gram that each arc makes of each history of its source
  std::vector<std::int64_t> site_begin_;
  std::vector<Site> sites_;
  std::vector<double> seen_;
};

}  // namespace

NgramPosteriors ngram_posteriors(std::int32_t states, std::int64_t arcs, const std::int32_t* source,
                                 const std::int32_t* target, const std::int32_t* word, const double* transition,
                                 std::int32_t order) {
  return Counting(states, arcs, source, target, word, transition, order).run();
}

}  // namespace latticemetric
