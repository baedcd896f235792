"""`latticemetric info`: sizes of lattices, forests and n-best lists."""

from __future__ import annotations

import sys

import click

from latticemetric.cli.commands import Options, choice, verb
from latticemetric.cli.files import GraphFiles
from latticemetric.cli.options import OutputOptions, ReadingOptions, ShardedRunOptions, refuse
from latticemetric.cli.run import show
from latticemetric.corpus.questions import Sizes
from latticemetric.corpus.tables.info import COLUMNS

_EPILOG = """\b
Examples:
  latticemetric info lats.ark.gz --sort arcs
  latticemetric info forests/ more.plf --format tsv | cut -f 1,8      (ids, numbers of paths)
"""


class _OrderOptions(Options):
    sort: str | None = choice(
        "--sort", COLUMNS, "Sort by this column: numbers from the largest, texts by alphabet.", optional=True
    )


@verb("info", epilog=_EPILOG)
@click.argument("graphs", type=GraphFiles(), nargs=-1, required=True)
def command(
    graphs: tuple[str, ...],
    *,
    order: _OrderOptions,
    reading: ReadingOptions,
    run: ShardedRunOptions,
    output: OutputOptions,
) -> None:
    """Show the sizes of GRAPHS: states, arcs, paths, lengths, depth, score columns.

    The text table fits the terminal: it rounds large numbers and leaves out columns that do not fit. tsv and json have
    all columns and exact numbers. GRAPHS are files, folders, quoted globs, or - for standard input.
    """
    if run.shard is not None:
        refuse(["sort"], "with --shard, since merge keeps the order of the graphs")
    sys.set_int_max_str_digits(0)  # path counts are exact, however long
    show(Sizes(sort=order.sort), reading.corpus(graphs), run, output)
