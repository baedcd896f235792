// Operations on the bits of 64-bit words.
#pragma once

#include <cstdint>

namespace latticemetric {

// Returns how many bits of a word are set. The steps count the bits of pairs, of fours, of bytes, then of the word.
constexpr std::int64_t count_bits(std::uint64_t x) {
  x -= (x >> 1) & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
  return static_cast<std::int64_t>((x * 0x0101010101010101u) >> 56);
}

// Packs two 32-bit numbers into one key. Keys are ordered by the first number.
constexpr std::uint64_t pair_key(std::int32_t first, std::int32_t second) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(first)) << 32 | static_cast<std::uint32_t>(second);
}

}  // namespace latticemetric
