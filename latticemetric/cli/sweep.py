"""`latticemetric sweep`: how the oracle changes with what is kept of graphs, and with the length of references."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from latticemetric.cli import options, running, searches
from latticemetric.cli.display import say
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.batch.sweep_totals import Sweep
    from latticemetric.evaluation.bootstrap import Interval
    from latticemetric.metrics.recognition import GRR

_EPILOG = """\b
Examples:
  latticemetric sweep lats.ark.gz text --metric wer --scale acoustic=0.1 --beams 1,2,4,8,16
  latticemetric sweep lattices/ refs.txt --nbest 1,10,100,1000 --plot nbest.svg
  latticemetric sweep dev.plf dev.en --metric wer --densities 1,5,10,50 --by-length 5,10,20 --resamples 1000
"""


@click.command("sweep", epilog=_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("lattices", nargs=1)
@click.argument("references", nargs=-1, required=True)
@click.option("--beams", metavar="COSTS", callback=options.numbers, help="Keep what costs so much more than the best.")
@click.option(
    "--densities", metavar="NUMBERS", callback=options.numbers, help="Keep so many arcs for each reference word."
)
@click.option("--nbest", metavar="NUMBERS", callback=options.whole_numbers, help="Keep so many distinct strings.")
@click.option("--by-length", metavar="WORDS", callback=options.numbers, help="Where bins of reference lengths end.")
@searches.rate_options("wer, wrr, or N-grr for any N.")
@options.normalize
@options.scale
@running.all_graphs
@options.symbols
@options.from_format
@searches.references_style
@options.resampling(0)
@click.option("--plot", metavar="FILE", help="Draw it too: .svg, .png or .pdf.")
@options.output_format("text", "tsv", "json", "jsonl")
@options.output
@running.keep_going_counting
def command(
    *,
    lattices: str,
    references: tuple[str, ...],
    style: Any,
    plot: str | None,
    output_format: str,
    output: str,
    **chosen: Any,
) -> None:
    """The oracle of a test set against how much of each lattice is kept.

    By pruning beams, by densities (arcs with words for each word of the reference), by n of n-best lists of distinct
    strings, all in one run; and by the length of references.

    LATTICES is a file, a folder, a quoted glob, or - for standard input; compressed or not. REFERENCES are lines in
    the order of the lattices, or lines that begin with ids; give several files for several references.
    """
    from latticemetric.batch.sweep import swept_pairs
    from latticemetric.batch.sweep_totals import checked_borders, summed
    from latticemetric.cli.sweep_writing import LINES, footer
    from latticemetric.questions.oracles.sweep import Points

    points = Points.of(chosen["beams"], chosen["densities"], chosen["nbest"])
    borders = checked_borders(chosen["by_length"])
    if not borders and not any((points.beams, points.densities, points.nbest)):
        raise UsageError("there is nothing to sweep over", advice="give --beams, --densities, --nbest or --by-length")
    metric = searches.rate(**chosen)
    draw = _drawing(plot)
    failed = running.Failures(chosen["failures"])
    with running.running(output=output, **chosen) as run:
        pairs = searches.pairs(lattices, references, style, **chosen)
        found = failed.reported(swept_pairs(pairs, metric, points, run, scales=dict(chosen["scales"])))
        totals = summed(found, metric, points, borders, len(references), rewritten_by=chosen["normalize"])
        intervals = _intervals(totals, metric, chosen["resamples"], chosen["seed"], chosen["confidence"])
        with options.results(output, at_once=False) as put:
            for line in LINES[output_format](totals, intervals, metric.name):
                put(line)
        failed.write()
    if plot is not None:
        better = "higher" if metric.higher_is_better else "lower"
        draw(totals, f"{metric.name} ({better} is better)", plot, intervals)
    if output_format == "text":
        say("\n".join(footer(totals, intervals, chosen["seed"])))
    if totals.failed:
        sys.exit(1)


def _drawing(plot: str | None) -> Any:
    """What draws; that it is not there, or knows no such file, is better known before an hour of searching."""
    if plot is None:
        return None
    from latticemetric.report.drawing import check_plot
    from latticemetric.report.sweep_plot import draw_sweep

    check_plot(plot)
    return draw_sweep


def _intervals(totals: Sweep, metric: GRR, resamples: int, seed: int, confidence: float) -> list[Interval]:
    """Of the rows, on the same resamples; none where none are asked for."""
    if not resamples:
        return []
    from latticemetric.evaluation.bootstrap import bootstrap

    drawn = {"resamples": resamples, "seed": seed}
    return [bootstrap(metric, row.table, confidence=confidence, **drawn) for row in totals.rows]
