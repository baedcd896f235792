"""Parts of many graphs, for jobs that share the work."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol, Self, TypeVar

from latticemetric.errors import UsageError, shortened


class Question(Protocol):
    """A graph, or a graph with its references."""

    @property
    def name(self) -> str:
        """Its id."""

    @property
    def where(self) -> str:
        """File and line."""


T = TypeVar("T", bound=Question)


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

    def size(self, graphs: int) -> int:
        """How many of so many graphs are its own."""
        return len(range(self.index - 1, graphs, self.of))


class InputDigest:
    """What graphs and references a run goes through: told by their ids, places and words, in their order."""

    def __init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=16)
        self._graphs = 0

    def watched(self, questions: Iterable[T]) -> Iterator[T]:
        """Passes them on."""
        for question in questions:
            said = [reference.words for reference in getattr(question, "references", ())]
            # Files are named differently on other machines; that a graph begins at another line is another file.
            line = question.where.rpartition(":")[2]
            told = [question.name, line if line.isdecimal() else "", said]
            self._hash.update(json.dumps(told).encode())
            self._graphs += 1
            yield question

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"graphs": self._graphs, "digest": self._hash.hexdigest()}


@dataclass(frozen=True)
class Part:
    """A shard at work. It reads past all graphs, so it knows what all shards of its run must have read past.

    Attributes:
        shard: Which shard it is.
        run: Tells what the shards of one run have in common beside their input: plain values, for JSON.
    """

    shard: Shard
    run: Callable[[], dict[str, Any]] = field(repr=False)
    _input: InputDigest = field(default_factory=InputDigest, repr=False)

    def take(self, graphs: Iterable[T]) -> Iterator[T]:
        """Those of all graphs, or of pairs of graphs and references, that are its own."""
        return islice(self._input.watched(graphs), self.shard.index - 1, None, self.shard.of)

    def asdict(self, **more: Any) -> dict[str, Any]:
        """What `merge` has to know, once all graphs were read past: plain values, for JSON."""
        run = {**self.run(), **self._input.asdict()}
        return {"index": self.shard.index, "of": self.shard.of, "run": run, **more}


def document_end(told: dict[str, Any], part: Part | None = None, **more: Any) -> str:
    """What follows the items of a JSON document; of a shard, with what `merge` has to know."""
    fields = told if part is None else {**told, "shard": part.asdict(**more)}
    shown = (f", {json.dumps(name)}: {_as_json(value)}" for name, value in fields.items())
    return f"]{''.join(shown)}}}"


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
