#include "ngrams/forest_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "graphs/best_derivation.hpp"
#include "memory/budget.hpp"
#include "ngrams/gain_chart.hpp"

namespace latticemetric {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t every_item = std::numeric_limits<std::size_t>::max();
constexpr auto no_limit = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t first_items = 1'000'000;   // that a level may take, while the bounds can be made closer
constexpr double items_of_few = 4e6;              // of a search that keeps few items: their number follows from it
constexpr std::size_t most_offered = 32;           // derivations of a search that is not proved

class ForestNgramSearch {
 public:
  ForestNgramSearch(const ForestRules& rules, const std::int32_t* words_of_symbols, GainSource& gains,
                    SearchEffort& effort, std::size_t most_bytes)
      : rules_(rules), words_of_symbols_(words_of_symbols), gains_(gains), effort_(effort), most_bytes_(most_bytes) {}

  FoundDerivation run() {
    offer(best_derivation(rules_.graph()));
    try {
      gains_.refine(effort_);
      search_again_until_proved();
    } catch (const OverBudget&) {
      if (bound_ == infinity) throw;
    }
    if (bound_ == infinity) throw TooLarge("the search for n-grams of the forest does not fit into memory");
    return {std::move(best_), bound_, is_proved_};
  }

 private:
  enum class End { proved, not_proved, no_items, no_memory };

  // Each search knows the gains of the strings before it exactly, so that it bounds others more closely. All bounds are
  // made closer once the searches have taken as much work as that will take.
  void search_again_until_proved() {
    auto begun = effort_.taken();
    while (true) {
      const auto end = search();
      if (end == End::proved || end == End::no_memory || effort_.is_over()) return;
      if (end == End::no_items) allowed_ *= 2;
      is_new_ = false;
      const bool has_learned = gains_.learn(std::exchange(offered_, {}));
      if (end == End::not_proved && !has_learned) {   // all is known: what differs is the rounding of sums
        accept();
        return;
      }
      if (static_cast<double>(effort_.taken() - begun) < gains_.work_to_refine()) continue;
      gains_.refine(effort_);
      is_new_ = true;
      begun = effort_.taken();
    }
  }

  // Searches from coarse to fine (as Petrov & Klein 2007 parse, but here nothing is lost). A level knows only a few
  // words at both ends of the strings of a part of the forest, and computes an upper bound of what a derivation can
  // gain around that part. The next level knows more words and looks only at parts that may still reach the gain of a
  // derivation found before. The last level knows all words that matter. If its best derivation gains as much as its
  // bound, no other derivation is better: one that gains as much has that bound, too, and loses the tie.
  End search() {
    const auto last = std::max(gains_.bounds().order() - 1, 0);   // an n-gram has no more words before its last one
    std::unique_ptr<GainLevel> before;
    for (std::int32_t words = 0;; words = std::min(2 * words + 1, last)) {
      auto level = level_of(words, before.get());
      if (!level->is_complete()) return level->is_full() ? End::no_memory : End::no_items;
      bound_ = std::min(bound_, std::max(level->bound(), least_));
      found_ = level->best_derivation();
      const double gain = offer(found_);
      if (words == last) {
        if (gain == level->bound()) {
          accept();
          return End::proved;
        }
        for (const auto& other : level->best_derivations(most_offered))
          if (!effort_.is_over()) offer(other);
        return End::not_proved;
      }
      level->compute_outside();
      before = std::move(level);
      if (is_new_ || items_of_offer_ < allowed_ / 8) offer_one_of_few(*before, last);
    }
  }

  void accept() {
    best_ = found_;
    is_proved_ = true;
  }

  // Without words there are few items, and no effort is taken: so there is a bound, whatever the effort. While the
  // bounds can be made closer, a level may take few items.
  std::unique_ptr<GainLevel> level_of(std::int32_t words, const GainLevel* before) {
    effort_.allow(std::isfinite(gains_.work_to_refine()) ? allowed_ : no_limit);
    return std::make_unique<GainLevel>(rules_, words_of_symbols_, gains_.bounds(), words, before,
                                       GainLevel::Limits{least_, every_item, most_bytes_},
                                       words == 0 ? free_ : effort_);
  }

  // Offers a derivation of a search that keeps the best items of each place only.
  void offer_one_of_few(const GainLevel& before, std::int32_t words) {
    const auto rules = static_cast<double>(std::max<std::int64_t>(rules_.size(), 1));
    const auto few = static_cast<std::size_t>(std::min(std::max(std::sqrt(items_of_few / rules), 2.0), 16.0));
    effort_.allow(no_limit);
    const auto taken = effort_.taken();
    const GainLevel level(rules_, words_of_symbols_, gains_.bounds(), words, &before, {least_, few, most_bytes_},
                          effort_);
    if (level.is_complete()) offer(level.best_derivation());
    items_of_offer_ = effort_.taken() - taken;
  }

  // Keeps a derivation if it gains most so far. Returns its gain.
  double offer(const std::vector<std::int64_t>& edges) {
    if (edges.empty()) return -infinity;
    auto words = words_of(edges);
    const double gain = gains_.gain(words);
    if (gain > least_) {
      least_ = gain;
      best_ = edges;
    }
    if (std::find(offered_.begin(), offered_.end(), words) == offered_.end()) offered_.push_back(std::move(words));
    return gain;
  }

  NumberedWords words_of(const std::vector<std::int64_t>& edges) const {
    NumberedWords words;
    std::vector<Symbol> pending;
    const auto open = [&](std::int64_t edge) {
      const Symbol* const symbols = rules_.symbols(edge);
      for (auto k = rules_.length(edge); k-- > 0;) pending.push_back(symbols[k]);
    };
    auto edge = edges.begin();
    open(*edge++);
    while (!pending.empty()) {
      const Symbol symbol = pending.back();
      pending.pop_back();
      if (is_node(symbol))
        open(*edge++);
      else
        words.push_back(symbol == foreign ? KnownNgrams::foreign : words_of_symbols_[symbol - 1]);
    }
    return words;
  }

  const ForestRules& rules_;
  const std::int32_t* const words_of_symbols_;
  GainSource& gains_;
  SearchEffort& effort_;
  const std::size_t most_bytes_;
  SearchEffort free_{no_limit, infinity};
  std::vector<std::int64_t> best_, found_;   // the best derivation so far, and that of the last level
  double least_ = -infinity;                 // the gain of the best derivation
  double bound_ = infinity;
  bool is_proved_ = false;
  std::vector<NumberedWords> offered_;               // strings whose gains the next search knows exactly
  std::int64_t allowed_ = first_items, items_of_offer_ = 0;
  bool is_new_ = true;                       // the bounds of all n-grams have changed
};

}  // namespace

FoundDerivation search_forest_ngrams(const ForestRules& rules, const std::int32_t* words_of_symbols, GainSource& gains,
                                     SearchEffort& effort, std::size_t most_bytes) {
  return ForestNgramSearch(rules, words_of_symbols, gains, effort, most_bytes).run();
}

}  // namespace latticemetric
