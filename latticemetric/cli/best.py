"""`latticemetric best`: the model's 1-best of each graph, with costs, times and confidences."""

from __future__ import annotations

from collections.abc import Iterator
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
from latticemetric.cli.results import CTMResults, named_scores, values, words_line
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
    from latticemetric.posterior.best import best

    ask = partial(best, scale=confidence.posterior_scale, scales=reading.weights)
    ask_graphs(ask, reading.entries(graphs), _BestPaths, run, output)


class _BestPaths(CTMResults):
    columns = ("id", "hypothesis", "cost", "posterior", "confidences", "begin", "end", "scores", "error")

    def text(self) -> Iterator[str]:
        """Yield lines of id and words, as decoders write them."""
        for answer in self.answers:
            words = "failed" if answer.problem is not None else " ".join(answer.value.words)
            yield words_line(answer.name, words)

    def rows(self) -> Iterator[list[object]]:
        """Yield one row per graph; begin and end times are lists."""
        for record in self.records():
            times = record.pop("times", None) or []
            record |= {"begin": [begin for begin, _ in times], "end": [end for _, end in times]}
            record["scores"] = named_scores(record.get("scores", {}))
            yield values(record, self.columns)
