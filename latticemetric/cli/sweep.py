"""`latticemetric sweep`: oracles of graphs pruned to several sizes, and oracles by reference length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from latticemetric.cli.commands import verb
from latticemetric.cli.files import GraphFiles, ReferenceFiles
from latticemetric.cli.options import (
    FRACTIONS,
    PairedReadingOptions,
    PlottedOutputOptions,
    PointOptions,
    RateOptions,
    ResamplingOptions,
    SettingsOptions,
    ShardedRunOptions,
    given,
    numbers,
)
from latticemetric.cli.options.fields import option_of
from latticemetric.cli.run import show
from latticemetric.corpus.metric_question import by_each
from latticemetric.corpus.sweep_question import Sweeps
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.corpus.question import Question

_EPILOG = """\b
Examples:
  latticemetric sweep lats.ark.gz text --metric wer --weights acoustic=0.1 --beams 1,2,4,8,16
  latticemetric sweep lattices/ refs.txt --metric 4-grr --nbest-sizes 1,10,100,1000 --plot nbest.svg
  latticemetric sweep dev.plf dev.en --metric wer --densities 1,5,10,50 --by-length 5,10,20 --resamples 1000
"""

_SECTIONS = {
    "Sizes and lengths": "--beams --densities --nbest-sizes --by-length",
}


class _SweepOptions(SettingsOptions, PointOptions):
    """Options of the sizes to which graphs are pruned, and of groups of graphs."""

    by_length: tuple[float, ...] = option_of(Sweeps.fields["by_length"], reads=numbers)

    def sweeps(self, metric: RateOptions, resampling: _ResamplingOptions) -> Question[Any]:
        """Return the question by each metric; refuse one without sizes and lengths."""
        questions = [self.settings(Sweeps, metric=rate, **resampling.asdict()) for rate in metric.rates()]
        if not any((self.beams, self.densities, self.nbest_sizes, self.by_length)):
            advice = "give --beams, --densities, --nbest-sizes or --by-length"
            raise UsageError("no sizes or lengths are given", advice=advice)
        return by_each(questions)


class _ResamplingOptions(ResamplingOptions):
    """Options for resampling; by default, there are no intervals."""

    resamples: int = option_of(Sweeps.fields["resamples"])

    def check(self) -> None:
        for name in given(["seed", "confidence"]) if not self.resamples else ():
            raise UsageError("this has no effect without resamples", where=name, advice="add --resamples 1000")


class _OutputOptions(PlottedOutputOptions):
    """Options for the results and their plot."""

    fractions: bool = FRACTIONS


@verb("sweep", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("lattices", type=GraphFiles(), nargs=1)
@click.argument("references", type=ReferenceFiles(), nargs=-1, metavar="REFERENCES...")
def command(
    lattices: str,
    references: tuple[str, ...],
    *,
    over: _SweepOptions,
    metric: RateOptions,
    reading: PairedReadingOptions,
    run: ShardedRunOptions,
    resampling: _ResamplingOptions,
    output: _OutputOptions,
) -> None:
    """Prune each lattice of a test set to several sizes; find the oracle at each size.

    Prune by beams, by densities (the number of arcs with a word, divided by the number of reference words), or to
    n-best lists of distinct strings; one run can do all three. Group graphs by reference length with --by-length.

    LATTICES is a file, a folder, a quoted glob, or - for standard input; compressed or not. REFERENCES have one
    line per lattice, in the order of LATTICES or beginning with the lattice's id. If lattices have several references,
    give several files. Without REFERENCES, the references come from the records of LATTICES (JSON, tables): see
    --reference-field. Under --keep-going, the reference words of graphs that fail count as deletions.
    """
    resampling.check()
    question = over.sweeps(metric, resampling)
    output.check_plot(metrics=len(metric.names()))
    show(question, reading.corpus([lattices], references), run, output, at_once=False)
