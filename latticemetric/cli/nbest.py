"""`latticemetric nbest`: the n best strings or paths of each graph."""

from __future__ import annotations

import click

from latticemetric.cli.commands import verb
from latticemetric.cli.files import GraphFiles
from latticemetric.cli.options import (
    CorpusOptions,
    GraphFormatOptions,
    OutputOptions,
    SettingsOptions,
    ShardedRunOptions,
    lattices_option,
)
from latticemetric.cli.run import show
from latticemetric.corpus.questions import BestStrings

_EPILOG = """\b
Examples:
  latticemetric nbest lats.ark.gz -n 10 --weights acoustic=0.1
  latticemetric nbest lats.ark.gz -n 100 --write-lattices lists.nbest --sum-scores      (Moses)
  latticemetric nbest forests/ -n 100 --write-lattices lists.jsonl --output all.tsv
  latticemetric nbest lats.slf -n 5 --paths --format json      (paths, with their arcs)
"""


class _ListOptions(SettingsOptions, kinds=(BestStrings,)):
    """Options of the lists."""


class _WrittenListOptions(GraphFormatOptions):
    write_lattices: str | None = lattices_option("the n-best lists", "to_format")


@verb("nbest", epilog=_EPILOG, sections=_ListOptions.sections({}))
@click.argument("graphs", type=GraphFiles(), nargs=-1, required=True)
def command(
    graphs: tuple[str, ...],
    *,
    listed: _ListOptions,
    written: _WrittenListOptions,
    reading: CorpusOptions,
    run: ShardedRunOptions,
    output: OutputOptions,
) -> None:
    """List the N best strings of GRAPHS by ascending cost: each string once, with its best path or derivation.

    To write n-best files of other tools, use --write-lattices; its suffix or --to chooses the format. GRAPHS are files,
    folders, quoted globs, or - for standard input.
    """
    written.check_beside(written.write_lattices, "lists")
    keep = None if written.write_lattices is None else written.written(reading.weights)
    show(
        listed.settings(BestStrings, written=keep),
        reading.corpus(graphs),
        run,
        output,
        lattices=written.write_lattices,
        to_format=written.to_format,
    )
