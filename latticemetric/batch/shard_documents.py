"""The documents of shards: read without their items, and checked to be all of one run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from latticemetric.batch.shards import Shard
from latticemetric.errors import FormatError, UsageError
from latticemetric.formats.files.stream import STANDARD_INPUT, open_stream

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
