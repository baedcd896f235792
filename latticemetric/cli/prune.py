"""`latticemetric prune`: from each graph, remove the paths that cost much more than the best path."""

from __future__ import annotations

import click

from latticemetric.arguments import MOST_STRINGS
from latticemetric.cli.commands import Options, option, verb
from latticemetric.cli.files import ConvertedGraphs, GraphFiles
from latticemetric.cli.options import GraphFormatOptions, Number, ScoredReadingOptions, ShardedRunOptions
from latticemetric.cli.options.fields import option_of
from latticemetric.cli.run import write_corpus
from latticemetric.errors import UsageError
from latticemetric.mbr_decoding.settings import Decision

_EPILOG = """\b
Examples:
  latticemetric prune lats.ark.gz small.ark.gz --beam 8 --weights acoustic=0.1
  latticemetric prune lats.ark.gz small.ark.gz --density 10
  latticemetric prune forests/ small/ --to cdec-json --nbest 100
"""

_SECTIONS = {
    "Limit (give one)": "--beam --density --nbest",
}


class _LimitOptions(Options):
    beam: float | None = option_of(Decision.fields["beam"])
    density: float | None = option(
        "--density NUMBER",
        "Use the widest beam that leaves at most this density: the number of arcs with a word, divided by the number "
        "of words of the 1-best (see info).",
        type=Number(0, min_open=True),
    )
    nbest: int | None = option(
        "--nbest N", "Use the narrowest beam that keeps the N best strings.", type=click.IntRange(1, MOST_STRINGS)
    )


@verb("prune", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("graphs", type=GraphFiles(), nargs=1)
@click.argument("target", type=ConvertedGraphs("to_format"), nargs=1)
def command(
    graphs: str,
    target: str,
    *,
    limits: _LimitOptions,
    reading: ScoredReadingOptions,
    written: GraphFormatOptions,
    run: ShardedRunOptions,
) -> None:
    """Prune GRAPHS (a file, folder, glob or -): keep the paths near the best one, and write the result to TARGET.

    TARGET is a file (its suffix chooses the compression), - for standard output, or a folder (with / at its end) with
    one file per graph. For forests and n-best lists, use --beam or --nbest.
    """
    given = [value for value in (limits.beam, limits.density, limits.nbest) if value is not None]
    if len(given) != 1:
        what = "no limit is given" if not given else "more than one limit is given"
        raise UsageError(what, advice="give one of --beam, --density and --nbest")
    corpus = reading.corpus([graphs]).pruned(limits.beam, density=limits.density, nbest=limits.nbest)
    write_corpus(written.applied(corpus), target, written.to_format, run)
