"""`latticemetric correlate`: whether metrics agree with people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from latticemetric.cli import options
from latticemetric.cli.display import say
from latticemetric.cli.files import NamesFiles, Output
from latticemetric.cli.help_page import verb
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.evaluation.agreement import Agreement
    from latticemetric.evaluation.grouping import Grouping
    from latticemetric.evaluation.judgments import HumanScores
    from latticemetric.evaluation.scoring import AnyMetric
    from latticemetric.evaluation.systems import SystemTables
    from latticemetric.formats.judged import JudgedSystems
    from latticemetric.judgments import Judgments
    from latticemetric.metrics.preparation import Preparation

    _Texts = list[tuple[str, ...]]

_TABLES = ("system", "differentials", "segment", "by-system", "scores")
_PLOTS = ("system", "differentials", "segment", "groups")

_EPILOG = """\b
Examples:
  latticemetric correlate campaign/ --metrics bleu,fmean,meteor
  latticemetric correlate judged.tsv --normalize-judges --group-by human
  latticemetric correlate wmt17/ --pair cs-en --plot cs-en.svg
"""

_SECTIONS = {
    "The test set": "--pair --reference --human --leave-out",
    "Human scores": "--human-scores --combine --normalize-judges",
    "What is measured": "--metrics --tokenize --lowercase --normalize --effective-length",
    "Groups of segments": "--group-by --bin-width --smallest --unigram",
    "What is written": "--tables --baseline --format --output --short-signature --plot --plot-level",
    "The work": "--workers",
}


@verb("correlate", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("test_set", type=NamesFiles(), metavar="TESTSET")
@click.option("--pair", metavar="PAIR", help="Language pair of a WMT folder with several, like cs-en.")
@click.option(
    "--reference",
    "-r",
    "references",
    type=NamesFiles(),
    metavar="FILE",
    multiple=True,
    help="References in place of the folder's own; repeatable.",
)
@click.option("--human", type=NamesFiles(), metavar="FILE", help="Table of judgments in place of the folder's own.")
@click.option("--leave-out", metavar="SYSTEM", multiple=True, help="Pass over a system; repeatable.")
@click.option("--human-scores", "columns", metavar="NAMES", help="Columns of human scores, separated by commas.")
@click.option(
    "--combine",
    type=click.Choice(["sum", "mean"]),
    default="sum",
    show_default=True,
    help="What several columns become.",
)
@click.option("--normalize-judges", is_flag=True, help="Give each judge zero mean and unit variance.")
@click.option(
    "--metrics", "-m", metavar="NAMES", multiple=True, help="Metrics, separated by commas; repeatable (default: all)."
)
@click.option("--tokenize", "-tok", metavar="NAME", help="One of sacrebleu's tokenizers (default: none; 13a for WMT).")
@click.option("--lowercase", "-lc", is_flag=True, help="Take case away, before tokenization.")
@options.normalize
@click.option(
    "--effective-length",
    type=click.Choice(["shortest", "closest", "average"]),
    help="BLEU's length of several references (default: shortest; closest for WMT).",
)
@click.option(
    "--tables",
    default="system,differentials,segment",
    show_default=True,
    metavar="NAMES",
    help=f"Tables of text: some of {', '.join(_TABLES)}.",
)
@click.option("--baseline", metavar="METRIC", help="What p-values compare with (default: the first metric).")
@click.option(
    "--group-by",
    type=click.Choice(["unigram", "human"]),
    help="Group segments by their unigram score or their human score, too.",
)
@click.option(
    "--bin-width",
    "width",
    type=options.Number(0, min_open=True),
    default=0.1,
    show_default=True,
    metavar="X",
    help="What lies between groups.",
)
@click.option(
    "--smallest",
    type=click.IntRange(1),
    default=100,
    show_default=True,
    metavar="N",
    help="Groups of fewer segments are marked, and left out of the second correlation.",
)
@click.option("--unigram", default="f1", show_default=True, metavar="METRIC", help="What the unigram score is.")
@options.resampling(1000)
@click.option("--plot", type=Output(), metavar="FILE", help="Draw scatter plots: .svg, .png or .pdf.")
@click.option("--plot-level", type=click.Choice(_PLOTS), default="system", show_default=True, help="What is a point.")
@click.option(
    "--workers",
    type=click.IntRange(1),
    callback=options.checked_workers,
    metavar="N",
    help="Threads (default: one a processor).",
)
@click.option("--short-signature", is_flag=True, help="Abbreviate signatures.")
@options.output_format("text", "tsv", "json")
@options.output
def command(*, test_set: str, output_format: str, **chosen: Any) -> None:
    """Correlation of metrics with human scores, over systems, pairs of systems, and segments.

    TESTSET is a folder with systems/, references/ and human.tsv, a WMT folder, or one long table.
    """
    from latticemetric.cli import correlate_metrics, correlate_tables, correlate_writing
    from latticemetric.formats.judged import read_judged
    from latticemetric.metrics.base import references_each
    from latticemetric.metrics.preparation import Preparation

    metrics, left_out = correlate_metrics.chosen_metrics(chosen)
    tables = _table_names(chosen["tables"])
    _check_plot(chosen)
    judged = read_judged(test_set, pair=chosen["pair"], references=chosen["references"], human=chosen["human"]).without(
        chosen["leave_out"]
    )
    if chosen["effective_length"] is None and judged.raw:
        metrics = correlate_metrics.with_length(metrics, "closest")
    preparation = Preparation(chosen["lowercase"], chosen["tokenize"] or ("13a" if judged.raw else "none"))
    outputs, expected = _texts(judged, preparation, chosen["normalize"])
    agreement, grouping, human = _evaluated(judged.judgments, outputs, expected, metrics, chosen)
    signatures = {
        metric.name: preparation.signed(metric.signature_for(references_each(expected)))
        .also(norm=chosen["normalize"])
        .format(short=chosen["short_signature"])
        for metric in metrics
    }
    report = correlate_writing.CorrelationReport(
        test_set,
        agreement,
        grouping,
        chosen["group_by"],
        (*left_out, *judged.notes, *human.notes),
        signatures,
        len(judged.references[0]),
        correlate_metrics.baseline(metrics, chosen["baseline"]),
        tables,
    )
    formats = {"tsv": correlate_writing.tsv_lines, "json": correlate_writing.json_lines}
    lines = formats.get(output_format, correlate_tables.text_lines)
    with options.results(chosen["output"], at_once=False) as put:
        for line in lines(report):
            put(line)
        if chosen["plot"]:
            _plot(agreement, grouping, chosen)
    if output_format == "text":
        say("\n".join(correlate_tables.footer(report)))


def _texts(judged: JudgedSystems, preparation: Preparation, normalize: str | None) -> tuple[list[_Texts], list[_Texts]]:
    """What each system says, and the references of each segment: more than there are files, if a grammar says so."""
    outputs = [list(map(preparation.words, texts)) for texts in judged.outputs]
    references = [[preparation.words(text) for text in several] for several in judged.references]
    grammar = options.grammar(normalize)
    if grammar is None:
        return outputs, references
    from latticemetric.batch.normalization import normalized_sides

    files = [("references", list(texts)) for texts in zip(*references, strict=True)]
    return normalized_sides([*zip(judged.systems, outputs, strict=True)], files, grammar)


def _evaluated(
    judgments: Judgments,
    outputs: list[_Texts],
    references: list[_Texts],
    metrics: list[AnyMetric],
    chosen: dict[str, Any],
) -> tuple[Agreement, Grouping | None, HumanScores]:
    from latticemetric.evaluation.agreement import correlate
    from latticemetric.evaluation.grouping import group_segments
    from latticemetric.evaluation.judgments import human_scores
    from latticemetric.evaluation.systems import system_tables
    from latticemetric.parallel.pool import default_workers

    columns = options.listed(chosen["columns"]) if chosen["columns"] is not None else judgments.columns
    human = human_scores(
        judgments.select(columns), combine=chosen["combine"], normalize_judges=chosen["normalize_judges"]
    )
    workers = chosen["workers"] or default_workers()
    tables = system_tables(outputs, references, metrics, workers=workers)
    drawn = {name: chosen[name] for name in ("resamples", "seed", "confidence")}
    agreement = correlate(
        tables, human.segment, system_human=human.system, systems=judgments.systems, workers=workers, **drawn
    )
    if chosen["group_by"] is None:
        return agreement, None, human
    by = human.segment
    if chosen["group_by"] == "unigram":
        by = _unigram_table(chosen["unigram"], tables, outputs, references).of_segments()
    sizes = {name: chosen[name] for name in ("width", "smallest")}
    return agreement, group_segments(tables, human.segment, by, **sizes, **drawn), human


def _unigram_table(
    name: str, tables: dict[str, SystemTables], outputs: list[Any], references: list[Any]
) -> SystemTables:
    from latticemetric.cli.correlate_metrics import single
    from latticemetric.evaluation.systems import system_tables

    metric = single(name, "--unigram")
    return tables.get(metric.name) or system_tables(outputs, references, [metric])[metric.name]


def _table_names(names: str) -> tuple[str, ...]:
    listed = options.listed(names)
    unknown = [name for name in listed if name not in _TABLES]
    if unknown or not listed:
        what = f"there is no table '{unknown[0]}'" if unknown else "no table is named"
        raise UsageError(what, where="--tables", advice=f"choose among {', '.join(_TABLES)}")
    return tuple(dict.fromkeys(listed))


def _check_plot(chosen: dict[str, Any]) -> None:
    """Says what cannot be drawn before anything is computed."""
    if not chosen["plot"]:
        return
    from latticemetric.report.plots import check_plot

    check_plot(chosen["plot"])
    if chosen["plot_level"] == "groups" and chosen["group_by"] is None:
        raise UsageError("there are no groups", where="--plot-level", advice="make them with --group-by")


def _plot(agreement: Agreement, grouping: Grouping | None, chosen: dict[str, Any]) -> None:
    from latticemetric.report.plots import plot_agreement, plot_grouping

    if grouping is not None and chosen["plot_level"] == "groups":
        plot_grouping(grouping, chosen["plot"])
    else:
        plot_agreement(agreement, chosen["plot"], level=chosen["plot_level"])
