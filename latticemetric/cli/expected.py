"""`latticemetric expected`: the expected rate of each graph's paths, its distribution and its gradient."""

from __future__ import annotations

from functools import partial

import click

from latticemetric.cli.commands import option, verb
from latticemetric.cli.files import STANDARD, GraphFiles, Output, ReferenceFiles
from latticemetric.cli.options import (
    PairedReadingOptions,
    RateOptions,
    RateOutputOptions,
    SettingsOptions,
    ShardedRunOptions,
)
from latticemetric.cli.run import show
from latticemetric.corpus.expectation_question import Expectations
from latticemetric.corpus.metric_question import by_each
from latticemetric.errors import UsageError, placed

_EPILOG = """\b
Examples:
  latticemetric expected lats.ark.gz text --weights acoustic=0.1
  latticemetric expected lattices/ refs.txt --metric 4-grr --posterior-scale 0.5 --format jsonl
  latticemetric expected dev.plf dev.en --metric wer --gradient slopes.npz --format tsv
"""

_SECTIONS = {"Search": "--most-states", "Gradient": "--gradient"}


class _ExpectationOptions(SettingsOptions, kinds=(Expectations,)):
    gradient: str | None = option(
        "--gradient FILE",
        "Also write ∂ rate / ∂ cost of each arc and final state to FILE, in NumPy's .npz format.",
        type=Output(),
    )


@verb("expected", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("lattices", type=GraphFiles(), nargs=1)
@click.argument("references", type=ReferenceFiles(), nargs=-1, metavar="REFERENCES...")
def command(
    lattices: str,
    references: tuple[str, ...],
    *,
    metric: RateOptions,
    search: _ExpectationOptions,
    reading: PairedReadingOptions,
    run: ShardedRunOptions,
    output: RateOutputOptions,
) -> None:
    """Compute the expected rate of the paths of each lattice under the model's probabilities.

    The probability of a path is proportional to exp(−s · cost), where s is --posterior-scale. The expected rate is
    exact. Results also have the variance of the rate over the paths and, except in text, the probability of each number
    of errors. If a graph is too large (see --most-states), its result is an interval.

    LATTICES is a file, a folder, a quoted glob, or - for standard input; compressed or not. REFERENCES have one
    line per lattice, in the order of LATTICES or beginning with the lattice's id. If lattices have several references,
    give several files. Without REFERENCES, the references come from the records of LATTICES (JSON, tables): see
    --reference-field. Under --keep-going, the reference words of graphs that fail count as deletions.
    """
    from latticemetric.corpus.gradients import with_gradients

    if search.gradient is not None and len(metric.names()) > 1:
        raise UsageError("gradients are those of one metric", where="--gradient", advice="name one: --metric wer")
    wanted = search.gradient is not None
    questions = [search.settings(Expectations, metric=rate, gradient=wanted) for rate in metric.rates()]
    if search.gradient == STANDARD:
        raise UsageError("results already go to standard output", where="--gradient", advice="name a file")
    corpus = reading.corpus([lattices], references)
    with placed("--gradient with --normalize"):
        questions[0].check_texts(corpus)
    beside = iter if search.gradient is None else partial(with_gradients, path=search.gradient, asked_by="--gradient")
    show(by_each(questions), corpus, run, output, at_once=output.output_format != "json", beside=beside)
