"""Shards (every N-th graph, for jobs that share the work), their documents, and merging the documents."""

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

T = TypeVar("T", bound=Located)


@dataclass(frozen=True)
class Shard:
    """Every N-th graph.

    Attributes:
        index: The number of the shard, from 1, and of its first graph.
        of: N, the number of shards.
    """

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
        """Return the number of graphs in this shard, out of `graphs` in all."""
        return len(range(self.index - 1, graphs, self.of))


class InputDigest:
    """A digest of the graphs and references of a run: their ids, places and words, in order."""

    def __init__(self) -> None:
        self._hash = hashlib.blake2b(digest_size=16)
        self._graphs = 0

    def watched(self, questions: Iterable[T]) -> Iterator[T]:
        """Yield the graphs, and add them to the digest."""
        for question in questions:
            words = [reference.words for reference in getattr(question, "references", ())]
            # Names of files may differ between machines; a different line shows a different file.
            line = question.where.rpartition(":")[2]
            fields = [question.name, line if line.isdecimal() else "", words]
            self._hash.update(json.dumps(fields).encode())
            self._graphs += 1
            yield question

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {"graphs": self._graphs, "digest": self._hash.hexdigest()}


@dataclass(frozen=True)
class Part:
    """A running shard. It reads all graphs, so that `merge` can check that all shards had the same graphs.

    Attributes:
        shard: The shard.
        run: Returns the data that all shards of the run have in common besides their input, for JSON.
    """

    shard: Shard
    run: Callable[[], dict[str, Any]] = field(repr=False)
    _input: InputDigest = field(default_factory=InputDigest, repr=False)

    def take(self, graphs: Iterable[T]) -> Iterator[T]:
        """Yield the graphs (or pairs) of this shard, out of all."""
        return islice(self._input.watched(graphs), self.shard.index - 1, None, self.shard.of)

    def asdict(self, **more: Any) -> dict[str, Any]:
        """Return the data that `merge` needs, after all graphs were read: plain values, for JSON."""
        run = {**self.run(), **self._input.asdict()}
        return {"index": self.shard.index, "of": self.shard.of, "run": run, **more}


def document_end(totals: dict[str, Any], part: Part | None = None, **more: Any) -> str:
    """Return the text after the items of a JSON document: totals and, for a shard, the data that `merge` needs."""
    fields = totals if part is None else {**totals, "shard": part.asdict(**more)}
    shown = (f", {json.dumps(name)}: {_as_json(value)}" for name, value in fields.items())
    return f"]{''.join(shown)}}}"


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


# ---- Documents of shards: read without their items, and checked to come from the same run ----

Merged = TypeVar("Merged")

_NONSENSE = (KeyError, TypeError, ValueError, AttributeError, AssertionError)
_ADVICE = "give one document per shard, unchanged, written by --shard I/N --format json"
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
        fields: All but the items.
        shard: The shard.
    """

    path: str
    head: str
    fields: dict[str, Any]
    shard: Shard

    @property
    def run(self) -> dict[str, Any]:
        """The data that all shards of its run have in common."""
        run: dict[str, Any] = self.fields["shard"]["run"]
        return run

    @property
    def sums(self) -> Any:
        """The sums for the totals; `None` if there are none."""
        return self.fields["shard"].get("sums")


def put_together(documents: Sequence[ShardDocument], merged: Callable[[Sequence[ShardDocument]], Merged]) -> Merged:
    """Merge documents by the function `merged`; name the document whose sums are damaged.

    Raises:
        FormatError: The sums of a document are damaged.
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
    """Read the documents of all shards of one run, in order.

    Raises:
        InputError: A file is not the document of a shard, or cannot be read.
        UsageError: A shard is missing or duplicate, or the shards are not from the same run.
    """
    documents = sorted(map(_read, paths), key=lambda one: one.shard.index)
    first = documents[0]
    for one in documents:
        if one.shard.of != first.shard.of:
            raise UsageError(f"{first.path} is one of {first.shard.of} shards, but {one.path} is one of {one.shard.of}")
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
        raise UsageError("shards are read twice, but standard input can be read only once", advice="name files")
    head = last = ""
    with open_stream(path) as stream:
        for line in stream.lines(passing=True):
            head, last = head or line, line
    try:
        fields = json.loads(head + last)
        shard = Shard(fields["shard"]["index"], fields["shard"]["of"])
        dict(fields["shard"]["run"]["options"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise FormatError("this is not the document of a shard", where=path, advice=_ADVICE) from None
    return ShardDocument(path, head, fields, shard)


def _differences(one: dict[str, Any], other: dict[str, Any]) -> Iterator[str]:
    """Yield the names of the differences between two runs."""
    for name in one.keys() | other.keys():
        here, there = one.get(name), other.get(name)
        if isinstance(here, dict) and isinstance(there, dict):
            yield from _differences(here, there)
        elif here != there:
            yield _IN_WORDS.get(name, name)


def _check_one(number: int, paths: Sequence[str], of: int) -> None:
    """Refuse a missing or duplicate shard."""
    if not paths:
        raise UsageError(f"shard {number}/{of} is missing", advice=_ADVICE)
    if len(paths) > 1:
        raise UsageError(f"shard {number}/{of} is duplicate: {' and '.join(paths)}", advice=_ADVICE)


def merged(documents: Sequence[ShardDocument]) -> Iterator[str]:
    """Yield the lines of the merged document, byte for byte those of a run without shards.

    Items are not changed, and only one is in memory at a time. Give the documents of all shards, in order.
    """
    yield documents[0].head
    before = ""
    for item in _in_turn(documents):
        yield before + item
        before = ","
    yield document_end(_totals(documents))


def _in_turn(documents: Sequence[ShardDocument]) -> Iterator[str]:
    """Yield the items of all documents, one graph per shard in turn."""
    each = documents[0].fields["shard"].get("items_each", 1)
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
                        f"this shard has too many graphs to match {ended.path}",
                        where=one.path,
                        advice="run both shards again; one of the files was changed",
                    )
                else:
                    yield from items


def _graphs(lines: Iterator[str], each: int) -> Iterator[list[str]]:
    """Yield the list of items of each graph: `each` items, or a single one with the error."""
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
    """Return the totals, if there are any."""
    return put_together(documents, _merged_sums) if documents[0].sums is not None else {}


def _merged_sums(documents: Sequence[ShardDocument]) -> dict[str, Any]:
    states = [one.sums for one in documents]
    if "signature" in states[0]:  # of an automaton: rates have the signature before the items
        from latticemetric.batch.user_automaton import AutomatonTotals

        return sum(map(AutomatonTotals.of_state, states), AutomatonTotals()).asdict()
    from latticemetric.batch.totals import OracleSums

    return {"corpus": OracleSums.merged(states).corpus()}
