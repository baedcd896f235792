"""Click types that say which files a parameter reads or writes.

Two things follow from that for every command: no output replaces an input (`outputs.py`), and a journal knows what its
answers were made from (`fingerprint.py`).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from latticemetric.parallel.cluster import Cluster

STANDARD = "-"
_LIST_SIGN = "@"


class NamesFiles(click.types.StringParamType):
    """A text that names a file to read.

    Attributes:
        many: Whether a name may mean many files: a folder or a glob.
    """

    many = False

    def names(self, value: Any) -> Iterator[str]:
        """The names in the values of a parameter, as a user wrote them."""
        for each in [value] if isinstance(value, str) else value or ():
            yield from self._name(each)

    def _name(self, value: str) -> Iterator[str]:
        yield value

    def files(self, name: str, context: click.Context) -> Iterator[str]:  # noqa: ARG002  others need it
        """All files that are read for a name."""
        yield name


class GraphFiles(NamesFiles):
    """A file, folder or glob of graphs, with what scripts among them point to.

    Args:
        told_by: The parameter that tells the format; none: it is told by the content.
    """

    many = True

    def __init__(self, told_by: str | None = "from_format") -> None:
        self._told_by = told_by

    def files(self, name: str, context: click.Context) -> Iterator[str]:
        """All files that are read for a name."""
        from latticemetric.formats.reading import files_read

        if name == STANDARD:
            yield name
        else:
            yield from files_read(name, context.params.get(self._told_by) if self._told_by else None)


class WordList(NamesFiles):
    """Words, or a file of them after `@`."""

    def _name(self, value: str) -> Iterator[str]:
        if value.startswith(_LIST_SIGN):
            yield value.removeprefix(_LIST_SIGN)


class GrammarName(NamesFiles):
    """A grammar by its name, or a file of rules."""

    def _name(self, value: str) -> Iterator[str]:
        from latticemetric.normalization.grammar import grammar_file

        if (file := grammar_file(value)) is not None:
            yield file


class MetricName(NamesFiles):
    """A metric by its name, or a file with an automaton."""

    def _name(self, value: str) -> Iterator[str]:
        from latticemetric.cli.automaton import is_automaton

        if is_automaton(value):
            yield value


class ClusterName(NamesFiles):
    """A cluster's address, or the file of its scheduler."""

    def names(self, value: Cluster | None) -> Iterator[str]:
        """The file, if it is one."""
        if value is not None and value.kind == "file":
            yield value.place


class NoFile(click.types.StringParamType):
    """A text that names no file. Arguments have to say so, for most of them do."""


class Output(click.types.StringParamType):
    """A file to write."""

    def written(self, value: str, context: click.Context) -> Iterator[str]:  # noqa: ARG002  others need it
        """All files that are written; a folder to be written into ends in `/`."""
        yield value


class ResultFile(Output):
    """The main output of a command, which has a journal beside it under `--resume`."""

    def written(self, value: str, context: click.Context) -> Iterator[str]:
        """All files that are written."""
        yield value
        if context.params.get("resume"):
            yield journal_of(value)


class GraphOutput(Output):
    """A file of graphs, or a folder for them, in the format that its name or another option tells.

    Args:
        told_by: The parameter that tells the format.
    """

    def __init__(self, told_by: str | None = None) -> None:
        self._told_by = told_by

    def written(self, value: str, context: click.Context) -> Iterator[str]:
        """All files that are written."""
        from latticemetric.errors import LatticeMetricError
        from latticemetric.formats.registry import find_format, format_for_writing

        yield value
        told = context.params.get(self._told_by) if self._told_by else None
        with contextlib.suppress(LatticeMetricError):  # said where it is written
            chosen = find_format(told) if told else format_for_writing(value)
            if chosen.written_beside is not None:
                yield from chosen.written_beside(value)


class ConvertedGraphs(GraphOutput):
    """The same as the main output of a command; it may take the place of the only file that is read."""

    def written(self, value: str, context: click.Context) -> Iterator[str]:
        """All files that are written."""
        yield from super().written(value, context)
        if context.params.get("resume"):
            yield journal_of(value)


class OutputFolder(Output):
    """A folder to write into, with or without `/` at its end."""

    def written(self, value: str, context: click.Context) -> Iterator[str]:  # noqa: ARG002  others need it
        """The folder."""
        yield os.path.join(value, "")  # noqa: PTH118  a Path would drop the slash


def journal_of(output: str) -> str:
    """The journal that `--resume` keeps beside an output."""
    return f"{output.rstrip('/')}.journal"


def named_files(context: click.Context) -> Iterator[tuple[click.Parameter, str]]:
    """The parameters that name what a command reads, and the names."""
    for parameter in context.command.params:
        if isinstance(parameter.type, NamesFiles):
            for name in parameter.type.names(context.params.get(parameter.name or "")):
                yield parameter, name


def read_files(context: click.Context) -> Iterator[tuple[click.Parameter, str, str]]:
    """All that a command reads: the parameter, each name in it, and each file that this stands for."""
    for parameter, name in named_files(context):
        assert isinstance(parameter.type, NamesFiles)
        for file in parameter.type.files(name, context):
            yield parameter, name, file


def written_files(context: click.Context) -> Iterator[tuple[click.Parameter, str]]:
    """List each file that a command writes, with its parameter; leave out standard output."""
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if isinstance(parameter.type, Output) and value and value != STANDARD:
            for path in parameter.type.written(value, context):
                yield parameter, path


def spelled(parameter: click.Parameter) -> str:
    """A parameter as users write it: an option, or an argument in capitals."""
    return parameter.opts[0] if isinstance(parameter, click.Option) else parameter.human_readable_name.upper()
