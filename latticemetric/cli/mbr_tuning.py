"""`latticemetric mbr --tune`: find the parameters with the best answers on a development set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from latticemetric.cli.files import NamesFiles
from latticemetric.cli.options import (
    IGNORE,
    STYLE,
    GraphOptions,
    Options,
    OutputOptions,
    metrics_named,
    option,
    word_list,
)
from latticemetric.cli.results import Record, Results, as_json, counted, progress, shown, table
from latticemetric.cli.run import Failures

if TYPE_CHECKING:
    from latticemetric.batch.pairing import Style
    from latticemetric.batch.tuning import MBRTuning
    from latticemetric.evaluation.intervals import PairedBootstrap


class TuningOptions(Options):
    """Options for tuning parameters."""

    tune: tuple[str, ...] = option(
        "--tune REFERENCES",
        "Find the parameters that score best against these references; repeatable.",
        type=NamesFiles(),
        multiple=True,
    )
    metric: str = option("--metric NAME", "Metric that --tune optimizes.", default="bleu")
    ignore: str | None = IGNORE
    style: Style = STYLE


def write_tuning(
    graphs: Sequence[str],
    tuning: TuningOptions,
    *,
    parameters: Mapping[str, Any],
    evidence: Sequence[str],
    reading: GraphOptions,
    output: OutputOptions,
    keep_going: bool,
) -> None:
    """Tune the parameters and write them. With `keep_going`, leave out graphs that fail, and exit with status 1."""
    from latticemetric.batch.mbr_evidence import examples_of
    from latticemetric.batch.pairing import pair_up
    from latticemetric.batch.tuning import tune_mbr

    (metric,) = metrics_named([tuning.metric])
    ignore = word_list(tuning.ignore)
    pairs = pair_up(reading.entries(graphs), reading.references(tuning.tune), tuning.style)
    answers = progress(examples_of(pairs, reading.evidence(evidence), keep_going=keep_going), None, "graphs")
    failures = Failures(None)
    examples = [answer.value for answer in failures.reported(answers) if answer.problem is None]
    tuned = tune_mbr(
        [example.graph for example in examples],
        [example.references for example in examples],
        metric,
        evidence=[example.evidence for example in examples] if evidence else None,
        ignore=ignore,
        **parameters,
    )
    results = _TuningResults(tuned, metric.name)
    output.write(results)
    output.say_summary(results)
    failures.exit()


class _TuningResults(Results):
    """All tried settings, and the best of them."""

    columns = ("scale", "T", "p", "r", "order", "word_penalty", "score", "best")

    def __init__(self, tuning: MBRTuning, metric: str) -> None:
        self._tuning, self._metric = tuning, metric

    def text(self) -> list[str]:
        """Return the best setting as options of this program."""
        best = self._tuning.best.parameters
        first = f"--posterior-scale {best.scale:.10g} -T {best.T:.10g} -p {best.p:.10g} -r {best.r:.10g}"
        return [f"{first} --word-penalty={best.word_penalty:.10g} --order {best.order}"]

    def records(self) -> Iterator[Record]:
        """Yield one record per setting."""
        return ({**trial.asdict(), "best": trial == self._tuning.best} for trial in self._tuning.trials)

    def document(self) -> list[str]:
        """Return the document."""
        return [as_json(self._tuning.asdict())]

    def summary(self) -> list[str]:
        """Return the scores of the best setting and of others, with intervals and p-values of the differences."""
        tuning = self._tuning
        rows = [
            ["", self._metric, "best minus it", "95 % interval", "p"],
            ["best", shown(tuning.best.score), "", "", ""],
            ["default", shown(tuning.default.score), *_compared(tuning.over_default)],
            ["1-best", shown(tuning.one_best), *_compared(tuning.over_one_best)],
            ["held out", shown(tuning.held_out), "", "", ""],
        ]
        graphs = counted(tuning.graphs, "graph")
        return ["", *table(rows), f"{len(tuning.trials)} settings, {graphs}   {tuning.signature}"]


def _compared(comparison: PairedBootstrap | None) -> list[str]:
    if comparison is None:
        return ["", "", ""]
    difference = comparison.difference
    return [shown(difference.value), f"{shown(difference.low)} … {shown(difference.high)}", shown(comparison.p)]
