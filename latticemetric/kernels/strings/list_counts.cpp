#include "strings/list_counts.hpp"

#include <algorithm>

namespace latticemetric {

void ListCounter::add(const NumberedLists& lists) {
  const std::int32_t highest = lists.hypotheses.bound() | lists.references.bound();
  for (std::int64_t s = 0; s < lists.count; ++s) {
    mark_new(lists, s);
    count_missing(lists, s);
    for (auto h = lists.begin[s]; h < lists.begin[s + 1]; ++h)
      for (auto r = lists.owner[s]; r < lists.owner[s + 1]; ++r)
        pairs_.add(lists.hypotheses.at(h), lists.references.at(r), highest);
  }
}

ListCounts ListCounter::take() {
  found_.rows = pairs_.take();
  return std::move(found_);
}

void ListCounter::mark_new(const NumberedLists& lists, std::int64_t s) {
  const auto* const first = reinterpret_cast<const char*>(lists.hypotheses.words);
  strings_.forget();
  for (auto h = lists.begin[s]; h < lists.begin[s + 1]; ++h) {
    const String words = lists.hypotheses.at(h);
    const auto known = static_cast<std::int32_t>(strings_.words().size());
    Word string;
    string.set(reinterpret_cast<const char*>(words.begin), reinterpret_cast<const char*>(words.begin + words.size),
               first);
    found_.is_new.push_back(strings_.of(string) == known);
  }
}

void ListCounter::count_missing(const NumberedLists& lists, std::int64_t s) {
  const auto end_of = [](const Strings& strings, std::int64_t k) { return strings.words + strings.begin[k]; };
  const auto *const first = end_of(lists.references, lists.owner[s]),
             *const end = end_of(lists.references, lists.owner[s + 1]);
  const std::int32_t distinct = first == end ? 0 : 1 + *std::max_element(first, end);
  in_hypotheses_.assign(static_cast<std::size_t>(distinct), 0);
  const auto* const last = end_of(lists.hypotheses, lists.begin[s + 1]);
  for (const auto* word = end_of(lists.hypotheses, lists.begin[s]); word < last; ++word)
    if (*word < distinct) in_hypotheses_[static_cast<std::size_t>(*word)] = 1;
  found_.missing.push_back(
      std::count_if(first, end, [this](std::int32_t word) { return !in_hypotheses_[static_cast<std::size_t>(word)]; }));
}

}  // namespace latticemetric
