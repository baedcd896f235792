"""`latticemetric convert`: graphs from one format into another."""

from __future__ import annotations

import click

from latticemetric.cli.commands import verb
from latticemetric.cli.files import ConvertedGraphs, GraphFiles
from latticemetric.cli.options import GraphFormatOptions, ScoredReadingOptions, ShardedRunOptions
from latticemetric.cli.run import write_corpus

_EPILOG = """\b
Examples:
  latticemetric convert lats.ark.gz lats.plf.gz
  latticemetric convert "lattices/*.slf" all.fst.far --to far --sum-scores --weights lm=12
  latticemetric convert lats.ark.gz slf/ --to htk-slf --symbols words.txt      (one file per graph)
"""


@verb("convert", epilog=_EPILOG)
@click.argument("graphs", type=GraphFiles(), nargs=1)
@click.argument("target", type=ConvertedGraphs("to_format"), nargs=1)
def command(
    graphs: str, target: str, *, written: GraphFormatOptions, run: ShardedRunOptions, reading: ScoredReadingOptions
) -> None:
    """Write GRAPHS (a file, folder, glob or -) in another format to TARGET.

    TARGET is a file (its suffix chooses the compression), - for standard output, or a folder (with / at its end) with
    one file per graph. If the format cannot hold a graph, the command fails.
    """
    written.refuse_weights()
    corpus = reading.corpus([graphs])
    write_corpus(written.applied(corpus), target, written.to_format, run)
