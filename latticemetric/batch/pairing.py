"""Which references belong to which graph. Nothing is dropped or realigned in silence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from latticemetric.errors import FormatError, InputError
from latticemetric.formats.references import Reference, ReferenceFile
from latticemetric.formats.registry import Entry

Style = Literal["auto", "plain", "keyed"]

_PAIRED_ADVICE = "or give --keep-going, which counts and reports it"


@dataclass(frozen=True)
class Pair:
    """A graph and its references; one side is missing where the input lacks it.

    Attributes:
        name: The graph's id, or the reference's where there is no graph.
        entry: The graph, not yet built.
        references: Its references, one a file.
        problem: What is missing, if anything.
    """

    name: str
    entry: Entry | None
    references: tuple[Reference, ...]
    problem: InputError | None = None


def pair_up(entries: Iterable[Entry], files: Sequence[ReferenceFile], style: Style = "auto") -> Iterator[Pair]:
    """Pairs graphs with references, file by file of references in step.

    In the style `auto`, references are keyed where every line of every file begins with a word of its own and the
    first graph's id is among them; graphs whose ids are mere positions are paired in order.
    """
    stream = iter(entries)
    first = next(stream, None)
    if first is None:
        raise FormatError("there are no graphs")
    keyed = style == "keyed" or (style == "auto" and all(f.could_be_keyed(first.name) for f in files))
    everything = chain([first], stream)
    return _by_key(everything, files) if keyed else _in_order(everything, files)


def _in_order(entries: Iterable[Entry], files: Sequence[ReferenceFile]) -> Iterator[Pair]:
    longest = max(files, key=lambda file: len(file.lines))
    for file in files:
        if len(file.lines) != len(longest.lines):
            raise FormatError(
                f"{file.name} has {len(file.lines)} lines and {longest.name} has {len(longest.lines)}",
                advice="every graph needs a reference in each file",
            )
    rows = zip(*(file.plain() for file in files), strict=True)
    count = 0
    for entry in entries:
        count += 1
        row = next(rows, None)
        if row is None:
            problem = InputError(
                f"there is no reference for graph {count}: {longest.name} has {len(longest.lines)} lines",
                where=f"{entry.where} ({entry.name})",
                advice=f"give as many references as graphs, {_PAIRED_ADVICE}",
            )
            yield Pair(entry.name, entry, (), problem)
        else:
            yield Pair(entry.name, entry, row)
    for number, row in enumerate(rows, start=count + 1):
        problem = InputError(
            f"there is no graph for reference {number}: there are {count} graphs",
            where=row[0].where,
            advice=f"give as many graphs as references, {_PAIRED_ADVICE}",
        )
        yield Pair(str(number), None, row, problem)


def _by_key(entries: Iterable[Entry], files: Sequence[ReferenceFile]) -> Iterator[Pair]:
    tables = [file.keyed() for file in files]
    used: set[str] = set()
    for entry in entries:
        if entry.name in used:
            raise FormatError(f"there are two graphs named '{entry.name}'", where=entry.where)
        used.add(entry.name)
        lacking = [file.name for file, table in zip(files, tables, strict=True) if entry.name not in table]
        if lacking:
            problem = InputError(
                f"there is no reference for '{entry.name}' in {lacking[0]}",
                where=entry.where,
                advice=f"add one, {_PAIRED_ADVICE}; if the lines do not begin with ids, say --references plain",
            )
            yield Pair(entry.name, entry, (), problem)
        else:
            yield Pair(entry.name, entry, tuple(table[entry.name] for table in tables))
    for name in dict.fromkeys(name for table in tables for name in table if name not in used):
        references = tuple(table[name] for table in tables if name in table)
        problem = InputError(
            f"there is no graph named '{name}'", where=references[0].where, advice=f"add it, {_PAIRED_ADVICE}"
        )
        yield Pair(name, None, references, problem)
