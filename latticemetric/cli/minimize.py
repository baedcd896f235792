"""`latticemetric minimize`: in each lattice, merge states with the same continuations."""

from __future__ import annotations

import click

from latticemetric.cli.commands import verb
from latticemetric.cli.files import ConvertedGraphs, GraphFiles
from latticemetric.cli.options import GraphFormatOptions, ScoredReadingOptions, ShardedRunOptions
from latticemetric.cli.run import write_corpus

_EPILOG = """\b
Examples:
  latticemetric minimize lats.ark.gz smaller.ark.gz
  latticemetric minimize lats.ark.gz words.plf --scores-off --drop-labels
"""


@verb("minimize", epilog=_EPILOG)
@click.argument("graphs", type=GraphFiles(), nargs=1)
@click.argument("target", type=ConvertedGraphs("to_format"), nargs=1)
def command(
    graphs: str, target: str, *, reading: ScoredReadingOptions, written: GraphFormatOptions, run: ShardedRunOptions
) -> None:
    """Merge states with the same continuations in GRAPHS (a file, folder, glob or -); write the lattices to TARGET.

    All paths keep their words, scores, times and labels. --sum-scores, --scores-off and --drop-labels are applied
    first, so that more states can be merged. To keep one path per string, use determinize. TARGET is a file, - for
    standard output, or a folder (with / at its end) with one file per graph.
    """
    written.refuse_weights()
    corpus = reading.corpus([graphs])
    write_corpus(written.applied(corpus).minimized(), target, written.to_format, run)
