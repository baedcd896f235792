"""`latticemetric correlate`: correlate metrics with human scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click

from latticemetric.cli.commands import Options, choice, flag, option, verb
from latticemetric.cli.correlate_ranks import RankOptions
from latticemetric.cli.files import ReferenceFiles, ScoresOutput, TableFiles
from latticemetric.cli.options import (
    IGNORE,
    LOWERCASE,
    NORMALIZE,
    SHORT_SIGNATURE,
    Number,
    OutputOptions,
    PlotOptions,
    ResamplingOptions,
    WorkerOptions,
    format_option,
    grammar_named,
    listed,
    metrics_named,
    refuse,
    word_list,
)
from latticemetric.errors import UsageError

if TYPE_CHECKING:
    from latticemetric.corpus.tables.correlate import CorrelationTable, PairedCorrelationTable
    from latticemetric.evaluation.agreement import Agreement
    from latticemetric.evaluation.grouping import Grouping
    from latticemetric.evaluation.human import HumanScores
    from latticemetric.evaluation.scoring import AnyMetric
    from latticemetric.evaluation.systems import SystemTables
    from latticemetric.formats.judged import JudgedSystems
    from latticemetric.judgments import Judgments
    from latticemetric.metrics.preparation import Preparation

    _Texts = list[tuple[str, ...]]

_TABLES = ("system", "differentials", "segment", "by-system", "scores")
_PLOTS = ("system", "differentials", "segment", "groups")
_ALL_METRICS = (
    "nist,nist-stem,bleu,bleu-stem,bleu-sbp,precision,precision-stem,recall,recall-stem,f1,f1-stem,fmean,fmean-stem,"
    "meteor,wer,wrr,4-grr"
)

_EPILOG = """\b
Examples:
  latticemetric correlate campaign/ --metric bleu,fmean,meteor
  latticemetric correlate judged.tsv --normalize-judges --group-by human
  latticemetric correlate wmt17/ --pair cs-en --plot cs-en.svg
  latticemetric correlate mt-metrics-eval-v2/wmt23 --pair en-de --metric-scores COMET-refA.seg.score --ranks spa,acc-t
  latticemetric correlate wmt23 --pair en-de,zh-en --metric-scores 'wmt23/metric-scores/{pair}' --ranks accuracy,spa
"""

_SECTIONS = {
    "Test set": "--pair --reference --human --with-people --leave-out",
    "Human scores": "--human-scores --combine --normalize-judges",
    "Metric": "--metric --metric-scores --tokenize --lowercase --ignore --normalize --effective-length",
    "Groups of segments": "--group-by --bin-width --smallest --unigram",
    "Ranks of metrics": "--ranks --average --exchange --trials --significance --one-sided",
    "Output": "--tables --baseline --format --output --short-signature --plot --plot-level --write-scores",
    "Large runs": "--workers",
}


class _TestSetOptions(Options):
    pairs: tuple[str, ...] = option(
        "--pair PAIR",
        "Language pairs to read: cs-en, or cs-en,de-en, or all; repeatable.",
        multiple=True,
    )
    references: tuple[str, ...] = option(
        "--reference -r FILE",
        "Use these references instead of the folder's; repeatable.",
        type=ReferenceFiles(),
        multiple=True,
    )
    human: str | None = option(
        "--human FILE", "Use this table of judgments instead of the folder's.", type=TableFiles()
    )
    with_people: bool = flag(
        "--with-people", "Treat human translations that are not references as systems (mt-metrics-eval)."
    )
    leave_out: tuple[str, ...] = option(
        "--leave-out SYSTEM", "Leave out a system (PAIR:SYSTEM: in this language pair only); repeatable.", multiple=True
    )
    columns: str | None = option(
        "--human-scores NAMES",
        "Columns of human scores, separated by commas (default: the usual column of the test set, else all).",
    )
    combine: Literal["sum", "mean"] = choice(
        "--combine", ["sum", "mean"], "How to combine several columns of human scores."
    )
    normalize_judges: bool = flag("--normalize-judges", "Standardize each judge's scores: mean 0, variance 1.")

    def language_pairs(self, test_set: str) -> list[str | None]:
        """Return the language pairs to read; `[None]` if the user names no pair."""
        from latticemetric.formats.judged import language_pairs

        named = list(dict.fromkeys(pair for several in self.pairs for pair in listed(several)))
        return (list(language_pairs(test_set)) if named == ["all"] else list(named)) or [None]

    def read(self, test_set: str, pair: str | None, pairs: Sequence[str | None]) -> JudgedSystems:
        """Read the test set of one language pair; omit the systems of `--leave-out`."""
        from latticemetric.cli.correlate_pairs import of_pair
        from latticemetric.formats.judged import read_judged

        judged = read_judged(
            test_set,
            pair=pair,
            references=[of_pair(path, pair) for path in self.references],
            human=None if self.human is None else of_pair(self.human, pair),
            with_people=self.with_people,
        )
        others = tuple(f"{other}:" for other in pairs if other != pair)
        return judged.without([name.removeprefix(f"{pair}:") for name in self.leave_out if not name.startswith(others)])

    def human_scores(self, judgments: Judgments, standard: str | None) -> HumanScores:
        """Return the human scores in the columns of `--human-scores`.

        Without `--human-scores`, use the standard column of the test set; if there is none, use all columns.
        """
        from latticemetric.evaluation.human import human_scores

        columns = listed(self.columns) if self.columns is not None else [standard] if standard else judgments.columns
        return human_scores(judgments.select(columns), combine=self.combine, normalize_judges=self.normalize_judges)


class MetricOptions(Options):
    """Options for the metrics and for preparing strings."""

    metric: tuple[str, ...] = option(
        "--metric -m NAME", "Metrics, separated by commas; repeatable (default: all).", multiple=True
    )
    outside: tuple[str, ...] = option(
        "--metric-scores FILE",
        "Also correlate the scores in FILE: .seg.score, .sys.score, a folder of them, TSV, JSON lines, Parquet; "
        "repeatable.",
        type=TableFiles(),
        multiple=True,
    )
    tokenize: str | None = option(
        "--tokenize -tok NAME", "Tokenizer of sacrebleu (default: none; for WMT: by target language, mostly 13a)."
    )
    lowercase: bool = LOWERCASE
    ignore: str | None = IGNORE
    normalize: str | None = NORMALIZE
    effective_length: str | None = choice(
        "--effective-length",
        ["shortest", "closest", "average"],
        "BLEU's reference length with several references (default: shortest; for WMT: closest).",
        optional=True,
    )
    baseline: str | None = option(
        "--baseline METRIC", "Show p-values of every other metric against this metric (default: the first metric)."
    )

    def named(self) -> tuple[list[AnyMetric], tuple[str, ...]]:
        """Return the metrics, and notes on default metrics that are not available."""
        from latticemetric.errors import MissingDependencyError
        from latticemetric.metrics.wordnet import wordnet

        if self.outside and self.metric == ("none",):
            return [], ()
        metrics, notes = metrics_named(self.metric or [_ALL_METRICS]), list[str]()
        if not self.metric:
            try:
                wordnet()
            except MissingDependencyError as error:
                metrics = [metric for metric in metrics if metric.name != "meteor"]
                notes = [f"meteor: left out, because {error}"]
        return _with_length(metrics, self.effective_length), tuple(notes)

    def baseline_among(self, names: Sequence[str]) -> str:
        """Return the name of the baseline: by default, the first metric."""
        if self.baseline is None:
            return names[0]
        name = self.baseline if self.baseline in names else _single_metric(self.baseline, "--baseline").name
        if name not in names:
            advice = f"choose {', '.join(names)}"
            raise UsageError(f"{self.baseline} is not among the metrics", where="--baseline", advice=advice)
        return name


class _GroupOptions(Options):
    group_by: Literal["unigram", "human"] | None = choice(
        "--group-by",
        ["unigram", "human"],
        "Also group segments by their unigram score or their human score.",
        optional=True,
    )
    width: float = option(
        "--bin-width X", "Width of a group, as a difference of scores.", type=Number(0, min_open=True), default=0.1
    )
    smallest: int = option(
        "--smallest N",
        "Mark groups with fewer than N segments; show the correlation with and without these groups.",
        default=100,
        type=click.IntRange(1),
    )
    unigram: str = option("--unigram METRIC", "Metric for --group-by unigram.", default="f1")


class _CorrelationOutput(OutputOptions, PlotOptions):
    tables: str = option(
        "--tables NAMES",
        f"Tables to show in text output, separated by commas: {', '.join(_TABLES)}.",
        default="system,differentials,segment",
    )
    plot_level: str = choice(
        "--plot-level", _PLOTS, "Plot one point per system, pair of systems (differentials), segment, or group."
    )
    short_signature: bool = SHORT_SIGNATURE
    write_scores: str | None = option(
        "--write-scores PATH",
        "Write the scores of all metrics to .tsv, .jsonl or .parquet, or to a folder of .seg.score and .sys.score; "
        "error rates are negated.",
        type=ScoresOutput(),
    )
    output_format: str = format_option(parts=("text", "rows", "document"))

    def table_names(self) -> tuple[str, ...]:
        names = listed(self.tables)
        unknown = [name for name in names if name not in _TABLES]
        if unknown or not names:
            what = f"there is no table '{unknown[0]}'" if unknown else "no table is named"
            raise UsageError(what, where="--tables", advice=f"choose among {', '.join(_TABLES)}")
        return tuple(dict.fromkeys(names))

    def draw(self, agreement: Agreement, grouping: Grouping | None, pair: str | None) -> None:
        if not self.plot:
            return
        from latticemetric.cli.correlate_pairs import of_pair
        from latticemetric.corpus.report.plots import plot_agreement, plot_grouping

        path = of_pair(self.plot, pair)
        if grouping is not None and self.plot_level == "groups":
            plot_grouping(grouping, path)
        else:
            level: Any = self.plot_level
            plot_agreement(agreement, path, level=level)


@verb("correlate", epilog=_EPILOG, sections=_SECTIONS)
@click.argument("test_set", type=TableFiles(), metavar="TESTSET")
def command(
    test_set: str,
    *,
    reading: _TestSetOptions,
    measured: MetricOptions,
    groups: _GroupOptions,
    ranked: RankOptions,
    resampling: ResamplingOptions,
    work: WorkerOptions,
    output: _CorrelationOutput,
) -> None:
    """Correlate metrics with human scores of systems, pairs of systems, and segments.

    TESTSET is a table with outputs, references and scores, a folder of WMT or mt-metrics-eval, or a folder with
    systems/, references/ and human.tsv. To read several language pairs, write `{pair}` in the file names of options:
    each pair then has its own files.
    """
    from latticemetric.cli.correlate_pairs import check_outputs, common_metrics, of_pair
    from latticemetric.corpus.tables.correlate import PairedCorrelationTable
    from latticemetric.parallel.limits import default_workers

    _single_metric(groups.unigram, "--unigram")
    if groups.group_by is None:
        refuse(["smallest", "width", "unigram"], "without --group-by")
    metrics, left_out = measured.named()
    if not measured.outside:
        measured.baseline_among([metric.name for metric in metrics])
    output.table_names()
    ranked.wanted()
    output.check_plot()
    if output.plot and output.plot_level == "groups" and groups.group_by is None:
        raise UsageError("there are no groups to plot", where="--plot-level", advice="make groups with --group-by")
    pairs = reading.language_pairs(test_set)
    check_outputs({"--plot": output.plot, "--write-scores": output.write_scores}, pairs)
    run = _Run(test_set, pairs, reading, measured, groups, resampling, output, work.workers or default_workers())
    found = {pair: run.measure(pair, metrics, left_out) for pair in pairs}
    several = {pair: one for pair, one in found.items() if pair is not None}
    table: CorrelationTable | PairedCorrelationTable
    if len(several) < 2:  # noqa: PLR2004  several language pairs
        ((_, only),) = found.items()
        table = replace(only.table, ranks=ranked.table(only.judged, only.human, only.scored, resampling.seed))
    else:
        names, notes = common_metrics({pair: list(one.scored) for pair, one in several.items()})
        sides = {pair: (one.judged, one.human, {n: one.scored[n] for n in names}) for pair, one in several.items()}
        ranks = ranked.table_over_pairs(sides, resampling.seed)
        table = PairedCorrelationTable(test_set, {pair: one.table for pair, one in several.items()}, ranks, notes)
    if output.write_scores is not None:
        for pair, one in found.items():
            _write_scores(of_pair(output.write_scores, pair), one.judged, one.scored)

    def draw() -> None:
        for pair, one in found.items():
            output.draw(one.table.agreement, one.table.grouping, pair)

    output.write(table, beside=draw)
    output.say_summary(table)


class _Measured(NamedTuple):
    """A test set of one language pair, with its human scores, metric scores and correlations."""

    judged: JudgedSystems
    human: HumanScores
    scored: dict[str, SystemTables]
    table: CorrelationTable


class _Run(NamedTuple):
    """The options that all language pairs share."""

    test_set: str
    pairs: list[str | None]
    reading: _TestSetOptions
    measured: MetricOptions
    groups: _GroupOptions
    resampling: ResamplingOptions
    output: _CorrelationOutput
    threads: int

    def measure(self, pair: str | None, metrics: list[AnyMetric], left_out: tuple[str, ...]) -> _Measured:
        """Read the test set of a language pair, score it, and correlate the scores with human scores."""
        from latticemetric.corpus.tables.correlate import CorrelationTable
        from latticemetric.evaluation.systems import missing_scores, system_tables
        from latticemetric.metrics.base import references_each

        measured, output = self.measured, self.output
        judged = self.reading.read(self.test_set, pair, self.pairs)
        if measured.effective_length is None and judged.raw:
            metrics = _with_length(metrics, "closest")
        outputs, references, preparation, notes = _prepared(judged, measured)
        notes += preparation.added_spaces(metrics)
        human = self.reading.human_scores(judged.judgments, judged.standard)
        scored = system_tables(outputs, references, metrics, workers=self.threads)
        outside = _outside_tables(judged, measured.outside, scored, pair)
        scored |= outside
        for name, one in outside.items():
            notes += missing_scores(name, one, judged.systems)
        agreement, grouping = _evaluate(
            judged,
            human,
            (outputs, references),
            scored,
            groups=self.groups,
            resampling=self.resampling,
            workers=self.threads,
        )
        each = references_each(references)
        signed = [preparation.signed(metric.signature_for(each)).also(norm=measured.normalize) for metric in metrics]
        table = CorrelationTable(
            self.test_set,
            agreement,
            grouping,
            self.groups.group_by,
            (*left_out, *judged.notes, *human.notes, *notes),
            {m.name: one.format(short=output.short_signature) for m, one in zip(metrics, signed, strict=True)},
            len(judged.references[0]),
            measured.baseline_among(list(scored)),
            output.table_names(),
            None,
        )
        return _Measured(judged, human, scored, table)


def _prepared(
    judged: JudgedSystems, measured: MetricOptions
) -> tuple[list[_Texts], _Texts, Preparation, tuple[str, ...]]:
    """Return the words of outputs and references, the preparation of texts, and notes on the preparation."""
    from latticemetric.metrics.preparation import Preparation, tokenizer_for, unsuitable_tokenizer

    texts = [text for several in judged.references for text in several]
    tokenize, notes = measured.tokenize, tuple[str, ...]()
    if tokenize is None and judged.raw:
        tokenize, notes = tokenizer_for(judged.target, texts)
    preparation = Preparation(measured.lowercase, tokenize, word_list(measured.ignore))
    notes += unsuitable_tokenizer(tokenize or "", texts)
    notes += preparation.kept_spaces([*judged.outputs, *judged.references])
    outputs = [list(map(preparation.words, several)) for several in judged.outputs]
    references: Any = [[preparation.words(text) for text in several] for several in judged.references]
    if (grammar := grammar_named(measured.normalize)) is not None:
        from latticemetric.corpus.normalization import normalized_sides

        # A grammar may turn one reference into several.
        files = [("references", list(texts)) for texts in zip(*references, strict=True)]
        outputs, references = normalized_sides([*zip(judged.systems, outputs, strict=True)], files, grammar)
    return outputs, references, preparation, notes


def _outside_tables(
    judged: JudgedSystems, paths: Sequence[str], known: Mapping[str, SystemTables], pair: str | None
) -> dict[str, SystemTables]:
    """Read the scores of `--metric-scores`; return them by metric."""
    from latticemetric.cli.correlate_pairs import of_pair
    from latticemetric.evaluation.systems import GivenTables
    from latticemetric.formats.metric_scores import read_metric_scores, score_files

    files = [file for path in paths for file in score_files(of_pair(path, pair))]
    found = read_metric_scores(files, judged.systems, judged.segments) if files else {}
    if again := [name for name in found if name in known]:
        advice = "rename the file or the column, or name other --metric"
        raise UsageError(
            f"'{again[0]}' is also the name of a metric in --metric", where="--metric-scores", advice=advice
        )
    shape = len(judged.systems), len(judged.segments)
    return {name: GivenTables.given(one.segments, one.systems, shape) for name, one in found.items()}


def _write_scores(path: str, judged: JudgedSystems, scored: Mapping[str, SystemTables]) -> None:
    from latticemetric.formats.metric_scores import MetricScores, write_metric_scores

    scores = {
        name: MetricScores(one.signed(one.of_segments()), one.signed(one.of_systems())) for name, one in scored.items()
    }
    write_metric_scores(path, scores, judged.systems, judged.segments)


def _evaluate(
    judged: JudgedSystems,
    human: HumanScores,
    texts: tuple[list[_Texts], _Texts],
    tables: dict[str, SystemTables],
    *,
    groups: _GroupOptions,
    resampling: ResamplingOptions,
    workers: int,
) -> tuple[Agreement, Grouping | None]:
    """Correlate the metrics; with `--group-by`, also correlate over groups of segments."""
    from latticemetric.evaluation.agreement import correlate
    from latticemetric.evaluation.grouping import group_segments
    from latticemetric.evaluation.systems import system_tables

    drawn = resampling.asdict()
    agreement = correlate(
        tables, human.segment, system_human=human.system, systems=judged.judgments.systems, workers=workers, **drawn
    )
    if groups.group_by is None:
        return agreement, None
    by = human.segment
    if groups.group_by == "unigram":
        metric = _single_metric(groups.unigram, "--unigram")
        table = tables.get(metric.name) or system_tables(*texts, [metric])[metric.name]
        by = table.of_segments()
    grouping = group_segments(tables, human.segment, by, width=groups.width, smallest=groups.smallest, **drawn)
    return agreement, grouping


def _single_metric(name: str, where: str) -> AnyMetric:
    """Return the metric that is the value of an option; refuse several metrics."""
    metrics: list[AnyMetric] = metrics_named([name])
    if len(metrics) != 1:
        raise UsageError(f"'{name}' names several metrics, but this option takes one", where=where, advice="name one")
    return metrics[0]


def _with_length(metrics: Iterable[AnyMetric], length: str | None) -> list[AnyMetric]:
    """Set the parameter `effective_length` of the metrics with this parameter; if `length` is `None`, do nothing."""
    if length is None:
        return list(metrics)
    return [
        replace(metric, effective_length=length) if hasattr(metric, "effective_length") else metric  # type: ignore[type-var]
        for metric in metrics
    ]
