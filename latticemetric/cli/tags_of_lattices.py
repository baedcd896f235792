"""`latticemetric tags --from-lattices`: predict wrong words by thresholds on posteriors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from latticemetric.cli.options import PairOptions, PlottedOutputOptions, RateOptions, RunOptions
from latticemetric.cli.results import Record, Results, as_json, counted, shown, table, values
from latticemetric.cli.run import Failures, running

if TYPE_CHECKING:
    from latticemetric.batch.oracles import ConfidenceEvaluation


def write_tags_of_lattices(
    lattices: str,
    references: Sequence[str],
    *,
    thresholds: Sequence[float],
    posterior_scale: float,
    metric: RateOptions,
    reading: PairOptions,
    run: RunOptions,
    output: PlottedOutputOptions,
) -> None:
    """Search the lattices, and write the scores of each threshold."""
    from latticemetric.batch.oracles import ConfidenceEvaluation, oracles_of

    output.check_plot()
    rate, failures = metric.rate(), Failures(run.failures)
    with running(run, output.output) as started:
        pairs = reading.pairs(lattices, references)
        outcomes = oracles_of(pairs, rate, started, scales=reading.weights, confidence=posterior_scale)
        evaluation = ConfidenceEvaluation.of(failures.reported(outcomes), thresholds)
        signature = rate.signature_for(len(references)).also(norm=reading.normalize)
        results = _ThresholdResults(evaluation, str(signature))
        output.write(results)
        failures.write()
        if output.plot is not None:
            from latticemetric.report.plots import draw_thresholds

            draw_thresholds(evaluation.sweep, output.plot, "posterior")
    output.say_summary(results)
    failures.exit()


class _ThresholdResults(Results):
    """Scores of predicted tags at each threshold."""

    def __init__(self, evaluation: ConfidenceEvaluation, signature: str) -> None:
        self._evaluation, self._signature = evaluation, signature

    def text(self) -> Iterator[str]:
        """Yield a table, and the reasons why values are undefined or 0."""
        from latticemetric.evaluation.word_tags.metrics import TAG_METRICS

        sweep = self._evaluation.sweep
        rows = [["threshold", *(metric.label for metric in TAG_METRICS.values()), "BAD"]]
        for row in sweep.rows:
            best = " *" if row == sweep.best else "  "
            scores = [shown(getattr(row.scores, name)) + (best if name == "f1_mult" else "") for name in TAG_METRICS]
            share = f"{100 * row.scores.bad / row.scores.tags:.1f} %" if row.scores.tags else "–"
            rows.append([f"{row.threshold:g}", *scores, share])
        yield from table(rows)
        for reason, thresholds in self._reasons().items():
            yield f"{reason}: at {', '.join(thresholds)}"

    def _reasons(self) -> dict[str, list[str]]:
        """Return each reason why metrics are undefined or 0, with the thresholds at which it applies."""
        from latticemetric.evaluation.word_tags.metrics import TAG_METRICS

        reasons: dict[str, list[str]] = {}
        for row in self._evaluation.sweep.rows:
            notes = row.scores.notes
            for why in dict.fromkeys(notes.values()):
                labels = ", ".join(TAG_METRICS[name].label for name, reason in notes.items() if reason == why)
                reasons.setdefault(f"{labels} {why}", []).append(f"{row.threshold:g}")
        return reasons

    def records(self) -> list[Record]:
        """Return one record per threshold."""
        return [row.asdict() for row in self._evaluation.sweep.rows]

    @property
    def columns(self) -> list[str]:
        """Titles of the TSV columns."""
        return [*(name for name in self.records()[0] if name != "notes"), "notes"]

    def rows(self) -> Iterator[list[object]]:
        """Yield one row per threshold."""
        for record in self.records():
            notes = "; ".join(f"{name} {why}" for name, why in record["notes"].items())
            yield values({**record, "notes": notes}, self.columns)

    def document(self) -> Iterator[str]:
        """Yield the document."""
        evaluation, best = self._evaluation, self._evaluation.sweep.best
        sizes = {name: getattr(evaluation, name) for name in ("lattices", "failed", "words", "bad")}
        head = {"signature": self._signature, **sizes, "best": best and best.threshold}
        yield as_json({**head, "thresholds": self.records()})

    def summary(self) -> list[str]:
        """Return sizes and the signature."""
        evaluation = self._evaluation
        notes = [counted(evaluation.lattices, "lattice")]
        notes += [f"{evaluation.failed} failed"] if evaluation.failed else []
        share = f", {100 * evaluation.bad / evaluation.words:.1f} % BAD" if evaluation.words else ""
        return ["", f"{'; '.join(notes)}; {evaluation.words} words{share}; * best F1-mult", self._signature]
