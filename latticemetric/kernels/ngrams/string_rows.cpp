#include "ngrams/string_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "memory/budget.hpp"

namespace latticemetric {
namespace {

// Where a row's n-gram stands in a string: it begins at each of these places.
struct Places {
  std::size_t length;
  std::vector<std::size_t> begin;
};

}  // namespace

std::vector<std::int64_t> rows_of_string(const std::vector<std::int32_t>& string, std::int64_t rows,
                                         const std::int32_t* parent, const std::int32_t* ending) {
  std::unordered_map<std::int32_t, std::vector<std::size_t>> places_of_word;
  for (std::size_t k = 0; k < string.size(); ++k) places_of_word[string[k]].push_back(k);
  std::unordered_map<std::int32_t, Places> places;  // of rows that stand in the string
  std::vector<std::uint8_t> stands(static_cast<std::size_t>(rows), 0);
  std::vector<std::tuple<std::size_t, std::size_t, std::int64_t>> found;
  for (std::int64_t row = 1; row < rows; ++row) {
    poll();
    const auto before = parent[row];
    Places here{1, {}};
    if (before == 0) {
      const auto known = places_of_word.find(ending[row]);
      if (known == places_of_word.end()) continue;
      here.begin = known->second;
    } else {
      if (!stands[static_cast<std::size_t>(before)]) continue;
      const Places& shorter = places.at(before);
      here.length = shorter.length + 1;
      for (const auto begin : shorter.begin) {
        const auto last = begin + shorter.length;
        if (last < string.size() && string[last] == ending[row]) here.begin.push_back(begin);
      }
      if (here.begin.empty()) continue;
    }
    for (const auto begin : here.begin) found.emplace_back(begin, here.length, row);
    stands[static_cast<std::size_t>(row)] = 1;
    places.emplace(static_cast<std::int32_t>(row), std::move(here));
  }
  std::sort(found.begin(), found.end());
  std::vector<std::int64_t> listed;
  listed.reserve(found.size());
  for (const auto& one : found) listed.push_back(std::get<2>(one));
  return listed;
}

std::vector<std::int32_t> lengths_of_rows(std::int64_t rows, const std::int32_t* parent) {
  std::vector<std::int32_t> lengths(static_cast<std::size_t>(rows), 0);
  poll(rows);
  for (std::int64_t row = 1; row < rows; ++row)
    lengths[static_cast<std::size_t>(row)] = lengths[static_cast<std::size_t>(parent[row])] + 1;
  return lengths;
}

}  // namespace latticemetric
