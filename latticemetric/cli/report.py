"""`latticemetric report`: write one HTML page about a run."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from latticemetric.cli.commands import Options, flag, option, verb
from latticemetric.cli.corrected import corrected_pairs
from latticemetric.cli.files import STANDARD, GraphFiles, ReferenceFiles, TextFiles
from latticemetric.cli.options import (
    ALSO_SCORE,
    ENGINE,
    OUTPUT,
    POSTERIOR_SCALE,
    SAMPLES,
    UTT2SPK,
    Number,
    PairedReadingOptions,
    PointOptions,
    RateOptions,
    ResamplingOptions,
    RunOptions,
    string_scorer,
)
from latticemetric.cli.results import writing
from latticemetric.cli.run import running
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.corpus.pairing import Pair
    from latticemetric.corpus.review import MBRSettings
    from latticemetric.corpus.sources import PairedGraphs
    from latticemetric.report.report import Report

_EPILOG = """\b
Examples:
  latticemetric report lats.ark.gz text --metric wer --symbols words.txt --weights acoustic=0.1 -o report.html
  latticemetric report lattices/ refs.txt --ignore "<s> </s>" --also-score bleu --beams 1,2,4,8 -o report.html
  latticemetric report lats.ark.gz text --metric wer --expected --utt2spk utt2spk -o report.html
  latticemetric report dev.hg dev.en.0 dev.en.1 --mbr-by bleu --samples 1000 -o report.html
  latticemetric report lists.json --metric wer --corrected fixed.txt -o report.html
"""

_SECTIONS = {
    "Page": "--mbr-by --beam --samples --expected --also-score --beams --densities --nbest-sizes"
    " --corrected --utt2spk --title --most-graphs",
    "Search": "--engine",
}
_NO_MBR = "none"
# Options that the page does not list, since they do not change the results, or the page shows them elsewhere.
_NOT_LISTED = {
    *("lattices", "references", "output", "workers", "cluster", "resume", "failures", "title", "seed", "resamples"),
}


class _PageOptions(Options):
    mbr_by: str = option(
        "--mbr-by NAME",
        "Method of the MBR answers: ngram, wer or a metric; none: no MBR; auto: ngram for forests, wer for all others.",
        default="auto",
    )
    posterior_scale: float = POSTERIOR_SCALE
    beam: float | None = option(
        "--beam COST",
        "For MBR: keep only the paths that cost at most this much more than the best path.",
        type=Number(0),
    )
    samples: int | None = SAMPLES
    expected: bool = flag("--expected", "Also show the expected rate of each graph, and of the paths through each arc.")
    also_score: str | None = ALSO_SCORE
    corrected: str | None = option(
        "--corrected FILE",
        "Also show and score these corrected texts of n-best lists, one per list (with --metric wer).",
        type=TextFiles(),
    )
    utt2spk: str | None = UTT2SPK
    title: str | None = option("--title TEXT", "Title of the page (default: the name of the graphs' file).")
    most_graphs: int = option(
        "--most-graphs N",
        "Draw at most N graphs: those with the largest difference between 1-best and oracle.",
        type=click.IntRange(0),
        default=100,
    )
    engine: str = ENGINE
    output: str = OUTPUT

    def decoding(self, seed: int) -> MBRSettings | None:
        """Return the settings of MBR, or `None` without MBR; check the method before the search."""
        method = self.mbr_by.strip().lower()
        if method == _NO_MBR:
            return None
        from latticemetric.corpus.review import MBRSettings

        return MBRSettings.of(method, beam=self.beam, samples=self.samples, seed=seed)


@verb("report", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("lattices", type=GraphFiles(), nargs=1)
@click.argument("references", type=ReferenceFiles(), nargs=-1, metavar="REFERENCES...")
def command(
    lattices: str,
    references: tuple[str, ...],
    *,
    metric: RateOptions,
    shown: _PageOptions,
    points: PointOptions,
    reading: PairedReadingOptions,
    run: RunOptions,
    resampling: ResamplingOptions,
) -> None:
    """Write an HTML page about oracles, 1-bests and MBR answers: totals, charts, all alignments, drawings of graphs.

    The page is one file. It loads no other files, opens in any browser, and can be sent by mail.

    LATTICES is a file, a folder, a quoted glob, or - for standard input; compressed or not. REFERENCES have one
    line per lattice, in the order of LATTICES or beginning with the lattice's id. If lattices have several references,
    give several files. Without REFERENCES, the references come from the records of LATTICES (JSON, tables): see
    --reference-field. Under --keep-going, the reference words of graphs that fail count as deletions.
    """
    from latticemetric.corpus.review import ReviewSettings, reviews_of
    from latticemetric.formats.segments import read_speakers
    from latticemetric.oracle_search.sweep import Points
    from latticemetric.report.corrections import check_rate
    from latticemetric.report.options import ReportOptions
    from latticemetric.report.page import check_page, page
    from latticemetric.report.report import Report

    check_page()
    if shown.output == STANDARD and sys.stdout.isatty():
        raise UsageError("the page is not written to a terminal", advice="name a file: -o report.html")
    rate = metric.rate()
    if shown.corrected is not None:
        check_rate(rate)
    reviewing = ReviewSettings(
        rate,
        Points.of(points.beams, points.densities, points.nbest_sizes),
        decoding=shown.decoding(resampling.seed),
        weights=reading.weights,
        engine=shown.engine,
        scorer=string_scorer(shown.also_score, rate, reading.rewritten_by),
        posterior_scale=shown.posterior_scale,
        drawn=shown.most_graphs > 0,
        expected=shown.expected,
    )
    report_options = ReportOptions(
        title=shown.title or Path(lattices).name or lattices,
        most_graphs=shown.most_graphs,
        settings=tuple(_settings(lattices, references)),
        speakers=None if shown.utt2spk is None else read_speakers(shown.utt2spk),
        **resampling.asdict(),
    )
    paired = reading.paired(lattices, references, rewrite=shown.corrected is None)
    report = Report(reviewing, report_options, paired.references, reading.rewritten_by)
    pairs = paired.pairs if shown.corrected is None else _with_corrections(report, paired, shown.corrected, reading)
    with running(run, shown.output) as (started, failures), writing(shown.output) as put:
        report.add_all(failures.reported(reviews_of(pairs, reviewing, started)))
        put(page(report))
    failures.exit()


def _with_corrections(
    report: Report, paired: PairedGraphs, corrected: str, reading: PairedReadingOptions
) -> Iterator[Pair]:
    """Add corrected texts to a report; return the n-best lists to show."""
    from latticemetric.report.corrections import CorrectedLists

    pairs, lists, texts = corrected_pairs(paired, corrected, reading)
    report.corrected = CorrectedLists.of(lists, texts, report.review.metric, reading.weights)
    return iter(pairs)


def _settings(lattices: str, references: Sequence[str]) -> list[tuple[str, str]]:
    """Return the files and the options that the user gave."""
    rows = [("graphs", lattices), *(("references", path) for path in references)]
    context = click.get_current_context()
    default = click.core.ParameterSource.DEFAULT
    for parameter in context.command.params:
        name = parameter.name or ""
        if name not in _NOT_LISTED and context.get_parameter_source(name) is not default:
            rows.append((parameter.opts[0], _spelled(context.params.get(name))))
    return rows


def _spelled(value: object) -> str:
    """Return the value of an option as users write it."""
    if isinstance(value, tuple):
        return " ".join(each if isinstance(each, str) else f"{each:g}" for each in value)
    return "yes" if value is True else str(value)
