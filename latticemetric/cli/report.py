"""`latticemetric report`: write one HTML page about a run."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from latticemetric.cli.commands import Options, option, verb
from latticemetric.cli.files import STANDARD, GraphFiles, ReferenceFiles, TextFiles
from latticemetric.cli.options import (
    OUTPUT,
    UTT2SPK,
    PairedReadingOptions,
    PointOptions,
    RateOptions,
    ResamplingOptions,
    RunOptions,
    metrics_named,
    refuse,
)
from latticemetric.cli.options.fields import option_of
from latticemetric.cli.results import writing
from latticemetric.cli.run import requiring_references, running
from latticemetric.corpus.report.pages import Pages
from latticemetric.errors import UsageError

_EPILOG = """\b
Examples:
  latticemetric report lats.ark.gz text --metric wer --symbols words.txt --weights acoustic=0.1 -o report.html
  latticemetric report lattices/ refs.txt --metric 4-grr,wer --ignore "<s> </s>" --beams 1,2,4,8 -o report.html
  latticemetric report lats.ark.gz text --metric wer --expected --utt2spk utt2spk -o report.html
  latticemetric report dev.hg dev.en.0 dev.en.1 --mbr-by bleu --samples 1000 -o report.html
  latticemetric report lists.json --metric wer --corrected fixed.txt -o report.html
"""

_SECTIONS = {
    "Page": "--mbr-by --beam --samples --expected --also-score --beams --densities --nbest-sizes"
    " --corrected --utt2spk --title --most-graphs",
    "Search": "--engine",
}
# Options that the page does not list, since they do not change the results, or the page shows them elsewhere.
_NOT_LISTED = {
    *("lattices", "references", "output", "workers", "cluster", "resume", "failures", "title", "seed", "resamples"),
}


class _PageOptions(Options):
    mbr_by: str = option_of(Pages.fields["mbr_by"])
    posterior_scale: float = option_of(Pages.fields["posterior_scale"])
    beam: float | None = option_of(Pages.fields["beam"])
    samples: int | None = option_of(Pages.fields["samples"])
    expected: bool = option_of(Pages.fields["expected"])
    also_score: str | None = option_of(Pages.fields["also_score"])
    corrected: str | None = option(
        "--corrected FILE",
        "Also show and score, by WER, these corrected texts of n-best lists, one per list.",
        type=TextFiles(),
    )
    utt2spk: str | None = UTT2SPK
    title: str | None = option_of(Pages.fields["title"])
    most_graphs: int = option_of(Pages.fields["most_graphs"])
    engine: str = option_of(Pages.fields["engine"])
    output: str = OUTPUT


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
    from latticemetric.corpus.notes import noting_unseen
    from latticemetric.corpus.report.page import check_page, page

    check_page()
    if shown.output == STANDARD and sys.stdout.isatty():
        raise UsageError("the page is not written to a terminal", advice="name a file: -o report.html")
    if shown.mbr_by.strip().lower() == "none":
        refuse(["beam", "samples"], "with --mbr-by none")
    task = Pages(
        metric=metric.rates(),
        mbr_by=shown.mbr_by.strip().lower(),
        posterior_scale=shown.posterior_scale,
        beam=shown.beam,
        samples=shown.samples,
        expected=shown.expected,
        also_score=() if shown.also_score is None else tuple(metrics_named([shown.also_score])),
        corrected=shown.corrected,
        utt2spk=shown.utt2spk,
        title=shown.title,
        most_graphs=shown.most_graphs,
        engine=shown.engine,
        said=tuple(_settings(lattices, references)),
        beams=points.beams,
        densities=points.densities,
        nbest_sizes=points.nbest_sizes,
        **resampling.asdict(),
    )
    corpus = reading.corpus([lattices], references)
    with (
        requiring_references(),
        running(run, shown.output) as (started, failures),
        noting_unseen(corpus, task, started),
        writing(shown.output) as put,
    ):
        put(page(task.report(corpus, started, failures.reported)))
    failures.exit()


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
