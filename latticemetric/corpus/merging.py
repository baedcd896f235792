"""Merge the JSON documents of the shards of a run: read them without their items, and check that they fit together."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import islice, pairwise
from typing import Any, NamedTuple, TypeVar

from latticemetric.corpus.shards import Shard, document_end
from latticemetric.errors import FormatError, InputError, UsageError
from latticemetric.formats.streams.stream import STANDARD_INPUT, open_stream

Merged = TypeVar("Merged")

# Errors that code may raise when it reads damaged sums.
_DAMAGE = (KeyError, TypeError, ValueError, AttributeError, AssertionError)
_ADVICE = "give one document per shard, unchanged, written by --shard I/N --format json"
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
    return ShardDocument(path, head, fields, shard)


def merged_lines(documents: Sequence[ShardDocument]) -> Iterator[str]:
    """Yield the lines of the merged document: the same bytes that a run without shards writes.

    Items are copied unchanged, one at a time. `documents` are the documents of all shards, in order.
    """
    yield documents[0].head
    before = ""
    for item in merged_items(documents):
        yield before + item
        before = ","
    yield document_end(_sums(documents))


def merged_totals(documents: Sequence[ShardDocument]) -> dict[str, Any]:
    """Return the totals of all graphs; if the documents have no sums, the numbers of answers and of failed graphs."""
    if documents[0].sums is None:
        failed = sum("error" in json.loads(item) for item in merged_items(documents))
        return {"graphs": documents[0].run["graphs"] - failed, "failed": failed}
    sums = _sums(documents)
    totals: dict[str, Any] = sums.get("corpus", sums)
    return totals


def _sums(documents: Sequence[ShardDocument]) -> dict[str, Any]:
    return put_together(documents, _merged_sums) if documents[0].sums is not None else {}


def merged_items(documents: Sequence[ShardDocument]) -> Iterator[str]:
    """Yield the items of all documents in the order of the graphs: one graph of each shard in turn."""
    each = documents[0].fields["shard"].get("items_each", 1)
    with ExitStack() as stack:
        graphs = [
            _graphs(stack.enter_context(open_stream(one.path)).lines(passing=True), each, one.path) for one in documents
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
                    yield from items


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


def _merged_sums(documents: Sequence[ShardDocument]) -> dict[str, Any]:
    return _totals_of([one.sums for one in documents])


def _totals_of(states: Sequence[Any]) -> dict[str, Any]:
    if "metrics" in states[0]:
        each = {name: [state["metrics"][name] for state in states] for name in states[0]["metrics"]}
        return {"corpus": {name: _totals_of(several)["corpus"] for name, several in each.items()}}
    if "signature" in states[0]:  # sums of an automaton; documents of rates have the signature before the items
        from latticemetric.corpus.user_automaton import AutomatonTotals

        return sum(map(AutomatonTotals.of_state, states), AutomatonTotals()).asdict()
    if "expected" in states[0]:
        from latticemetric.corpus.expectations import ExpectationTotals

        return {"corpus": ExpectationTotals.merged(states)}
    if "compounds" in states[0]:
        from latticemetric.corpus.compounds import CompoundTotals

        return {"corpus": CompoundTotals.merged(states).asdict()}
    from latticemetric.corpus.oracles import OracleSums

    return {"corpus": OracleSums.merged(states).corpus()}
