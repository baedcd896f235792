"""The document of all graphs, made of the documents of shards."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from typing import Any, NamedTuple

from latticemetric.batch.shards import Shard
from latticemetric.errors import FormatError, InputError, UsageError
from latticemetric.formats.files.stream import STANDARD_INPUT, open_stream

_ADVICE = "give documents as --shard I/N --format json wrote them, one of each shard"


class _Part(NamedTuple):
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


def merged(paths: Sequence[str]) -> Iterator[str]:
    """The lines of the document of the whole: what a run without shards had written, byte for byte.

    Items pass through as they are, one in memory at a time.

    Raises:
        InputError: A file is no shard's document, or cannot be read.
        UsageError: The shards are not all there, or not of one run.
    """
    parts = _sorted([_part(path) for path in paths])
    yield parts[0].head
    before = ""
    for item in _in_turn(parts):
        yield before + item
        before = ","
    yield _tail(parts)


def _part(path: str) -> _Part:
    if path == STANDARD_INPUT:
        raise UsageError("shards are read twice, and standard input cannot be", advice="name files")
    head = last = ""
    with open_stream(path) as stream:
        for line in stream.lines(passing=True):
            head, last = head or line, line
    try:
        told = json.loads(head + last)
        shard = Shard(told["shard"]["index"], told["shard"]["of"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise FormatError("this is no document of a shard", where=path, advice=_ADVICE) from None
    return _Part(path, head, told, shard)


def _sorted(parts: Sequence[_Part]) -> list[_Part]:
    """In the order of the shards, each of which must be there once."""
    ordered = sorted(parts, key=lambda part: part.shard.index)
    first = ordered[0]
    for part in ordered:
        if part.shard.of != first.shard.of:
            raise UsageError(f"{first.path} is one of {first.shard.of} shards, and {part.path} of {part.shard.of}")
        if _kind(part) != _kind(first):
            raise UsageError(f"{first.path} and {part.path} are not of the same run", advice="give the same options")
    for number in range(1, first.shard.of + 1):
        found = [part.path for part in ordered if part.shard.index == number]
        if len(found) != 1:
            which = f"shard {number}/{first.shard.of}"
            raise UsageError(
                f"{which} is missing" if not found else f"{which} is there twice: {' and '.join(found)}", advice=_ADVICE
            )
    return ordered


def _kind(part: _Part) -> Any:
    """What shards of one run have in common."""
    sums = part.told["shard"].get("sums", {})
    told = [sums.get(name) for name in ("metric", "references", "wanted", "scorer")]
    return part.head, told, part.told["shard"].get("items_each")


def _in_turn(parts: Sequence[_Part]) -> Iterator[str]:
    """The items of all, a graph of each shard in turn."""
    each = parts[0].told["shard"].get("items_each", 1)
    with ExitStack() as stack:
        graphs = [_graphs(stack.enter_context(open_stream(part.path)).lines(passing=True), each) for part in parts]
        ended: _Part | None = None
        while ended is None:
            for part, stream in zip(parts, graphs, strict=True):
                items = next(stream, None)
                if items is None:
                    ended = ended or part
                elif ended is not None:
                    raise InputError(
                        f"there are more graphs than {ended.path} leaves room for",
                        where=part.path,
                        advice="merge shards of one run over the same graphs",
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


def _tail(parts: Sequence[_Part]) -> str:
    states = [part.told["shard"].get("sums") for part in parts]
    if None in states:
        return "]}"
    from latticemetric.batch.oracle_sums import OracleSums

    try:
        corpus = OracleSums.merged(states).corpus()
    except (KeyError, TypeError, ValueError):
        raise FormatError("the sums of a shard are damaged", where=parts[0].path, advice=_ADVICE) from None
    return '], "corpus": ' + json.dumps(corpus, ensure_ascii=False, allow_nan=False) + "}"
