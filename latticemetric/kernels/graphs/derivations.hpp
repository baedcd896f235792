// Derivations that share their parts, and are compared without being written out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace latticemetric {

// Shared parts can make a derivation longer than any memory: throws TooLarge.
void require_writable(std::size_t edges);

// Equal derivations have equal numbers, so that a comparison only goes where two differ.
class Derivations {
 public:
  using Number = std::int32_t;
  static constexpr std::int64_t no_edge = -1;  // of some of an edge's parts, put together

  // The derivation of an edge and those of its tails, in the order of the target side.
  Number add(std::int64_t edge, const std::vector<Number>& parts);

  // Whether the edges of `a` in preorder come before those of `b`.
  bool less(Number a, Number b) const;

  // The same for derivations that are paths, an edge after its only tail: whether the ranks of edges along `a` come
  // before those along `b`.
  bool less_along(Number a, Number b, const std::int64_t* rank) const;

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
