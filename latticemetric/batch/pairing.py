"""Which references belong to which graph. Nothing is dropped or realigned in silence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Literal

from latticemetric.errors import FormatError, InputError, shortened
from latticemetric.formats.references import Reference, ReferenceFile
from latticemetric.formats.registry import Entry
from latticemetric.metrics.base import GraphReference

Style = Literal["auto", "plain", "keyed"]

_LOOK_AHEAD = 16

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

    @property
    def where(self) -> str:
        """File and line of the graph; where there is none, of its reference."""
        return self.entry.where if self.entry is not None else self.references[0].where

    @property
    def place(self) -> str:
        """Where it is, for an error."""
        return self.entry.place if self.entry is not None else self.where

    def said(self) -> list[GraphReference]:
        """What each reference says."""
        return [reference.said for reference in self.references]


def pair_up(entries: Iterable[Entry], files: Sequence[ReferenceFile], style: Style = "auto") -> Iterator[Pair]:
    """Pairs graphs with references, file by file of references in step.

    In the style `auto`, references of graphs that are named by their position are plain; those of graphs with ids of
    their own are keyed if one of the first graphs' ids begins a line of each file, or its format has ids; those of
    graphs named by their files are keyed if lines begin with words of their own and half of the first graphs' ids are
    among them. One line for one such graph is plain if the id is all letters: files are named after words.
    """
    stream = iter(entries)
    first = list(islice(stream, _LOOK_AHEAD if style == "auto" else 1))
    if not first:
        raise FormatError("there are no graphs")
    keyed = style == "keyed" or (style == "auto" and all(_is_keyed(file, first) for file in files))
    everything = chain(first, stream)
    return _by_key(everything, files) if keyed else _in_order(everything, files)


def _is_keyed(file: ReferenceFile, first: Sequence[Entry]) -> bool:
    keys = file.first_words()
    names = {entry.name for entry in first}
    if first[0].naming == "position":
        return False
    if first[0].naming == "own":
        return file.has_ids or not names.isdisjoint(keys)
    if len(first) == len(file.lines) == 1 and first[0].name.isalpha():
        return False
    return len(set(keys)) == len(keys) and 2 * len(names & set(keys)) >= len(names)


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
            problem = _unreadable(entry) or InputError(
                f"there is no reference for graph {count}: {longest.name} has {len(longest.lines)} lines",
                where=entry.place,
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
            raise FormatError(f"there are two graphs named '{shortened(entry.name)}'", where=entry.where)
        used.add(entry.name)
        lacking = [file.name for file, table in zip(files, tables, strict=True) if entry.name not in table]
        if lacking:
            problem = _unreadable(entry) or InputError(
                f"there is no reference for '{shortened(entry.name)}' in {lacking[0]}",
                where=entry.where,
                advice=f"add one, {_PAIRED_ADVICE}; if the lines do not begin with ids, say --references plain",
            )
            yield Pair(entry.name, entry, tuple(t[entry.name] for t in tables if entry.name in t), problem)
        else:
            yield Pair(entry.name, entry, tuple(table[entry.name] for table in tables))
    for name in dict.fromkeys(name for table in tables for name in table if name not in used):
        references = tuple(table[name] for table in tables if name in table)
        problem = InputError(
            f"there is no graph named '{shortened(name)}'",
            where=references[0].where,
            advice=f"add it, {_PAIRED_ADVICE}",
        )
        yield Pair(name, None, references, problem)


def _unreadable(entry: Entry) -> InputError | None:
    """What is wrong with a file that cannot be read, or read on: that says more than that it has no reference."""
    if entry.format:
        return None
    try:
        entry.build()
    except InputError as error:
        return error
    return None
