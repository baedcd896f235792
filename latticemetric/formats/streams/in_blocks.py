"""Items of a stream that come in blocks, so that who can handles a whole block at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, islice
from typing import TypeVar

T = TypeVar("T")


class InBlocks(Iterator[T]):
    """Items one after the other, or the blocks of those that are left.

    A block makes its items when they are asked for.

    Args:
        blocks: The blocks.
        count: Called with the number of items whenever some are taken.
    """

    def __init__(self, blocks: Iterable[Sequence[T]], count: Callable[[int], object] = lambda _: None) -> None:
        self._blocks, self._count = iter(blocks), count
        self._block: Sequence[T] = ()
        self._taken = 0  # of this block

    def __next__(self) -> T:
        while self._taken == len(self._block):
            self._block, self._taken = next(self._blocks), 0
        self._taken += 1
        self._count(1)
        return self._block[self._taken - 1]

    def blocks(self) -> Iterator[Sequence[T]]:
        """Yield the blocks of the items that are left."""
        if self._taken < len(self._block):
            rest, self._block = self._block[self._taken :], ()
            self._taken = 0
            self._count(len(rest))
            yield rest
        for block in self._blocks:
            self._count(len(block))
            yield block


def blocks_of(items: Iterable[T]) -> Iterator[Sequence[T]]:
    """Yield the blocks of items; items that do not come in blocks are blocks of one."""
    return items.blocks() if isinstance(items, InBlocks) else ([item] for item in items)


def are_new(names: Sequence[str], known: AbstractSet[str]) -> bool:
    """Return True if the names of a block differ from each other, and from all that are known."""
    distinct = set(names)
    return len(distinct) == len(names) and known.isdisjoint(distinct)


def looked_ahead(items: Iterable[T], number: int) -> tuple[list[T], Iterator[T]]:
    """Return the first items, and an iterator over all of them, in blocks if they come in blocks."""
    if not isinstance(items, InBlocks):
        stream = iter(items)
        first = list(islice(stream, number))
        return first, chain(first, stream)
    blocks, read, first = items.blocks(), list[Sequence[T]](), list[T]()
    while len(first) < number and (block := next(blocks, None)) is not None:
        read.append(block)
        first += islice(block, number - len(first))
    return first, InBlocks(chain(read, blocks))
