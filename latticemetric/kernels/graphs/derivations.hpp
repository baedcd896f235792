// Derivations that share their parts, and are compared without being written out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace latticemetric {

// Throws TooLarge if there are too many edges to be written out: shared parts can make a derivation longer than any
// memory.
void require_writable(std::size_t edges);

// Numbers derivations. Equal derivations have equal numbers, so that a comparison only descends where two differ.
class Derivations {
 public:
  using Number = std::int32_t;
  static constexpr std::int64_t no_edge = -1;  // the edge of a group: some of an edge's parts, put together

  // Returns the number of the derivation of an edge and of its tails' derivations, in the order of the target side.
  // Adds it if it is new.
  Number add(std::int64_t edge, const std::vector<Number>& parts);

  // Returns whether the edges of `a` in preorder come before those of `b`.
  bool less(Number a, Number b) const;

  std::vector<std::int64_t> preorder(Number root) const;

  std::size_t size() const { return trees_.size(); }
  bool is_group(Number number) const { return trees_[number].edge == no_edge; }
  const Number* parts(Number number) const { return parts_.data() + trees_[number].begin; }
  std::size_t bytes() const;

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
