"""Shards: parts of many graphs for jobs that share the work, and the documents of such parts."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple, Self, TypeVar

from latticemetric.batch.run import Located
from latticemetric.errors import FormatError, InputError, UsageError, shortened
from latticemetric.formats.streams.stream import STANDARD_INPUT, open_stream

# ---- Parts of many graphs, for jobs that share the work ----


T = TypeVar("T", bound=Located)


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


# ---- The documents of shards: read without their items, and checked to be all of one run ----

Merged = TypeVar("Merged")

_NONSENSE = (KeyError, TypeError, ValueError, AttributeError, AssertionError)
_ADVICE = "give documents as --shard I/N --format json wrote them, one of each shard"
_IN_WORDS = {
    "version": "versions of this program",
    "command": "commands",
    "bytes": "sizes of the graphs' files",
    "graphs": "numbers of graphs",
    "digest": "ids or references",
}


class ShardDocument(NamedTuple):
    """A shard's document without its items.

    Attributes:
        path: Its file.
        head: Its first line, up to the items.
        told: All but the items.
        shard: Which shard it is.
    """

    path: str
    head: str
    told: dict[str, Any]
    shard: Shard

    @property
    def run(self) -> dict[str, Any]:
        """What it has in common with all shards of its run."""
        run: dict[str, Any] = self.told["shard"]["run"]
        return run

    @property
    def sums(self) -> Any:
        """What totals are made of; nothing where there are none."""
        return self.told["shard"].get("sums")


def put_together(documents: Sequence[ShardDocument], merged: Callable[[Sequence[ShardDocument]], Merged]) -> Merged:
    """What `merged` makes of the sums of documents.

    Raises:
        FormatError: Those of one of them make no sense.
    """
    try:
        return merged(documents)
    except _NONSENSE:
        if len(documents) == 1:
            raise FormatError("the sums of the shard are damaged", where=documents[0].path, advice=_ADVICE) from None
        for one in documents:
            put_together([one], merged)
        raise


def shard_documents(paths: Sequence[str]) -> list[ShardDocument]:
    """All shards of one run, in their order.

    Raises:
        InputError: A file is no shard's document, or cannot be read.
        UsageError: The shards are not all there, or not of one run.
    """
    documents = sorted(map(_read, paths), key=lambda one: one.shard.index)
    first = documents[0]
    for one in documents:
        if one.shard.of != first.shard.of:
            raise UsageError(f"{first.path} is one of {first.shard.of} shards, and {one.path} of {one.shard.of}")
        if changed := sorted(_differences(first.run, one.run)):
            raise UsageError(
                f"{first.path} and {one.path} are not of the same run: {', '.join(changed)} differ",
                advice="give all shards the same command and the same files",
            )
    for number in range(1, first.shard.of + 1):
        _check_one(number, [one.path for one in documents if one.shard.index == number], first.shard.of)
    return documents


def _read(path: str) -> ShardDocument:
    if path == STANDARD_INPUT:
        raise UsageError("shards are read twice, and standard input cannot be", advice="name files")
    head = last = ""
    with open_stream(path) as stream:
        for line in stream.lines(passing=True):
            head, last = head or line, line
    try:
        told = json.loads(head + last)
        shard = Shard(told["shard"]["index"], told["shard"]["of"])
        dict(told["shard"]["run"]["options"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise FormatError("this is no document of a shard", where=path, advice=_ADVICE) from None
    return ShardDocument(path, head, told, shard)


def _differences(one: dict[str, Any], other: dict[str, Any]) -> Iterator[str]:
    """What two runs do not have in common, in words."""
    for name in one.keys() | other.keys():
        here, there = one.get(name), other.get(name)
        if isinstance(here, dict) and isinstance(there, dict):
            yield from _differences(here, there)
        elif here != there:
            yield _IN_WORDS.get(name, name)


def _check_one(number: int, found: Sequence[str], of: int) -> None:
    """Each shard must be there once."""
    if not found:
        raise UsageError(f"shard {number}/{of} is missing", advice=_ADVICE)
    if len(found) > 1:
        raise UsageError(f"shard {number}/{of} is there twice: {' and '.join(found)}", advice=_ADVICE)


# ---- The document of all graphs, made of the documents of shards ----


def merged(documents: Sequence[ShardDocument]) -> Iterator[str]:
    """The lines of the document of the whole: what a run without shards had written, byte for byte.

    Items pass through as they are, one in memory at a time.

    Args:
        documents: Of all shards, in their order.
    """
    yield documents[0].head
    before = ""
    for item in _in_turn(documents):
        yield before + item
        before = ","
    yield document_end(_totals(documents))


def _in_turn(documents: Sequence[ShardDocument]) -> Iterator[str]:
    """The items of all, a graph of each shard in turn."""
    each = documents[0].told["shard"].get("items_each", 1)
    with ExitStack() as stack:
        graphs = [_graphs(stack.enter_context(open_stream(one.path)).lines(passing=True), each) for one in documents]
        ended: ShardDocument | None = None
        while ended is None:
            for one, stream in zip(documents, graphs, strict=True):
                items = next(stream, None)
                if items is None:
                    ended = ended or one
                elif ended is not None:
                    raise InputError(
                        f"there are more graphs than {ended.path} leaves room for",
                        where=one.path,
                        advice="one of the two is not as its run wrote it",
                    )
                else:
                    yield from items


def _graphs(lines: Iterator[str], each: int) -> Iterator[list[str]]:
    """The items of each graph; one that failed has one."""
    items = _items(lines)
    for item in items:
        yield [item] if each == 1 or "error" in json.loads(item) else [item, *islice(items, each - 1)]


def _items(lines: Iterator[str]) -> Iterator[str]:
    next(lines)
    held = next(lines, None)
    for line in lines:
        if held is not None:
            yield held.removeprefix(",")
        held = line


def _totals(documents: Sequence[ShardDocument]) -> dict[str, Any]:
    """What follows the items; nothing where there are no totals."""
    return put_together(documents, _merged_sums) if documents[0].sums is not None else {}


def _merged_sums(documents: Sequence[ShardDocument]) -> dict[str, Any]:
    states = [one.sums for one in documents]
    if "signature" in states[0]:  # an automaton's: rates are signed before their items
        from latticemetric.batch.user_automaton import AutomatonTotals

        return sum(map(AutomatonTotals.of_state, states), AutomatonTotals()).told()
    from latticemetric.batch.totals import OracleSums

    return {"corpus": OracleSums.merged(states).corpus()}
