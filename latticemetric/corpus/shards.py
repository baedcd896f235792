"""Split a run over many graphs into shards: every N-th graph."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, Self, TypeVar

from latticemetric.errors import UsageError, shortened


class Placed(Protocol):
    """An unparsed graph or pair, with its id and place."""

    @property
    def name(self) -> str:
        """The graph's id."""

    @property
    def where(self) -> str:
        """The graph's file and line."""

    @property
    def place(self) -> str:
        """The graph's file, line and id, for errors."""


T = TypeVar("T", bound=Placed)


@dataclass(frozen=True)
class Shard:
    """Every N-th graph, where N is `of`; `index` is the number of the shard's first graph, counted from 1."""

    index: int
    of: int

    def __post_init__(self) -> None:
        if not 1 <= self.index <= self.of:
            raise UsageError(f"there is no shard {self.index} of {self.of}", advice="give I/N, from 1/N to N/N")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse `I/N`."""
        index, _, of = text.partition("/")
        if not re.fullmatch(r"[0-9]{1,18}/[0-9]{1,18}", text):
            raise UsageError(f"'{shortened(text)}' is not a shard", advice="give I/N, like 3/8: the third of eight")
        return cls(int(index), int(of))

    def size(self, graphs: int) -> int:
        """Return the number of graphs in this shard, for a run of `graphs` graphs."""
        return len(range(self.index - 1, graphs, self.of))


class ShardRun:
    """The run of one shard. It reads all graphs, so that `merge` can check that all shards had the same input.

    Args:
        shard: The shard.
        run: A function that returns the settings that all shards must share, as plain values for JSON.
    """

    def __init__(self, shard: Shard, run: Callable[[], dict[str, Any]]) -> None:
        import hashlib  # a run without shards does not need it

        self.shard, self._run = shard, run
        self._digest = hashlib.blake2b(digest_size=16)
        self._graphs = 0

    def __repr__(self) -> str:
        return f"Part(shard={self.shard!r})"  # journals store this text, so it must not change

    def take(self, graphs: Iterable[T]) -> Iterator[T]:
        """Yield the graphs (or pairs) of this shard."""
        return islice(self._digested(graphs), self.shard.index - 1, None, self.shard.of)

    def _digested(self, graphs: Iterable[T]) -> Iterator[T]:
        """Yield the graphs; add their ids, places and reference words to a digest, which `merge` compares.

        Fields:
            graphs (int): Number of graphs, and of references without graphs, in all shards.
            digest (str): A digest of the graphs' ids, the lines where they begin, and the words of their references, in
                order.
        """
        for graph in graphs:
            words = [reference.words for reference in getattr(graph, "references", ())]
            # Use the line, but not the name of the file, which may differ between machines.
            line = graph.where.rpartition(":")[2]
            fields = [graph.name, line if line.isdecimal() else "", words]
            self._digest.update(json.dumps(fields).encode())
            self._graphs += 1
            yield graph

    def asdict(self, **more: Any) -> dict[str, Any]:
        """Return the data for `merge` as plain values for JSON. Call this after all graphs were read.

        Fields:
            index (int): The I of `--shard I/N`.
            of (int): The N of `--shard I/N`.
            run (common_to_shards): What all shards of a run share.
            table (Mapping): The kind of the table, and what it shows. Its fields may change with any version.
            sums (Mapping): Exact summands of the totals; only if there are totals. Its fields may change with any
                version.
        """
        run = {**self._run(), "graphs": self._graphs, "digest": self._digest.hexdigest()}
        return {"index": self.shard.index, "of": self.shard.of, "run": run, **more}


def document_end(totals: dict[str, Any], shard: ShardRun | None = None, **more: Any) -> str:
    """Return the text after the items of a JSON document: totals and, for a shard, the data for `merge`.

    Fields:
        shard (ShardRun): The identity of the shard, and what `merge` needs.
    """
    fields = totals if shard is None else {**totals, "shard": shard.asdict(**more)}
    shown = (
        f", {json.dumps(name)}: {json.dumps(value, ensure_ascii=False, allow_nan=False)}"
        for name, value in fields.items()
    )
    return f"]{''.join(shown)}}}"
