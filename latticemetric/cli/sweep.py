"""`latticemetric sweep`: how the oracle changes with what is kept of graphs, and with the length of references."""

from __future__ import annotations

import sys
from typing import Any

import click

from latticemetric.cli import options, running, searches
from latticemetric.cli.files import GraphFiles, NamesFiles, Output
from latticemetric.cli.help_page import verb
from latticemetric.cli.sweep_report import SweepReport, check_drawing, resampling_of
from latticemetric.errors import UsageError

_EPILOG = """\b
Examples:
  latticemetric sweep lats.ark.gz text --metric wer --scale acoustic=0.1 --beams 1,2,4,8,16
  latticemetric sweep lattices/ refs.txt --nbest-sizes 1,10,100,1000 --plot nbest.svg
  latticemetric sweep dev.plf dev.en --metric wer --densities 1,5,10,50 --by-length 5,10,20 --resamples 1000
"""

_SECTIONS = {
    "What is swept over": "--beams --densities --nbest-sizes --by-length",
}


@verb("sweep", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("lattices", type=GraphFiles(), nargs=1)
@click.argument("references", type=NamesFiles(), nargs=-1, required=True)
@click.option(
    "--beams",
    metavar="COSTS",
    callback=options.numbers,
    help="Keep what costs at most so much more than the best path: 1,2,4.",
)
@click.option(
    "--densities",
    metavar="NUMBERS",
    callback=options.numbers,
    help="Keep so many arcs with words for each word of the reference: 1,5,10.",
)
@click.option(
    "--nbest-sizes",
    metavar="NUMBERS",
    callback=options.numbers_of_strings,
    help="Keep so many of the model's best strings: 1,10,100.",
)
@click.option(
    "--by-length", metavar="WORDS", callback=options.numbers, help="Where bins of reference lengths end: 5,10,20."
)
@searches.rate_options("wer, wrr, or N-grr for any N.")
@options.normalize
@options.scale
@running.many_graphs
@options.symbols
@options.from_format
@searches.references_style
@options.resampling(0)
@click.option("--plot", type=Output(), metavar="FILE", help="Draw it, too: .svg, .png or .pdf.")
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
    from latticemetric.batch.sweep import SweepSettings, checked_borders, swept_pairs
    from latticemetric.oracle_search.sweep import Points

    points = Points.of(chosen["beams"], chosen["densities"], chosen["nbest_sizes"])
    borders = checked_borders(chosen["by_length"])
    if not borders and not any((points.beams, points.densities, points.nbest)):
        raise UsageError(
            "there is nothing to sweep over", advice="give --beams, --densities, --nbest-sizes or --by-length"
        )
    question = SweepSettings(searches.rate(**chosen), points, borders, len(references), chosen["normalize"])
    resampling = resampling_of(**chosen)
    check_drawing(plot)
    failed = running.Failures(chosen["failures"])
    with running.running(output=output, **chosen) as run:
        pairs = searches.pairs(lattices, references, style, **chosen)
        swept = swept_pairs(pairs, question.metric, points, run, scales=dict(chosen["scales"]))
        report = SweepReport.of(question, failed.reported(swept), resampling)
        report.put(output_format, output, chosen["shard"])
        failed.write()
        if plot is not None:
            report.draw(plot)
    if output_format == "text":
        report.note()
    if report.totals.failed:
        sys.exit(1)
