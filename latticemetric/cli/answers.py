"""What the verbs that ask graphs without references have in common: reading, failures, ways to write."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import click

from latticemetric.cli import options, running
from latticemetric.cli.files import GraphFiles

if TYPE_CHECKING:
    from latticemetric.batch.answers import Answer
    from latticemetric.batch.shards import Part
    from latticemetric.graph import Graph

F = TypeVar("F", bound=Callable[..., Any])
Item = dict[str, Any]

_SHARED = [
    click.argument("graphs", type=GraphFiles(), nargs=-1, required=True),
    options.scale,
    running.many_graphs,
    options.symbols,
    options.from_format,
    options.output,
    running.keep_going,
]


def shared(command: F) -> F:
    """The argument and the options of all these verbs."""
    return options.together(*_SHARED)(command)


def put_answers(
    ask: Callable[..., Any],
    lines: Callable[[Iterator[Answer]], Iterable[str]],
    *,
    graphs: tuple[str, ...],
    from_format: str | None,
    symbols: str | None,
    output: str,
    failures: str | None,
    shard: Part | None,
    evidence: tuple[str, ...] = (),
    **chosen: Any,
) -> None:
    """Asks all graphs, each with its evidence if there is any, and writes what they answer.

    Failures go to stderr, and make the exit status 1.
    """
    from latticemetric.batch.answers import answers_of
    from latticemetric.batch.mbr_evidence import answers_by_evidence, with_evidence
    from latticemetric.formats.reading import entries
    from latticemetric.formats.symbols import as_vocabulary

    vocabulary = as_vocabulary(symbols)
    found = options.progress(entries(graphs, from_format, vocabulary), None, "graphs")
    failed = running.Failures(failures)
    asked: Iterator[Answer]
    with running.running(output=output, **chosen) as run:
        if evidence:
            pairs = with_evidence(found, entries(evidence, None, vocabulary))
            asked = answers_by_evidence(running.taken(pairs, shard), ask, run)
        else:
            asked = answers_of(running.taken(found, shard), ask, run)
        with options.results(output, at_once=run.keep_going) as put:
            for line in lines(failed.reported(asked)):
                put(line)
        failed.write()
    if failed.count:
        sys.exit(1)


def written_beside(found: Iterator[Answer], path: str | None, lattice_of: Callable[[Any], Graph]) -> Iterator[Answer]:
    """Passes answers on; when all are there, writes their lattices, if a file is named.

    That is before results appear in a file, or on standard output: a lattice that cannot be written is an error
    without half a result.
    """
    if path is None:
        yield from found
        return
    from latticemetric.batch.kept_graphs import KeptGraphs
    from latticemetric.formats.registry import format_for_writing
    from latticemetric.formats.writing import write

    format_for_writing(path)  # a name that tells no format is better known before an hour of work than after it
    lattices = KeptGraphs()
    for answer in found:
        if answer.problem is None:
            lattices.add(answer.name, lattice_of(answer.value))
        yield answer
    write(path, lattices)


def json_lines(items: Iterable[Item]) -> Iterator[str]:
    """An object a line."""
    for item in items:
        yield json.dumps(item, ensure_ascii=False, allow_nan=False)


def json_document(items: Iterable[Item], name: str, shard: Part | None = None, items_each: int = 1) -> Iterator[str]:
    """One document, whose items are written as they come; so many of each graph."""
    from latticemetric.batch.shards import document_end

    yield f'{{"{name}": ['
    before = ""
    for line in json_lines(items):
        yield before + line
        before = ","
    yield document_end({}, shard, **({} if items_each == 1 else {"items_each": items_each}))


def tsv(items: Iterable[Item], columns: list[str]) -> Iterator[str]:
    """A row an item; what is missing is empty."""
    from latticemetric.cli.display import tsv_field

    yield "\t".join(columns)
    for item in items:
        yield "\t".join(tsv_field(_in_one_field(item.get(name))) for name in columns)


def _in_one_field(value: Any) -> Any:
    return " ".join(map(str, value)) if isinstance(value, list) else value
