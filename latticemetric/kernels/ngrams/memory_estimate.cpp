#include "ngrams/memory_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include "memory/budget.hpp"

// N-grams are counted over histories: the words read last at a state. An occurrence of an n-gram is an arc with its
// last word, after a history of the arc's source with its other words. The number of paths is an upper bound of
// histories and occurrences, since several paths may have the same words.
namespace latticemetric {
namespace {

// The least bytes that the tables of `ngram_posteriors` take for each of these.
constexpr double history_bytes = 12, occurrence_bytes = 4, site_bytes = 16, ngram_bytes = 64;
constexpr double most_bytes_each = occurrence_bytes + site_bytes + ngram_bytes;
constexpr std::int32_t most_counted = 16;   // of the order: longer histories hardly add to what is too much already

constexpr std::size_t most_before = std::size_t{1} << 24;
constexpr int most_drawn = 4096;
constexpr std::int64_t most_steps = 100'000'000;
constexpr double log_of_doubt = 14;   // the natural logarithm of a million, rounded up

class MemoryEstimate {
 public:
  MemoryEstimate(std::int32_t states, const std::vector<std::int64_t>& begin, const std::vector<WordArc>& arcs,
                 std::int32_t order)
      : states_(states), begin_(begin), arcs_(arcs), order_(std::min(order, most_counted)) {}

  void require() {
    if (fits_by_paths()) return;
    sort_arcs();
    require_bounds();
    if (!collect_epsilon_arcs()) return;
    count_paths();
    for (std::size_t k = 1; k < arriving_.size(); ++k) require_sample(k);
  }

 private:
  // Returns whether the tables fit even if no two paths have the same words.
  bool fits_by_paths() const {
    std::vector<double> here(static_cast<std::size_t>(states_), 1.0), longer(here.size());
    double bytes = 0;
    for (std::int32_t k = 0; k < order_; ++k) {
      double occurrences = 0;
      for (std::int32_t t = 0; t < states_; ++t) {
        poll(begin_[t + 1] - begin_[t]);
        longer[t] = 0;
        for (auto a = begin_[t]; a < begin_[t + 1]; ++a) {
          const WordArc& arc = arcs_[a];
          longer[t] += arc.word == 0 ? longer[arc.source] : here[arc.source];
          if (arc.word != 0) occurrences += here[arc.source];
        }
        bytes += history_bytes * here[t];
      }
      bytes += most_bytes_each * occurrences;
      if (occurrences == 0) break;
      here.swap(longer);
    }
    return has_bytes(bytes);
  }

  // Sorts the arcs of each state by word, and all arcs by word.
  void sort_arcs() {
    arcs_by_word_.resize(arcs_.size());
    std::iota(arcs_by_word_.begin(), arcs_by_word_.end(), std::int64_t{0});
    target_.resize(arcs_.size());
    std::int32_t highest = 0;
    for (std::int32_t t = 0; t < states_; ++t) {
      poll(8 * (begin_[t + 1] - begin_[t]));
      const auto end = arcs_by_word_.begin() + begin_[t + 1];
      std::sort(arcs_by_word_.begin() + begin_[t], end,
                [this](auto a, auto b) { return arcs_[a].word < arcs_[b].word; });
      if (begin_[t] < begin_[t + 1]) highest = std::max(highest, arcs_[*(end - 1)].word);
      std::fill(target_.begin() + begin_[t], target_.begin() + begin_[t + 1], t);
    }
    word_begin_.assign(static_cast<std::size_t>(highest) + 2, 0);
    for (const WordArc& arc : arcs_) ++word_begin_[static_cast<std::size_t>(arc.word) + 1];
    for (std::size_t w = 1; w < word_begin_.size(); ++w) word_begin_[w] += word_begin_[w - 1];
    arcs_of_words_.resize(arcs_.size());
    auto next = word_begin_;
    for (std::size_t a = 0; a < arcs_.size(); ++a)
      arcs_of_words_[next[arcs_[a].word]++] = static_cast<std::int64_t>(a);
  }

  // Counts histories of k words from below. Take the arcs into a state with the same word: the state has at least as
  // many histories that end with this word as any of their sources has of one word less. Histories that end with
  // different words differ, so their counts add up. The same holds for n-grams.
  void require_bounds() const {
    std::vector<double> histories(static_cast<std::size_t>(states_), 1.0), longer(histories.size());
    double bytes = 0;
    for (std::int32_t k = 0; k < order_; ++k) {
      double occurrences = 0;
      std::vector<double> ngrams(word_begin_.size() - 1, 0.0);   // of k + 1 words, by the last one
      for (std::int32_t t = 0; t < states_; ++t) {
        poll(5 * (begin_[t + 1] - begin_[t]));
        double silent = 0, spoken = 0;
        for (auto at = begin_[t]; at < begin_[t + 1];) {
          const auto word = arcs_[arcs_by_word_[at]].word;
          double most = 0;
          for (; at < begin_[t + 1] && arcs_[arcs_by_word_[at]].word == word; ++at) {
            const auto source = arcs_[arcs_by_word_[at]].source;
            most = std::max(most, word == 0 ? longer[source] : histories[source]);
            if (word != 0) occurrences += histories[source];
          }
          (word == 0 ? silent : spoken) += most;
          if (word != 0) ngrams[word] = std::max(ngrams[word], most);
        }
        longer[t] = std::max(silent, spoken);
        bytes += history_bytes * histories[t];
      }
      if (occurrences == 0) return;
      bytes += occurrence_bytes * occurrences;
      for (const auto different : ngrams) bytes += ngram_bytes * different;
      require_bytes(bytes);
      histories.swap(longer);
    }
  }

  // Collects for each state the states from which arcs without words lead to it, and the state itself: paths that
  // differ only in such arcs must be counted once. Returns false if there are too many.
  bool collect_epsilon_arcs() {
    epsilon_begin_.assign(1, 0);
    std::vector<std::int32_t> seen(static_cast<std::size_t>(states_), -1);
    for (std::int32_t t = 0; t < states_; ++t) {
      epsilon_.push_back(t);
      for (auto at = begin_[t]; at < begin_[t + 1] && arcs_[arcs_by_word_[at]].word == 0; ++at) {
        const auto source = arcs_[arcs_by_word_[at]].source;
        poll(4 * (epsilon_begin_[source + 1] - epsilon_begin_[source]));
        for (auto k = epsilon_begin_[source]; k < epsilon_begin_[source + 1]; ++k) {
          const auto state = epsilon_[k];
          if (seen[state] == t) continue;
          seen[state] = t;
          epsilon_.push_back(state);
        }
      }
      if (epsilon_.size() > most_before) return false;
      epsilon_begin_.push_back(static_cast<std::int64_t>(epsilon_.size()));
    }
    return true;
  }

  // Counts for each state the paths of k words to it, which begin with a word (`paths_[k]`), and the paths of k + 1
  // words whose last arc has a word, too (`arriving_[k]`).
  void count_paths() {
    paths_.emplace_back(static_cast<std::size_t>(states_), 1.0);
    for (std::int32_t k = 0; k < order_; ++k) {
      std::vector<double> arriving(static_cast<std::size_t>(states_), 0.0), paths(arriving.size(), 0.0);
      for (std::int32_t t = 0; t < states_; ++t) {
        poll(begin_[t + 1] - begin_[t] + epsilon_begin_[t + 1] - epsilon_begin_[t]);
        for (auto a = begin_[t]; a < begin_[t + 1]; ++a)
          if (arcs_[a].word != 0) arriving[t] += paths_[k][arcs_[a].source];
        for (auto at = epsilon_begin_[t]; at < epsilon_begin_[t + 1]; ++at) paths[t] += arriving[epsilon_[at]];
      }
      arriving_.push_back(std::move(arriving));
      paths_.push_back(std::move(paths));
    }
  }

  // Estimates the bytes that n-grams of k + 1 words take. Draws from the paths that end with an n-gram, all equally
  // likely. A path that shares its occurrence with m - 1 others counts as 1/m of it (Karp & Luby 1983).
  void require_sample(std::size_t k) {
    std::vector<double> upto(static_cast<std::size_t>(states_));   // the number of paths to all states up to this one
    std::partial_sum(arriving_[k].begin(), arriving_[k].end(), upto.begin());
    const double paths = upto.back();
    if (has_bytes(most_bytes_each * paths)) return;
    double drawn = 0, sum = 0;
    for (steps_ = 0; drawn < most_drawn && steps_ < most_steps; ++drawn) {
      auto end = std::upper_bound(upto.begin(), upto.end(), uniform() * paths);
      if (end == upto.end()) end = std::lower_bound(upto.begin(), upto.end(), paths);   // rounded up to `paths`
      sum += bytes_of(drawn_path(k, static_cast<std::int32_t>(end - upto.begin()))) / most_bytes_each;
    }
    require_bytes(most_bytes_each * paths * least_expected(sum) / drawn);
  }

  // Returns the least expected value of a sum of independent numbers in 0 .. 1 for which this sum is not surprisingly
  // large (Chernoff 1952).
  static double least_expected(double sum) {
    double low = 0, high = sum;
    for (int k = 0; k < 50; ++k) {
      const double tried = (low + high) / 2;
      const bool is_surprising = tried - sum + sum * std::log(sum / tried) > log_of_doubt;
      (is_surprising ? low : high) = tried;
    }
    return low;
  }

  // Draws a path of k + 1 words whose last arc has a word and leads to the state. Returns that arc, and stores the k
  // words before it in `words_`.
  std::int64_t drawn_path(std::size_t k, std::int32_t state) {
    words_.resize(k);
    const auto last = drawn_arc(k, state);
    state = arcs_[last].source;
    while (k-- > 0) {
      const auto from = epsilon_begin_[state], to = epsilon_begin_[state + 1];
      const auto at = drawn(from, to, paths_[k + 1][state], [&](auto s) { return arriving_[k][epsilon_[s]]; });
      const auto arc = drawn_arc(k, epsilon_[at]);
      words_[k] = arcs_[arc].word;
      state = arcs_[arc].source;
    }
    return last;
  }

  std::int64_t drawn_arc(std::size_t k, std::int32_t target) {
    return drawn(begin_[target], begin_[target + 1], arriving_[k][target],
                 [&](auto a) { return arcs_[a].word == 0 ? 0.0 : paths_[k][arcs_[a].source]; });
  }

  template <typename Weight>
  std::int64_t drawn(std::int64_t from, std::int64_t to, double sum, Weight weight) {
    spend(to - from);
    double rest = uniform() * sum;
    std::int64_t taken = from;
    for (auto at = from; at < to; ++at) {
      const double more = weight(at);
      if (more == 0) continue;
      taken = at;
      if ((rest -= more) < 0) break;
    }
    return taken;
  }

  // Returns the bytes that the drawn path (`words_`, then the arc `last`) stands for: its share of its occurrence, of
  // its site if the n-gram may repeat, and of the n-gram itself.
  double bytes_of(std::int64_t last) {
    const auto word = static_cast<std::size_t>(arcs_[last].word);
    double here = 1, all = 0;
    std::int32_t first_target = std::numeric_limits<std::int32_t>::max(), last_source = 0;
    for (auto at = word_begin_[word]; at < word_begin_[word + 1]; ++at) {
      const auto a = arcs_of_words_[at];
      const double same = paths_of_words(arcs_[a].source);
      if (same == 0) continue;
      if (a == last) here = same;
      all += same;
      first_target = std::min(first_target, target_[a]);
      last_source = std::max(last_source, arcs_[a].source);
    }
    const double site = first_target <= last_source ? site_bytes : 0;
    return (occurrence_bytes + site) / here + ngram_bytes / std::max(all, here);
  }

  // Returns the number of paths to a state whose last words are `words_`.
  double paths_of_words(std::int32_t end) {
    here_.assign(1, {end, 1.0});
    for (auto left = words_.size(); left > 0 && !here_.empty(); --left) {
      before_.clear();
      for (const auto& [state, paths] : here_)
        for (auto at = epsilon_begin_[state]; at < epsilon_begin_[state + 1]; ++at)
          step_back(epsilon_[at], words_[left - 1], paths);
      merge(before_);
      here_.swap(before_);
    }
    double paths = 0;
    for (const auto& [_, some] : here_) paths += some;
    return paths;
  }

  void step_back(std::int32_t target, std::int32_t word, double paths) {
    const auto from = arcs_by_word_.begin() + begin_[target], to = arcs_by_word_.begin() + begin_[target + 1];
    auto at = std::lower_bound(from, to, word, [this](auto a, auto wanted) { return arcs_[a].word < wanted; });
    for (; at < to && arcs_[*at].word == word; ++at) {
      spend(4);
      before_.push_back({arcs_[*at].source, paths});
    }
    spend(8);
  }

  // Adds up the paths of the same state.
  static void merge(std::vector<std::pair<std::int32_t, double>>& states) {
    std::sort(states.begin(), states.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::size_t kept = 0;
    for (const auto& one : states) {
      if (kept > 0 && states[kept - 1].first == one.first)
        states[kept - 1].second += one.second;
      else
        states[kept++] = one;
    }
    states.resize(kept);
  }

  // Returns a number in [0, 1). The sequence is the same in every run: a lattice must not be refused today and counted
  // tomorrow.
  double uniform() { return static_cast<double>(random_() >> 11) * 0x1p-53; }

  void spend(std::int64_t steps) {
    poll(steps);
    steps_ += steps;
  }

  const std::int32_t states_;
  const std::vector<std::int64_t>& begin_;
  const std::vector<WordArc>& arcs_;
  const std::int32_t order_;
  std::vector<std::int64_t> arcs_by_word_;                  // by state, then by word
  std::vector<std::int32_t> target_;                        // of each arc
  std::vector<std::int64_t> word_begin_, arcs_of_words_;    // all arcs, grouped by word
  std::vector<std::int64_t> epsilon_begin_;                  // by state: the begin in `epsilon_`
  std::vector<std::int32_t> epsilon_;
  std::vector<std::vector<double>> paths_, arriving_;       // by their number of words, and by state
  std::mt19937_64 random_;
  std::int64_t steps_ = 0;
  std::vector<std::int32_t> words_;                         // of the path drawn last, without its last word
  std::vector<std::pair<std::int32_t, double>> here_, before_;   // states, with the number of paths from each
};

}  // namespace

void require_ngram_memory(std::int32_t states, const std::vector<std::int64_t>& begin, const std::vector<WordArc>& arcs,
                          std::int32_t order) {
  MemoryEstimate(states, begin, arcs, order).require();
}

}  // namespace latticemetric
