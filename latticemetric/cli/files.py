"""Click types for parameters that read or write files.

The types know which files a run reads and writes. So `output_guard.py` can keep outputs from overwriting inputs, and
`fingerprint.py` can list the files that a run reads.
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
WORD_SETS = ("ignore", "wildcard", "stop_words")
"""Parameters of metrics that are sets of words, written as in `--ignore`."""


class NamesFiles(click.types.StringParamType):
    """The type of an option that names a file to read.

    Attributes:
        holds: What the files hold: graphs, references, texts, tables, …
        many: True if a name can be a folder or a glob of files.
        is_file: True if the whole value is the name of a file; False if only a part or some values are.
    """

    holds: str
    many = False
    is_file = True

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value; for `ark:FILE` and other specifiers of Kaldi, return the file."""
        from latticemetric.formats.streams.specifiers import file_named

        text = super().convert(value, param, ctx)
        return file_named(text) if self.is_file and isinstance(text, str) else text

    def names(self, value: Any) -> Iterator[str]:
        """Yield the file names in the value of a parameter, as the user wrote them."""
        for each in [value] if isinstance(value, str) else value or ():
            yield from self._name(each)

    def _name(self, value: str) -> Iterator[str]:
        yield value

    def files(self, name: str, context: click.Context) -> Iterator[str]:  # noqa: ARG002  subclasses need it
        """Yield the files that the command reads for a name."""
        yield name


class ReferenceFiles(NamesFiles):
    """The type of a file of references: lines, trn, STM or CTM."""

    holds = "references"


class TextFiles(NamesFiles):
    """The type of a file of hypotheses, corrected texts, or tags of words."""

    holds = "texts"


class TableFiles(NamesFiles):
    """The type of a file of lines with fields, such as symbols, speakers, judgments or utilities."""

    holds = "tables"


class ShardFiles(NamesFiles):
    """The type of a file with the results of a shard."""

    holds = "shards"


class SystemFiles(NamesFiles):
    """The type of a file with the output of a system: graphs, or texts."""

    holds = "graphs"


class GraphFiles(NamesFiles):
    """The type of a file, folder or glob of graphs. A Kaldi script (.scp) also means the archives that it points to.

    `format_parameter` names the parameter with the format; without it, detect the format from the content.
    """

    holds = "graphs"
    many = True

    def __init__(self, format_parameter: str | None = "from_format") -> None:
        self._format_parameter = format_parameter

    def files(self, name: str, context: click.Context) -> Iterator[str]:
        """Yield the files that the command reads for a name."""
        from latticemetric.formats.reading import files_read

        if name == STANDARD:
            yield name
        else:
            parameter = self._format_parameter
            yield from files_read(name, context.params.get(parameter) if parameter else None)


class WordList(NamesFiles):
    """The type of a list of words, or of `@` and the name of a file with words."""

    holds = "words"
    is_file = False

    def _name(self, value: str) -> Iterator[str]:
        if value.startswith(_LIST_SIGN):
            yield value.removeprefix(_LIST_SIGN)


class MetricParameter(NamesFiles):
    """The type of a parameter of a metric: METRIC.NAME=VALUE. A set of words may be `@` and the name of a file."""

    holds = "words"
    is_file = False

    def _name(self, value: str) -> Iterator[str]:
        target, _, words = value.partition("=")
        if words.startswith(_LIST_SIGN) and target.rpartition(".")[2] in WORD_SETS:
            yield words.removeprefix(_LIST_SIGN)


class ScoreWeights(NamesFiles):
    """The type of NAME=NUMBER, or of the name of a file of weights."""

    holds = "weights"

    def _name(self, value: str) -> Iterator[str]:
        if os.path.exists(value):  # noqa: PTH110  a name may be longer than a path may be
            yield value


class GrammarName(NamesFiles):
    """The type of the name of a grammar, or of a file of rules."""

    holds = "grammars"
    is_file = False

    def _name(self, value: str) -> Iterator[str]:
        from latticemetric.normalization.grammar import grammar_file

        if (file := grammar_file(value)) is not None:
            yield file


class MetricName(NamesFiles):
    """The type of the name of a metric, or of an automaton file."""

    holds = "automata"
    is_file = False

    def _name(self, value: str) -> Iterator[str]:
        from latticemetric.oracle_search.settings import names_automaton

        if names_automaton(value):
            yield value


class ClusterName(NamesFiles):
    """The type of the address of a cluster, or of the name of its scheduler's file."""

    holds = "schedulers"
    is_file = False

    def names(self, value: Cluster | None) -> Iterator[str]:
        """Yield the scheduler's file, if the value names one."""
        if value is not None and value.kind == "file":
            yield value.place


class NoFile(click.types.StringParamType):
    """The type of an argument that is a plain text, not a file."""


class Output(click.types.StringParamType):
    """The type of a file to write.

    Attributes:
        holds: What the file holds: results, graphs, or anything else (files).
        has_journal: True if the command writes a journal beside this file with `--resume`.
    """

    holds = "files"
    has_journal = False

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse Kaldi's specifiers, and suffixes of compressions that cannot be written."""
        from latticemetric.errors import UsageError
        from latticemetric.formats.streams.compression import FOREIGN_SUFFIXES
        from latticemetric.formats.streams.specifiers import require_plain_name

        require_plain_name(str(value))
        for suffix in FOREIGN_SUFFIXES:
            if str(value).endswith(suffix):
                raise UsageError(f"{suffix} files cannot be written", where=value, advice="choose .gz, .xz or .zst")
        return super().convert(value, param, ctx)

    def written(self, value: str, context: click.Context) -> Iterator[str]:
        """Yield the files that the command writes; a folder of files ends in `/`."""
        yield value
        yield from self._beside(value, context)
        if self.has_journal and context.params.get("resume"):
            yield journal_of(value)

    def _beside(self, value: str, context: click.Context) -> Iterator[str]:  # noqa: ARG002  other classes need it
        return iter(())


class ResultFile(Output):
    """The type of the main output of a command; with `--resume`, the command writes a journal beside this file."""

    holds = "results"
    has_journal = True


class GraphOutput(Output):
    """The type of a file or folder for graphs; the parameter `format_parameter` or the name chooses the format."""

    holds = "graphs"

    def __init__(self, format_parameter: str | None = None) -> None:
        self._format_parameter = format_parameter

    def _beside(self, value: str, context: click.Context) -> Iterator[str]:
        from latticemetric.errors import LatticeMetricError
        from latticemetric.formats.registry import find_format, format_for_writing

        name = context.params.get(self._format_parameter) if self._format_parameter else None
        with contextlib.suppress(LatticeMetricError):  # raised again where the file is written
            target = find_format(name) if name else format_for_writing(value)
            if target.written_beside is not None:
                yield from target.written_beside(value)


class ConvertedGraphs(GraphOutput):
    """The type of the main output of a command that writes graphs; this output may replace the command's only input."""

    has_journal = True


class OutputFolder(Output):
    """The type of a folder to write into, with or without `/` at its end."""

    def written(self, value: str, context: click.Context) -> Iterator[str]:  # noqa: ARG002  other classes need it
        """Yield the folder."""
        yield os.path.join(value, "")  # noqa: PTH118  a Path would drop the slash


class ScoresOutput(Output):
    """The type of an output: a file for a table of scores, or a folder for files of scores."""

    def written(self, value: str, context: click.Context) -> Iterator[str]:  # noqa: ARG002  other classes need it
        """Yield the file or the folder."""
        is_table = value.endswith((".tsv", ".jsonl", ".parquet"))
        yield value if is_table else os.path.join(value, "")  # noqa: PTH118  as above


def journal_of(output: str) -> str:
    """Return the name of the `--resume` journal of an output."""
    return f"{output.rstrip('/')}.journal"


def named_files(context: click.Context) -> Iterator[tuple[click.Parameter, str]]:
    """Yield a (parameter, name) pair for each file name that a command reads."""
    for parameter in context.command.params:
        if isinstance(parameter.type, NamesFiles):
            for name in parameter.type.names(context.params.get(parameter.name or "")):
                yield parameter, name


def read_files(context: click.Context) -> Iterator[tuple[click.Parameter, str, str]]:
    """Yield a (parameter, name as the user wrote it, file) triple for each file that a command reads."""
    for parameter, name in named_files(context):
        assert isinstance(parameter.type, NamesFiles)
        for file in parameter.type.files(name, context):
            yield parameter, name, file


def written_files(context: click.Context) -> Iterator[tuple[click.Parameter, str]]:
    """Yield a (parameter, file) pair for each file that a command writes, except standard output."""
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if isinstance(parameter.type, Output) and value and value != STANDARD:
            for path in parameter.type.written(value, context):
                yield parameter, path


def spelled(parameter: click.Parameter) -> str:
    """Return a parameter as users write it: an option, or an argument in capitals."""
    if isinstance(parameter, click.Option):
        return parameter.opts[0]
    return parameter.human_readable_name.upper().rstrip(".")
