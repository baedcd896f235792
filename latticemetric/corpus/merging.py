"""Merge the JSON documents of the shards of a run: read them without their items, and check that they fit together."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import islice, pairwise
from typing import Any, NamedTuple, TypeVar

from latticemetric.corpus.shards import Shard
from latticemetric.errors import FormatError, InputError, UsageError
from latticemetric.formats.streams.stream import STANDARD_INPUT, open_stream

Merged = TypeVar("Merged")

# Errors that code may raise when it reads damaged sums.
_DAMAGE = (KeyError, TypeError, ValueError, AttributeError, AssertionError)
_ADVICE = 'give one document per shard, unchanged, written with shard="I/N" in JSON'
_IN_WORDS = {
    "version": "the version of this program",
    "command": "the command",
    "bytes": "the sizes of the graphs' files",
    "graphs": "the number of graphs",
    "digest": "ids or references",
}


class ShardDocument(NamedTuple):
    """A shard's document without its items: its path, its first line (before the items), and all other fields."""

    path: str
    head: str
    fields: dict[str, Any]
    shard: Shard

    @property
    def run(self) -> dict[str, Any]:
        """The data that all shards of the run share."""
        run: dict[str, Any] = self.fields["shard"]["run"]
        return run

    @property
    def sums(self) -> Any:
        """The shard's sums, from which `merge` computes totals; `None` if the document has no sums."""
        return self.fields["shard"].get("sums")


def put_together(documents: Sequence[ShardDocument], merged: Callable[[Sequence[ShardDocument]], Merged]) -> Merged:
    """Return `merged(documents)`; if the sums of a document are damaged, raise a `FormatError` with its file name."""
    try:
        return merged(documents)
    except _DAMAGE:
        if len(documents) == 1:
            raise FormatError("the sums of this shard are damaged", where=documents[0].path, advice=_ADVICE) from None
        for one in documents:
            put_together([one], merged)
        raise


def shard_documents(paths: Sequence[str]) -> list[ShardDocument]:
    """Read the documents of all shards of one run; return them in the order of the shards.

    Raises:
        UsageError: A shard is missing, is given twice, or comes from another run.
        FormatError: A file is not a document of a shard.
    """
    from latticemetric.parallel.journal import changes

    documents = sorted(map(_read, paths), key=lambda one: one.shard.index)
    first = documents[0]
    for one in documents:
        if one.shard.of != first.shard.of:
            what = f"{first.path} is one of {first.shard.of} shards, but {one.path} is one of {one.shard.of}"
            raise UsageError(what, advice="give the shards of one run only")
        if changed := sorted(_IN_WORDS.get(name, name) for name in changes(first.run, one.run)):
            if _IN_WORDS["command"] in changed:  # then nearly all options differ, too
                changed = [_IN_WORDS["command"]]
            raise UsageError(
                f"{first.path} and {one.path} are not of the same run: they differ in {', '.join(changed)}",
                advice="give all shards the same command and the same files",
            )
    of = first.shard.of
    for number in range(1, of + 1):
        same = [one.path for one in documents if one.shard.index == number]
        if not same:
            raise UsageError(f"shard {number}/{of} is missing", advice=_ADVICE)
        if len(same) > 1:
            raise UsageError(f"shard {number}/{of} is given twice: {' and '.join(same)}", advice=_ADVICE)
    return documents


def _read(path: str) -> ShardDocument:
    if path == STANDARD_INPUT:
        raise UsageError(
            "merge reads each shard twice, but standard input can be read only once", advice="give file names"
        )
    head = last = ""
    with open_stream(path) as stream:
        for line in stream.lines(passing=True):
            head, last = head or line, line
    try:
        fields = json.loads(head + last)
        shard = Shard(fields["shard"]["index"], fields["shard"]["of"])
        dict(fields["shard"]["run"]["options"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise FormatError("this is not a JSON document of a shard", where=path, advice=_ADVICE) from None
    if "table" not in fields["shard"]:
        what = "this shard comes from an earlier version of latticemetric"
        raise FormatError(what, where=path, advice="run all shards again")
    return ShardDocument(path, head, fields, shard)


class Documents:
    """The documents of all shards of one run, in order, as one document. Items are read one at a time."""

    def __init__(self, documents: Sequence[ShardDocument]) -> None:
        self._documents = documents

    def merged(self, end: str) -> Iterator[str]:
        """Yield the lines of the merged document: the same bytes that a run without shards writes.

        Items are copied unchanged. `end` is the text behind them.
        """
        yield self._documents[0].head
        before = ""
        for _, item in self._items():
            yield before + item
            before = ","
        yield end

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield the items as records.

        Raises:
            FormatError: An item was changed.
        """
        for path, item in self._items():
            with _unchanged(path):
                record = dict(json.loads(item))
                assert isinstance(record["id"], str)
            yield record

    def numbers(self) -> dict[str, int]:
        """Return the numbers of graphs that were answered and that failed."""
        failed = sum(_is_failed(item) for _, item in self._items())
        return {"graphs": self._documents[0].run["graphs"] - failed, "failed": failed}

    def _items(self) -> Iterator[tuple[str, str]]:
        """Yield the path of a document and an item, in the order of the graphs: one graph of each shard in turn."""
        documents = self._documents
        each = documents[0].fields["shard"].get("items_each", 1)
        with ExitStack() as stack:
            graphs = [
                _graphs(stack.enter_context(open_stream(one.path)).lines(passing=True), each, one.path)
                for one in documents
            ]
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
                            advice="one of the files was changed: run both shards again",
                        )
                    else:
                        yield from ((one.path, item) for item in items)


@contextmanager
def _unchanged(path: str) -> Iterator[None]:
    """Say that a file was changed, in place of the errors of code that reads its items."""
    try:
        yield
    except _DAMAGE:
        raise FormatError("an item of this shard is damaged", where=path, advice=_ADVICE) from None


def _is_failed(item: str) -> bool:
    """Return True if an item has the error of a graph; with several metrics, each of them has such an item."""
    return "error" in json.loads(item)


def _graphs(lines: Iterator[str], per_graph: int, path: str) -> Iterator[list[str]]:
    """Yield the items of each graph as a list: one item or, unless the graph failed, `per_graph` items."""
    items = (line.removeprefix(",") for line, _ in pairwise(islice(lines, 1, None)))  # without the first and the last
    for item in items:
        # A graph that failed has one item, but with several metrics one for each of them.
        alone = per_graph == 1 or ("error" in (fields := json.loads(item)) and "metric" not in fields)
        several = [item] if alone else [item, *islice(items, per_graph - 1)]
        if not alone and len(several) < per_graph:
            what = f"the last graph has {len(several)} item{'s' * (len(several) > 1)} in place of {per_graph}"
            raise InputError(what, where=path, advice=_ADVICE)
        yield several
