"""Parts of many graphs, for jobs that share the work."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Self, TypeVar

from latticemetric.errors import UsageError, shortened

T = TypeVar("T")


@dataclass(frozen=True)
class Shard:
    """Every so manieth graph.

    Attributes:
        index: Which shard, from 1; it begins with the graph of that number.
        of: How many shards there are.
    """

    index: int
    of: int

    def __post_init__(self) -> None:
        if not 1 <= self.index <= self.of:
            raise UsageError(f"there is no shard {self.index} of {self.of}", advice="give I/N, from 1/N to N/N")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Of `I/N`."""
        index, _, of = text.partition("/")
        if not re.fullmatch(r"[0-9]{1,18}/[0-9]{1,18}", text):
            raise UsageError(f"'{shortened(text)}' is no shard", advice="give I/N, like 3/8: the third of eight")
        return cls(int(index), int(of))

    def take(self, graphs: Iterable[T]) -> Iterator[T]:
        """Those of all graphs, or of pairs of graphs and references, that are its own."""
        return islice(graphs, self.index - 1, None, self.of)

    def size(self, graphs: int) -> int:
        """How many of so many graphs are its own."""
        return len(range(self.index - 1, graphs, self.of))

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"index": self.index, "of": self.of}
