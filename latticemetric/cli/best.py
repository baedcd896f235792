"""`latticemetric best`: the model's 1-best of each graph, with costs, times and confidences."""

from __future__ import annotations

from functools import partial

import click

from latticemetric.cli.commands import Options, verb
from latticemetric.cli.files import GraphFiles
from latticemetric.cli.options import (
    POSTERIOR_SCALE,
    CTMOutputOptions,
    ShardedRunOptions,
    WordReadingOptions,
)
from latticemetric.cli.run import ask_graphs

_EPILOG = """\b
Examples:
  latticemetric best lats.ark.gz --scale acoustic=0.1 > hyp.txt
  latticemetric best lattices/ --format ctm --posterior-scale 0.1      (words with times and confidences)
  latticemetric best forests/ --format tsv
"""


class _ConfidenceOptions(Options):
    posterior_scale: float = POSTERIOR_SCALE


@verb("best", epilog=_EPILOG)
@click.argument("graphs", type=GraphFiles(), nargs=-1, required=True)
def command(
    graphs: tuple[str, ...],
    *,
    confidence: _ConfidenceOptions,
    reading: WordReadingOptions,
    run: ShardedRunOptions,
    output: CTMOutputOptions,
) -> None:
    """Print the model's 1-best of GRAPHS: the words of the path or derivation with the least cost.

    Text output has ids and words, as decoders write them. tsv and json also have the cost, scores and probability of
    the path, the confidence of each word and (for lattices with times) the begin and end of each word. GRAPHS are
    files, folders, quoted globs, or - for standard input.
    """
    from latticemetric.corpus.tables.best import BestTable
    from latticemetric.posterior.best import best

    ask = partial(best, scale=confidence.posterior_scale, scales=reading.weights)
    ask_graphs(ask, reading.entries(graphs), BestTable, run, output)
