// The n-grams of a string among the rows of a trie.
#pragma once

#include <cstdint>
#include <vector>

namespace latticemetric {

// Returns the row of each n-gram of a string, once per occurrence: first those that begin with its first word, shorter
// ones first. In each row, `parent` is the row of the n-gram without its last word, `ending`; parents precede their
// children, and row 0 is the empty n-gram.
std::vector<std::int64_t> rows_of_string(const std::vector<std::int32_t>& string, std::int64_t rows,
                                         const std::int32_t* parent, const std::int32_t* ending);

// Returns the number of words of each row's n-gram.
std::vector<std::int32_t> lengths_of_rows(std::int64_t rows, const std::int32_t* parent);

}  // namespace latticemetric
