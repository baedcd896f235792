"""`latticemetric determinize`: the smallest lattice with one best path per string."""

from __future__ import annotations

import click

from latticemetric.cli.commands import verb
from latticemetric.cli.files import ConvertedGraphs, GraphFiles
from latticemetric.cli.options import GraphFormatOptions, ScoredReadingOptions, ShardedRunOptions
from latticemetric.cli.run import write_corpus

_EPILOG = """\b
Examples:
  latticemetric determinize lats.ark.gz strings.fst.far --to far --weights acoustic=0.1
  latticemetric determinize dev.nbest small/ --to openfst      (one lattice per n-best list)
"""


@verb("determinize", epilog=_EPILOG)
@click.argument("graphs", type=GraphFiles(), nargs=1)
@click.argument("target", type=ConvertedGraphs("to_format"), nargs=1)
def command(
    graphs: str, target: str, *, reading: ScoredReadingOptions, written: GraphFormatOptions, run: ShardedRunOptions
) -> None:
    """Determinize GRAPHS (a file, folder, glob or -) and write them to TARGET: keep one best path per string.

    The result is the smallest lattice without ε in which each string has one path, with the string's least cost, as
    after OpenFst's rmepsilon, determinize and minimize. Its arcs have one score: the cost under --weights. In lattices,
    the best string keeps its cost; the cost of another string may change by 0.00003 for each arc of a path, and for its
    end. Costs from n-best lists do not change. The result can be far larger than the input: prune first.

    TARGET is a file, - for standard output, or a folder (with / at its end) with one file per graph.
    """
    corpus = reading.corpus([graphs]).determinized()
    write_corpus(written.applied(corpus), target, written.to_format, run)
