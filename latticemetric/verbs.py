"""Tools for another package that adds a verb to the command line.

A verb is a function with `verb`; its options are groups, and its files have types that say what they hold. Name it in
the entry point `latticemetric.verbs`. `docs/plugins.md` has an example.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from latticemetric.cli.commands import Options, choice, flag, option, verb
from latticemetric.cli.files import GraphFiles, Output, ReferenceFiles, TableFiles, TextFiles
from latticemetric.cli.options import CorpusOptions, Number, OutputOptions, ShardedRunOptions
from latticemetric.cli.run import show
from latticemetric.cli.verbs import About

if TYPE_CHECKING:
    from latticemetric.corpus.tables.table import Record
    from latticemetric.graph import Graph

__all__ = [
    "About",
    "CorpusOptions",
    "GraphFiles",
    "Number",
    "Options",
    "Output",
    "OutputOptions",
    "ReferenceFiles",
    "ShardedRunOptions",
    "TableFiles",
    "TextFiles",
    "ask_files",
    "choice",
    "flag",
    "option",
    "verb",
]


def ask_files(
    ask: Callable[[Graph], Record],
    files: Sequence[str],
    columns: Sequence[str],
    *,
    reading: CorpusOptions,
    run: ShardedRunOptions,
    output: OutputOptions,
) -> None:
    """Call a function on each graph of some files, and write its answers.

    This does what `--workers`, `--cluster`, `--resume`, `--shard`, `--keep-going`, `--format` and the other options of
    the groups say. Failures are reported, and set the exit status.

    Args:
        ask: A function that workers can import. It returns the named values of a graph: texts, numbers, lists, `None`.
        files: The files, folders and globs of graphs.
        columns: The names of the values, in the order of columns.
        reading: The options for reading graphs.
        run: The options of the run.
        output: The options for writing results.
    """
    from latticemetric.corpus.mapping import Recorded

    show(Recorded(function=ask, columns=tuple(columns)), reading.corpus(files), run, output)
