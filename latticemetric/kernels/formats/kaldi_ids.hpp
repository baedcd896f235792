// The ids of the lattices in a Kaldi text archive.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace latticemetric {

// Returns the id in the first line of each block (see `split_blocks`), up to the first block without one: its line looks
// like an arc, a final state or a comment, or is not UTF-8.
std::vector<std::string_view> kaldi_ids(std::string_view text, const std::int64_t* blocks, std::size_t count);

}  // namespace latticemetric
