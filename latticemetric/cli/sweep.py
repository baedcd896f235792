"""`latticemetric sweep`: oracles of graphs pruned to several sizes, and oracles by reference length."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from latticemetric.cli.commands import option, verb
from latticemetric.cli.files import GraphFiles, ReferenceFiles
from latticemetric.cli.options import (
    FRACTIONS,
    PairedReadingOptions,
    PlottedOutputOptions,
    PointOptions,
    RateOptions,
    ResamplingOptions,
    ShardedRunOptions,
    given,
    numbers,
    resamples_option,
)
from latticemetric.cli.run import running
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.corpus.tables.sweep import SweepTable

_EPILOG = """\b
Examples:
  latticemetric sweep lats.ark.gz text --metric wer --weights acoustic=0.1 --beams 1,2,4,8,16
  latticemetric sweep lattices/ refs.txt --nbest-sizes 1,10,100,1000 --plot nbest.svg
  latticemetric sweep dev.plf dev.en --metric wer --densities 1,5,10,50 --by-length 5,10,20 --resamples 1000
"""

_SECTIONS = {
    "Sizes and lengths": "--beams --densities --nbest-sizes --by-length",
}


class _SweepOptions(PointOptions):
    by_length: tuple[float, ...] = option(
        "--by-length WORDS",
        "Group graphs by reference length; give the upper bounds of the groups in words, such as 5,10,20.",
        reads=numbers,
    )


class _ResamplingOptions(ResamplingOptions):
    """Options for resampling; by default, there are no intervals."""

    resamples: int = resamples_option(0)

    def check(self) -> None:
        for name in given(["seed", "confidence"]) if not self.resamples else ():
            raise UsageError("this has no effect without resamples", where=name, advice="add --resamples 1000")


class _OutputOptions(PlottedOutputOptions):
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
    from latticemetric.corpus.sweep import SweepSettings, checked_borders, swept_lattices
    from latticemetric.corpus.tables.sweep import SweepTable
    from latticemetric.oracle_search.sweep import Points

    points = Points.of(over.beams, over.densities, over.nbest_sizes)
    borders = checked_borders(over.by_length)
    if not borders and not any((points.beams, points.densities, points.nbest)):
        advice = "give --beams, --densities, --nbest-sizes or --by-length"
        raise UsageError("no sizes or lengths are given", advice=advice)
    paired = reading.paired(lattices, references, run.shard)
    settings = SweepSettings(metric.rate(), points, borders, paired.references, reading.rewritten_by)
    resampling.check()
    output.check_plot()
    with running(run, output.output) as (started, failures):
        swept = swept_lattices(paired.pairs, settings.metric, points, started, weights=reading.weights)
        table = SweepTable.of(settings, failures.reported(swept), resampling.asdict(), run.shard, looks=output.looks)
        output.write(table)
        draw(table, output.plot)
    output.say_summary(table)
    failures.exit()


def draw(table: SweepTable, plot: str | None) -> None:
    """Draw a sweep into the file `plot`, if it is given."""
    if plot is not None:
        from latticemetric.report.plots import draw_sweep

        metric = table.settings.metric
        better = "higher" if metric.higher_is_better else "lower"
        draw_sweep(table.sweep, f"{metric.name} ({better} is better)", plot, table.intervals)
