#include "graphs/determinization.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "memory/budget.hpp"

namespace latticemetric {
namespace {

// A state that a string leads to, and how much more its best path there costs than the best path of that string.
struct Member {
  std::int32_t state;
  double residual;
  bool operator==(const Member& other) const { return state == other.state && residual == other.residual; }
};

struct Step {
  std::int32_t word, target;
  double cost;
};

class Determinization {
 public:
  Determinization(const WeightedArcs& acceptor, double delta) : acceptor_(acceptor), delta_(delta) {
    const auto states = acceptor.final_cost.size();
    arc_begin_.assign(states + 1, 0);
    for (const auto s : acceptor.source) ++arc_begin_[s + 1];
    for (std::size_t s = 0; s < states; ++s) arc_begin_[s + 1] += arc_begin_[s];
  }

  WeightedArcs run(std::int32_t start) {
    subset_ = {{start, 0}};
    number_of_subset();
    for (std::int32_t number = 0; number < static_cast<std::int32_t>(found_.final_cost.size()); ++number)
      follow(number);
    return std::move(found_);
  }

 private:
  void follow(std::int32_t number) {
    double ending = std::numeric_limits<double>::infinity();
    steps_.clear();
    for (auto m = begin_[number]; m < begin_[number + 1]; ++m) {
      const auto [state, residual] = members_[m];
      ending = std::min(ending, residual + acceptor_.final_cost[state]);
      for (auto a = arc_begin_[state]; a < arc_begin_[state + 1]; ++a)
        steps_.push_back({acceptor_.word[a], acceptor_.target[a], residual + acceptor_.cost[a]});
    }
    found_.final_cost[number] = ending;
    std::sort(steps_.begin(), steps_.end(), [](const Step& a, const Step& b) {
      return a.word != b.word ? a.word < b.word : a.target != b.target ? a.target < b.target : a.cost < b.cost;
    });
    for (std::size_t k = 0; k < steps_.size();) k = follow_word(number, k);
    poll(static_cast<std::int64_t>(20 * steps_.size()));
  }

  // Turns all steps by one word, from step `first` on, into one arc. Returns where the steps by the next word begin.
  std::size_t follow_word(std::int32_t number, std::size_t first) {
    std::size_t end = first;
    double best = std::numeric_limits<double>::infinity();
    for (; end < steps_.size() && steps_[end].word == steps_[first].word; ++end)
      best = std::min(best, steps_[end].cost);
    subset_.clear();
    for (auto k = first; k < end; ++k)
      if (subset_.empty() || subset_.back().state != steps_[k].target)
        subset_.push_back({steps_[k].target, std::floor((steps_[k].cost - best) / delta_ + 0.5) * delta_});
    const auto target = number_of_subset();
    found_.source.push_back(number);
    found_.target.push_back(target);
    found_.word.push_back(steps_[first].word);
    found_.cost.push_back(best);
    return end;
  }

  std::int32_t number_of_subset() {
    std::uint64_t hash = 0;
    for (const auto& member : subset_) {
      hash = (hash ^ static_cast<std::uint64_t>(member.state)) * 0x9E3779B97F4A7C15u;
      hash = (hash ^ static_cast<std::uint64_t>(std::llround(member.residual / delta_))) * 0xC2B2AE3D27D4EB4Fu;
      hash ^= hash >> 29;
    }
    const auto same = numbers_.equal_range(hash);
    for (auto entry = same.first; entry != same.second; ++entry)
      if (is_subset(entry->second)) return entry->second;
    const auto number = static_cast<std::int32_t>(found_.final_cost.size());
    numbers_.emplace(hash, number);
    members_.insert(members_.end(), subset_.begin(), subset_.end());
    begin_.push_back(members_.size());
    found_.final_cost.push_back(0);
    return number;
  }

  bool is_subset(std::int32_t number) const {
    return begin_[number + 1] - begin_[number] == subset_.size() &&
           std::equal(subset_.begin(), subset_.end(), members_.begin() + static_cast<std::ptrdiff_t>(begin_[number]));
  }

  const WeightedArcs& acceptor_;
  const double delta_;
  std::vector<std::size_t> arc_begin_;
  std::vector<Member> members_;          // of all subsets, one after the other
  std::vector<std::size_t> begin_{0};    // where the members of each subset begin
  std::unordered_multimap<std::uint64_t, std::int32_t> numbers_;
  std::vector<Member> subset_;
  std::vector<Step> steps_;
  WeightedArcs found_;
};

}  // namespace

WeightedArcs determinize(const WeightedArcs& acceptor, std::int32_t start, double delta) {
  return Determinization(acceptor, delta).run(start);
}

}  // namespace latticemetric
