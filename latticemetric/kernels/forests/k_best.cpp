#include "forests/k_best.hpp"

#include <algorithm>
#include <memory>

#include "forests/all_strings.hpp"
#include "forests/exact_values.hpp"
#include "forests/string_lists.hpp"
#include "forests/string_ranking.hpp"

namespace latticemetric {
namespace {

template <typename Value>
std::vector<BestDerivation> written(const std::vector<RankedString<Value>>& best, const DerivationYields& yields,
                                    std::size_t most, std::size_t most_bytes) {
  std::vector<BestDerivation> derivations;
  std::size_t bytes = 0;
  for (const auto& [gain, number] : best) {
    if (derivations.size() == most) break;
    derivations.push_back({yields.preorder(number), static_cast<Int128>(gain)});
    bytes += derivations.back().edges.size() * sizeof(std::int64_t);
    if (bytes > most_bytes)
      throw TooLarge("the derivations of the best strings do not fit into memory; ask for fewer strings, or allow more "
                     "memory (--max-memory)");
  }
  return derivations;
}

template <typename Value>
std::vector<BestDerivation> searched(const ForestRules& rules, const CanonicalRows<Value>& rows,
                                     const ShownWords& shown, std::size_t most, std::size_t most_bytes) {
  using Branches = StringBranches<Value>;
  typename Branches::Tables tables(rules, rows, {}, most_bytes / 2);
  tables.fill();
  const RuleSteps steps(rules);
  Branches branches(tables, steps, most_bytes / 8);
  DerivationYields yields(shown);
  StringLists<Value> lists(branches, rules, yields, most_bytes / 8 * 3);
  return written(lists.best({ForestPart::Kind::all, 0, 0, 0}, most), yields, most, most_bytes / 4);
}

}  // namespace

// If the forest has few strings, ranks them all. Lazy lists would go through every alignment of each string before they
// knew that there are no other strings.
std::vector<BestDerivation> k_best(const Forest& graph, const ShownWords& shown, const std::int32_t* reference,
                                   std::int32_t reference_words, Gains gains, std::int64_t most,
                                   std::size_t few, std::size_t most_bytes) {
  const WordClasses classes(reference, reference_words);
  const ForestRules rules(graph, classes);
  const auto count = static_cast<std::size_t>(most);
  auto yields = std::make_unique<DerivationYields>(shown);
  const auto strings = all_strings(graph, *yields, few, most_bytes / 4);
  if (!strings) yields.reset();
  return with_exact_value(largest_value(rules, reference_words, gains), [&](auto zero) {
    using Value = decltype(zero);
    const CanonicalRows<Value> rows(classes.reference, EditGains<Value>(gains));
    if (strings)
      return written(StringRanking<Value>(rules, rows, *yields).ranked(*strings), *yields, count, most_bytes / 4);
    return searched(rules, rows, shown, count, most_bytes);
  });
}

}  // namespace latticemetric
