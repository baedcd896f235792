"""`latticemetric report`: one HTML page of a run, to be looked at and handed on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from latticemetric.cli import options, running, searches
from latticemetric.cli.files import GraphFiles, NamesFiles
from latticemetric.cli.help_page import verb
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.batch.mbr import MBRSettings
    from latticemetric.batch.string_scores import StringScorer
    from latticemetric.metrics.recognition import GRR

_EPILOG = """\b
Examples:
  latticemetric report lats.ark.gz text --metric wer --symbols words.txt --scale acoustic=0.1 -o report.html
  latticemetric report lattices/ refs.txt --ignore "<s> </s>" --score bleu --beams 1,2,4,8 -o report.html
  latticemetric report dev.hg dev.en.0 dev.en.1 --mbr-method bleu --samples 1000 -o report.html
"""

_NO_MBR = "none"


_SECTIONS = {
    "What is shown": "--mbr-method --prune --samples --score --beams --densities --nbest-sizes --title --most-graphs",
    "The search": "--engine",
}


@verb("report", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("lattices", type=GraphFiles(), nargs=1)
@click.argument("references", type=NamesFiles(), nargs=-1, required=True)
@searches.rate_options("wer, wrr, or N-grr for any N.")
@click.option(
    "--mbr-method",
    default="auto",
    show_default=True,
    metavar="NAME",
    help="MBR beside oracle and 1-best: wer, ngram, a metric, or none; auto: ngram of forests, else wer.",
)
@options.posterior_scale
@click.option(
    "--prune",
    type=options.Number(0),
    metavar="BEAM",
    help="Of MBR: keep what costs at most so much more than the best.",
)
@click.option(
    "--samples", type=click.IntRange(1, options.MOST_DRAWS), metavar="N", help="Of MBR by metrics: draw N paths."
)
@click.option("--score", metavar="NAMES", help="Metrics of the extracted strings too: bleu-sbp,meteor.")
@click.option("--beams", metavar="COSTS", callback=options.numbers, help="Oracles at these beams, too.")
@click.option("--densities", metavar="NUMBERS", callback=options.numbers, help="At these arcs for each reference word.")
@click.option(
    "--nbest-sizes",
    metavar="NUMBERS",
    callback=options.numbers_of_strings,
    help="Of so many of the model's best strings.",
)
@click.option("--title", metavar="TEXT", help="What the page is called (else as the graphs' file).")
@click.option(
    "--most-graphs",
    type=click.IntRange(0),
    default=100,
    show_default=True,
    metavar="N",
    help="Draw so many graphs, those with the most headroom.",
)
@options.engine
@options.normalize
@options.scale
@running.unshared
@options.symbols
@options.from_format
@searches.references_style
@options.resampling(1000)
@options.output
@running.keep_going_counting
def command(*, lattices: str, references: tuple[str, ...], style: Any, output: str, **chosen: Any) -> None:
    """One HTML page of oracles, 1-bests and MBR: totals, charts, every alignment, drawings of graphs.

    The page needs nothing but a browser: it fetches nothing, and can be mailed.

    LATTICES is a file, a folder, a quoted glob, or - for standard input; compressed or not. REFERENCES are lines in
    the order of the lattices, or lines that begin with ids; give several files for several references.
    """
    from latticemetric.batch.review import ReviewSettings, ReviewTotals, reviews_of
    from latticemetric.oracle_search.sweep import Points
    from latticemetric.report.page import check_page, page
    from latticemetric.report.report import Report

    check_page()
    if output == "-" and sys.stdout.isatty():
        raise UsageError("a page is nothing for a terminal", advice="name a file: -o report.html")
    metric = searches.rate(**chosen)
    asked = ReviewSettings(
        metric,
        Points.of(chosen["beams"], chosen["densities"], chosen["nbest_sizes"]),
        decoding=_decoding(**chosen),
        scales=dict(chosen["scales"]),
        engine=chosen["engine"],
        scorer=_scorer(metric, chosen["score"], chosen["normalize"]),
        posterior_scale=chosen["posterior_scale"],
        drawn=chosen["most_graphs"] > 0,
    )
    showing = _showing(lattices, references, **chosen)
    report = Report(asked, showing, ReviewTotals(asked, len(references), chosen["normalize"]))
    failed = running.Failures(chosen["failures"])
    with running.running(output=output, **chosen) as run:
        pairs = searches.pairs(lattices, references, style, **chosen)
        with options.results(output, at_once=False) as put:
            report.add_all(failed.reported(reviews_of(pairs, asked, run)))
            put(page(report))
        failed.write()
    if failed.count:
        sys.exit(1)


def _decoding(*, mbr_method: str, prune: float | None, samples: int | None, seed: int, **_: Any) -> MBRSettings | None:
    """How MBR decodes; that there is no such method is better known before an hour of searching."""
    method = mbr_method.strip().lower()
    if method == _NO_MBR:
        return None
    from latticemetric.batch.mbr import MBRSettings

    return MBRSettings.of(method, prune=prune, samples=samples, seed=seed)


def _scorer(metric: GRR, score: str | None, normalize: str | None) -> StringScorer | None:
    if score is None:
        return None
    from latticemetric.batch.string_scores import StringScorer

    return StringScorer(tuple(options.metric_list([score])), metric.ignore, normalize=normalize)


def _showing(lattices: str, references: tuple[str, ...], *, title: str | None, **chosen: Any) -> Any:
    from latticemetric.report.report import Showing

    return Showing(
        title=title or Path(lattices).name or lattices,
        most_graphs=chosen["most_graphs"],
        resamples=chosen["resamples"],
        seed=chosen["seed"],
        confidence=chosen["confidence"],
        settings=tuple(_settings(lattices, references, **chosen)),
    )


def _settings(lattices: str, references: tuple[str, ...], **chosen: Any) -> list[tuple[str, str]]:
    """Files, and the options that were given."""
    rows = [("graphs", lattices), *(("references", path) for path in references)]
    context = click.get_current_context()
    default = click.core.ParameterSource.DEFAULT
    told = {
        "lattices",
        "references",
        "output",
        "workers",
        "cluster",
        "resume",
        "failures",
        "title",
        "seed",
        "resamples",
    }
    for parameter in context.command.params:
        name = parameter.name or ""
        if name in told or context.get_parameter_source(name) is default:
            continue
        rows.append((parameter.opts[0], _text(chosen.get(name, context.params.get(name)))))
    return rows


def _text(value: Any) -> str:
    """An option's value as it is written."""
    if isinstance(value, tuple):
        return " ".join(f"{v[0]}={v[1]:g}" if isinstance(v, tuple) else f"{v:g}" for v in value)
    return "yes" if value is True else str(value)
