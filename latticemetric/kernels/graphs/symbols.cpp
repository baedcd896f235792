#include "graphs/symbols.hpp"

#include <algorithm>
#include <unordered_map>

namespace latticemetric {

WordClasses::WordClasses(const std::int32_t* words, std::int32_t size) : filter_(4096, 0) {
  std::unordered_map<std::int32_t, Symbol> symbols;
  Symbol next = 1;
  for (std::int32_t i = 0; i < size; ++i) {
    if (words[i] <= 0) {  // an unknown word, which no edge has: it gets a symbol of its own
      reference.push_back(next++);
      continue;
    }
    const auto found = symbols.emplace(words[i], next);
    if (found.second) ++next;
    reference.push_back(found.first->second);
    filter_[words[i] & 4095] = 1;
  }
  known_.assign(symbols.begin(), symbols.end());
  std::sort(known_.begin(), known_.end());
}

Symbol WordClasses::of(std::int32_t word) const {
  if (!filter_[word & 4095]) return foreign;
  const auto found = std::lower_bound(known_.begin(), known_.end(), std::make_pair(word, Symbol{0}));
  return found != known_.end() && found->first == word ? found->second : foreign;
}

}  // namespace latticemetric
