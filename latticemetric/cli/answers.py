"""What the verbs that ask graphs without references have in common: reading, failures, ways to write."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import click

from latticemetric.cli import options

if TYPE_CHECKING:
    from latticemetric.batch.answers import Answer
    from latticemetric.formats.registry import Graph

F = TypeVar("F", bound=Callable[..., Any])
Item = dict[str, Any]

_SHARED = [
    click.argument("graphs", nargs=-1, required=True),
    options.scale,
    options.workers,
    options.symbols,
    options.from_format,
    options.output,
    click.option("--keep-going", is_flag=True, help="Report graphs that fail, and go on."),
]

posterior_scale = click.option(
    "--posterior-scale",
    "scale",
    type=float,
    default=1.0,
    show_default=True,
    metavar="NUMBER",
    help="What costs are multiplied by: below 1 makes posteriors flatter.",
)


def shared(command: F) -> F:
    """The argument and the options of all these verbs."""
    for decorate in reversed(_SHARED):
        command = decorate(command)
    return command


def put_answers(
    ask: Callable[..., Any],
    lines: Callable[[Iterator[Answer]], Iterable[str]],
    *,
    graphs: tuple[str, ...],
    from_format: str | None,
    symbols: str | None,
    workers: int | None,
    keep_going: bool,
    output: str,
    evidence: tuple[str, ...] = (),
) -> None:
    """Asks all graphs, each with its evidence if there is any, and writes what they answer.

    Failures go to stderr, and make the exit status 1.
    """
    from latticemetric.batch.answers import answers_of
    from latticemetric.batch.evidence import answers_by_evidence, with_evidence
    from latticemetric.batch.workers import default_workers
    from latticemetric.formats.reading import entries
    from latticemetric.formats.symbols import as_vocabulary

    vocabulary = as_vocabulary(symbols)
    found = options.progress(entries(graphs, from_format, vocabulary), None, "graphs")
    at_once = workers or default_workers()
    failed = 0
    asked: Iterator[Answer]
    if evidence:
        pairs = with_evidence(found, entries(evidence, None, vocabulary))
        asked = answers_by_evidence(pairs, ask, keep_going=keep_going, workers=at_once)
    else:
        asked = answers_of(found, ask, keep_going=keep_going, workers=at_once)

    def answers() -> Iterator[Answer]:
        nonlocal failed
        for answer in asked:
            if answer.problem is not None:
                failed += 1
                click.echo(f"failed: {answer.problem}", err=True)
            yield answer

    with options.results(output, at_once=keep_going) as put:
        for line in lines(answers()):
            put(line)
    if failed:
        sys.exit(1)


def written_beside(found: Iterator[Answer], path: str | None, lattice_of: Callable[[Any], Graph]) -> Iterator[Answer]:
    """Passes answers on; when all are there, writes their lattices, if a file is named.

    That is before results appear in a file, or on standard output: a lattice that cannot be written is an error
    without half a result.
    """
    if path is None:
        yield from found
        return
    from latticemetric.formats.registry import format_for_writing
    from latticemetric.formats.writing import write

    format_for_writing(path)  # a name that tells no format is better known before an hour of work than after it
    lattices: list[tuple[str, Graph]] = []
    for answer in found:
        if answer.problem is None:
            lattices.append((answer.name, lattice_of(answer.value)))
        yield answer
    write(path, lattices)


def json_lines(items: Iterable[Item]) -> Iterator[str]:
    """An object a line."""
    for item in items:
        yield json.dumps(item, ensure_ascii=False, allow_nan=False)


def json_document(items: Iterable[Item], name: str) -> Iterator[str]:
    """One document, whose items are written as they come."""
    yield f'{{"{name}": ['
    before = ""
    for line in json_lines(items):
        yield before + line
        before = ","
    yield "]}"


def tsv(items: Iterable[Item], columns: list[str]) -> Iterator[str]:
    """A row an item; what is missing is empty."""
    from latticemetric.cli.display import tsv_field

    yield "\t".join(columns)
    for item in items:
        yield "\t".join(tsv_field(_in_one_field(item.get(name))) for name in columns)


def _in_one_field(value: Any) -> Any:
    return " ".join(map(str, value)) if isinstance(value, list) else value
