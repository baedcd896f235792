"""The document of all graphs, made of the documents of shards."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from typing import Any

from latticemetric.batch.shards import ShardDocument, document_end, put_together
from latticemetric.errors import InputError
from latticemetric.formats.streams.stream import open_stream


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
