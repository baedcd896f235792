// Lazy lists of the best strings of each part of a forest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "forests/derivation_yields.hpp"
#include "forests/string_branches.hpp"
#include "forests/string_ranking.hpp"
#include "memory/bits.hpp"
#include "memory/budget.hpp"

namespace latticemetric {

// Lazy k-best search (Huang & Chiang 2005, algorithm 3), with two changes. First, lists hold distinct strings: a string
// that appears again in a list, by another alignment or derivation, is dropped there, so that no list above sees it
// twice. Second, the tables and the lists bound the gain of unknown entries from above, so a list only grows if its
// next entry may be the next best one.
template <typename Value>
class StringLists {
  using Branches = StringBranches<Value>;
  using Part = ForestPart;
  using Number = DerivationYields::Number;
  using Entry = RankedString<Value>;

 public:
  StringLists(Branches& branches, const ForestRules& rules, DerivationYields& yields, std::size_t most_bytes)
      : branches_(branches), rules_(rules), graph_(rules.graph()), yields_(yields), most_bytes_(most_bytes) {}

  // Returns the best entries of a part: at least `most` of them, if the part has so many.
  const std::vector<Entry>& best(const Part& part, std::size_t most) {
    const std::int32_t asked = find(part);
    pending_.assign(1, {{asked, most - 1}, nothing});
    while (!pending_.empty())
      if (is_done(pending_.back()))
        pending_.pop_back();
      else
        grow(pending_.back().source.list);
    return lists_[asked].found;
  }

 private:
  static constexpr Value nothing = Branches::Rows::unreachable;
  static constexpr Number unknown = -1;
  static constexpr std::int32_t none = -1, not_sought = -2;  // in place of the number of a list

  // Combines entry j of the branch's right list with the i-th edge of its rule, or with entry i of its left list. The
  // key is a bound until `number` is known.
  struct Candidate {
    RankKey<Value> key;
    Value extra;
    std::int32_t branch;
    std::int32_t left = not_sought, right = not_sought;
    std::uint32_t i = 0, j = 0;
    Number number = unknown;
  };
  struct List {
    Part part;
    Value waiting = nothing;  // the best gain of the branches that are not candidates yet
    std::vector<Candidate> candidates{};  // a heap
    std::vector<Entry> found{};

    bool is_over() const { return candidates.empty() && waiting == nothing; }
  };
  struct Source {
    std::int32_t list;  // or none
    std::size_t index;
  };
  // A request for an entry. It is dropped once the entry is known to gain less than `gain`.
  struct Pending {
    Source source;
    Value gain;
  };
  struct WaitingBranch {
    std::int32_t branch;
    Value gain, extra;
  };

  std::int32_t find(const Part& part) {
    const auto [place, is_new] = numbers_.try_emplace(part, static_cast<std::int32_t>(lists_.size()));
    if (!is_new) return place->second;
    lists_.push_back({part});
    spend(sizeof(List) + sizeof(Part) + 4 * sizeof(void*));
    fill(lists_.back(), true);
    return place->second;
  }

  // Turns the waiting branches with the largest gain into candidates.
  void fill(List& list, bool is_new) {
    waiting_.clear();
    if (is_new) list.waiting = nothing;
    branches_.each(list.part, [&](std::int32_t branch, Value gain, Value extra) {
      if (is_new) list.waiting = std::max(list.waiting, gain);
      waiting_.push_back({branch, gain, extra});
    });
    Value next = nothing;
    for (const auto& [branch, gain, extra] : waiting_)
      if (gain == list.waiting)
        push(list, {{gain, branches_.least_cost(list.part, branch), 0}, extra, branch});
      else if (gain < list.waiting)
        next = std::max(next, gain);
    list.waiting = next;
  }

  // Returns the key of an entry, or a bound of it if the entry is not found yet.
  RankKey<Value> bound(const Source& source) const {
    const List& list = lists_[source.list];
    if (is_found(source)) {
      const Entry& entry = list.found[source.index];
      return {entry.gain, yields_[entry.number].cost, yields_[entry.number].words};
    }
    const auto& candidates = list.candidates;
    if (!candidates.empty() && candidates.front().key.gain > list.waiting) return candidates.front().key;
    return {list.waiting, branches_.least_cost(list.part), 0};
  }

  bool is_done(const Pending& asked) const {
    return is_found(asked.source) || !is_possible(asked.source) || bound(asked.source).gain < asked.gain;
  }

  void spend(std::size_t bytes) { bytes_ += bytes; }

  // Makes one step towards the next entry of a list.
  void grow(std::int32_t number) {
    poll(100);
    List& list = lists_[number];
    if (list.candidates.empty() || list.candidates.front().key.gain <= list.waiting)
      fill(list, false);
    else if (list.candidates.front().number == unknown)
      examine(list);
    else
      take(number, list);
    if (bytes_ + yields_.bytes() > most_bytes_)
      throw TooLarge("the partial strings of the search do not fit into memory; prune the graph, or ask for fewer "
                     "strings");
  }

  void take(std::int32_t number, List& list) {
    const Candidate best = pop(list);
    Candidate next = best;  // in both forms below no better than `best`
    next.number = unknown;
    ++next.j;
    if (best.right != none) push(list, next);
    ++next.i;
    next.j = 0;
    if (best.j == 0 && has_next_left(list, best)) push(list, next);
    const auto identity = list.part.kind == Part::Kind::step ? best.number : yields_.text(best.number);
    const std::uint64_t key = pair_key(number, identity);
    if (!known_.insert(key).second) return;
    list.found.push_back({best.key.gain, best.number});
    spend(sizeof(Entry) + 4 * sizeof(void*));
  }

  bool has_next_left(const List& list, const Candidate& candidate) const {
    if (list.part.kind != Part::Kind::node) return candidate.left != none;
    const Rule& rule = branches_.rule(list.part, candidate.branch);
    return candidate.i + 1 < rules_.alike_end(rule) - rules_.alike_begin(rule);
  }

  // Examines the best candidate of a list. Either it becomes known, or its bound falls, or it asks for an entry of
  // another list.
  void examine(List& list) {
    if (list.candidates.front().right == not_sought) seek(list, list.candidates.front());
    Candidate best = list.candidates.front();
    const Source left{best.left, best.i}, right{best.right, best.j};
    const bool exists = is_possible(left) && is_possible(right);
    const RankKey<Value> key = exists ? sum(own_key(list, best), left, right) : RankKey<Value>{};
    if (exists && !best.key.beats(key)) {
      if (!is_found(left)) return ask(left);
      if (!is_found(right)) return ask(right);
      best.number = number(list, best, left, right);
    }
    pop(list);
    best.key = key;
    if (exists) push(list, best);
  }

  void seek(const List& list, Candidate& candidate) {
    const auto joined = branches_.joined(list.part, candidate.branch);
    candidate.left = joined.has_left ? find(joined.left) : none;
    candidate.right = joined.has_right ? find(joined.right) : none;
  }

  bool is_found(const Source& source) const {
    return source.list == none || source.index < lists_[source.list].found.size();
  }
  bool is_possible(const Source& source) const { return is_found(source) || !lists_[source.list].is_over(); }
  void ask(const Source& source) { pending_.push_back({source, bound(source).gain}); }

  // Returns the part of the key that does not come from the joined entries.
  RankKey<Value> own_key(const List& list, const Candidate& candidate) const {
    if (list.part.kind == Part::Kind::all) return {candidate.extra, graph_.goal_cost[candidate.branch], 0};
    if (list.part.kind != Part::Kind::node) return {candidate.extra, 0, 0};
    const std::int64_t edge = edge_of(list, candidate);
    return {candidate.extra, graph_.cost[edge], graph_.words[edge]};
  }

  RankKey<Value> sum(RankKey<Value> key, const Source& left, const Source& right) const {
    for (const Source& source : {left, right}) {
      if (source.list == none) continue;
      const RankKey<Value> more = bound(source);
      key = {static_cast<Value>(key.gain + more.gain), key.cost + more.cost, key.words + more.words};
    }
    return key;
  }

  Number number(const List& list, const Candidate& candidate, const Source& left, const Source& right) {
    const Number* const part = right.list == none ? nullptr : &lists_[right.list].found[right.index].number;
    if (list.part.kind != Part::Kind::node)
      return left.list == none ? *part : yields_.group(lists_[left.list].found[left.index].number, *part);
    const std::int64_t edge = edge_of(list, candidate);
    return yields_.add(edge, graph_.cost[edge], part);
  }

  std::int64_t edge_of(const List& list, const Candidate& candidate) const {
    return rules_.alike_begin(branches_.rule(list.part, candidate.branch))[candidate.i];
  }

  void push(List& list, const Candidate& candidate) {
    list.candidates.push_back(candidate);
    std::push_heap(list.candidates.begin(), list.candidates.end(), order());
    spend(sizeof(Candidate));
  }

  Candidate pop(List& list) {
    std::pop_heap(list.candidates.begin(), list.candidates.end(), order());
    const Candidate best = list.candidates.back();
    list.candidates.pop_back();
    bytes_ -= sizeof(Candidate);
    return best;
  }

  // Unknown candidates come before known ones with the same key, since they may have smaller edges.
  auto order() const {
    return [this](const Candidate& a, const Candidate& b) {
      if (a.key.beats(b.key) || b.key.beats(a.key)) return b.key.beats(a.key);
      if (a.number == unknown || b.number == unknown) return b.number == unknown && a.number != unknown;
      return yields_.less(b.number, a.number);
    };
  }

  Branches& branches_;
  const ForestRules& rules_;
  const Forest& graph_;
  DerivationYields& yields_;
  const std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::deque<List> lists_;
  std::unordered_map<Part, std::int32_t, Part::Hash> numbers_;
  std::unordered_set<std::uint64_t> known_;  // the strings found so far, each with its list
  std::vector<Pending> pending_;
  std::vector<WaitingBranch> waiting_;
};

}  // namespace latticemetric
