// Derivations that share their parts, and are compared without being written out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <unordered_map>
#include <vector>

namespace latticemetric {

struct TooLarge : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Shared parts can make a derivation longer than any memory: throws TooLarge.
void require_writable(std::size_t edges);

// Equal derivations have equal numbers, so that a comparison only goes where two differ.
class Derivations {
 public:
  using Number = std::int32_t;

  // The derivation of an edge and those of its tails, in the order in which they are said.
  Number add(std::int64_t edge, const std::vector<Number>& parts);

  // Whether the edges of `a` in preorder come before those of `b`.
  bool less(Number a, Number b) const;

  std::vector<std::int64_t> preorder(Number root) const;

 private:
  struct Tree {
    std::int64_t edge;
    std::size_t begin;  // of its parts
    std::size_t count;
  };
  bool is(Number number, std::int64_t edge, const std::vector<Number>& parts) const;

  std::vector<Tree> trees_;
  std::vector<Number> parts_;
  std::unordered_multimap<std::uint64_t, Number> numbers_;
};

}  // namespace latticemetric
