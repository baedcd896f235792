"""`latticemetric best`: the model's 1-best of each graph, with costs, times and confidences."""

from __future__ import annotations

import click

from latticemetric.cli.commands import verb
from latticemetric.cli.files import GraphFiles
from latticemetric.cli.options import CorpusOptions, CTMOutputOptions, SettingsOptions, ShardedRunOptions
from latticemetric.cli.run import show
from latticemetric.corpus.questions import Best

_EPILOG = """\b
Examples:
  latticemetric best lats.ark.gz --weights acoustic=0.1 > hyp.txt
  latticemetric best lattices/ --format ctm --posterior-scale 0.1      (words with times and confidences)
  latticemetric best forests/ --format tsv
"""


class _ConfidenceOptions(SettingsOptions, kinds=(Best,)):
    """Options of the confidences of words."""


@verb("best", epilog=_EPILOG)
@click.argument("graphs", type=GraphFiles(), nargs=-1, required=True)
def command(
    graphs: tuple[str, ...],
    *,
    confidence: _ConfidenceOptions,
    reading: CorpusOptions,
    run: ShardedRunOptions,
    output: CTMOutputOptions,
) -> None:
    """Print the model's 1-best of GRAPHS: the words of the path or derivation with the least cost.

    Text output has ids and words, as decoders write them. tsv and json also have the cost, scores and probability of
    the path, the confidence of each word and (for lattices with times) the begin and end of each word. GRAPHS are
    files, folders, quoted globs, or - for standard input.
    """
    show(confidence.settings(Best), reading.corpus(graphs), run, output)
