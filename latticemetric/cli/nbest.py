"""`latticemetric nbest`: the n best strings or paths of each graph."""

from __future__ import annotations

from functools import partial
from operator import itemgetter

import click

from latticemetric.cli.commands import Options, flag, option, verb
from latticemetric.cli.files import GraphFiles
from latticemetric.cli.options import (
    MOST_STRINGS,
    GraphFormatOptions,
    OutputOptions,
    ShardedRunOptions,
    WordReadingOptions,
    lattices_option,
)
from latticemetric.cli.run import ask_graphs

_EPILOG = """\b
Examples:
  latticemetric nbest lats.ark.gz -n 10 --scale acoustic=0.1
  latticemetric nbest lats.ark.gz -n 100 --write-lattices lists.nbest --sum-scores      (Moses)
  latticemetric nbest forests/ -n 100 --write-lattices lists.jsonl --output all.tsv
  latticemetric nbest lats.slf -n 5 --paths --format json      (paths, with their arcs)
"""

_SECTIONS = {
    "List": "--nbest --paths",
}


class _ListOptions(Options):
    nbest: int = option(
        "--nbest -n N", "List the N best strings of each graph.", type=click.IntRange(1, MOST_STRINGS), default=10
    )
    paths: bool = flag("--paths", "List the N best paths instead of strings; several paths may have the same words.")


class _WrittenListOptions(GraphFormatOptions):
    write_lattices: str | None = lattices_option("the n-best lists", "to_format")


@verb("nbest", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("graphs", type=GraphFiles(), nargs=-1, required=True)
def command(
    graphs: tuple[str, ...],
    *,
    listed: _ListOptions,
    written: _WrittenListOptions,
    reading: WordReadingOptions,
    run: ShardedRunOptions,
    output: OutputOptions,
) -> None:
    """List the N best strings of GRAPHS by ascending cost: each string once, with its best path or derivation.

    To write n-best files of other tools, use --write-lattices; its suffix or --to chooses the format. GRAPHS are files,
    folders, quoted globs, or - for standard input.
    """
    from latticemetric.corpus.decoding import nbest_records
    from latticemetric.corpus.tables.nbest import NBestTable

    written.check_beside(written.write_lattices, "lists")
    keep = None if written.write_lattices is None else written.written(reading.weights)
    ask_graphs(
        partial(nbest_records, n=listed.nbest, written=keep, scales=reading.weights, paths=listed.paths),
        reading.entries(graphs),
        NBestTable,
        run,
        output,
        lattices=written.write_lattices,
        lattice_of=itemgetter(1),
        to_format=written.to_format,
    )
