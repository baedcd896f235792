// The failure function of Knuth, Morris and Pratt (1977).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace latticemetric {

// Returns, for each j in 0 .. n, the length of the longest proper prefix of the first j words that they also end with.
inline std::vector<std::size_t> failure_function(const std::vector<std::int32_t>& words) {
  std::vector<std::size_t> failure(words.size() + 1, 0);
  for (std::size_t j = 1; j < words.size(); ++j) {
    auto k = failure[j];
    while (k > 0 && words[k] != words[j]) k = failure[k];
    failure[j + 1] = words[k] == words[j] ? k + 1 : 0;
  }
  return failure;
}

}  // namespace latticemetric
