"""Calibrations, as `latticemetric calibrate` writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from latticemetric.cached import cached_property
from latticemetric.corpus.tables.cells import aligned, counted, resampled, shown, with_interval
from latticemetric.corpus.tables.table import Record, Table, as_json

if TYPE_CHECKING:
    from latticemetric.corpus.calibration import Calibration, CalibrationReport
    from latticemetric.evaluation.calibration import ReliabilityBin
    from latticemetric.evaluation.intervals import Interval


_MEASURES = {
    "words": ("nce", "ece", "brier", "auc"),
    "sentences": ("nce", "ece", "brier", "auc"),
    "errors": ("expected", "rate", "difference", "ece", "squared_error"),
}
_NAMES = {
    "nce": "NCE", "ece": "ECE", "brier": "Brier score", "auc": "AUC", "expected": "expected WER", "rate": "WER",
    "difference": "difference", "squared_error": "squared error",
}  # fmt: skip
_TITLES = {
    "words": "confidence of words",
    "sentences": "probability of no errors",
    "errors": "expected number of errors",
}
_LABELS = {"held_out": "held out", "unscaled": "scale 1", "development": "fitted on", "all": "all words"}
_BINS = {
    "words": ("confidence", "words"),
    "sentences": ("P(no errors)", "graphs"),
    "errors": ("expected errors", "graphs"),
}


class CalibrationTable(Table):
    """A calibration: held-out graphs at the fitted scale and at scale 1, and the development set."""

    columns = ("set", "of", "measure", "posterior_scale", "from", "to", "count", "predicted", "value", "low", "high")

    def __init__(self, find: Callable[[], Calibration | CalibrationReport], resampling: dict[str, Any]) -> None:
        """Take a function that computes the result when it is needed, and the settings of intervals."""
        self._find, self._resampling = find, resampling

    @cached_property
    def _found(self) -> Calibration | CalibrationReport:
        return self._find()

    @property
    def _fit(self) -> Calibration | None:
        from latticemetric.corpus.calibration import Calibration

        return self._found if isinstance(self._found, Calibration) else None

    @property
    def sets(self) -> dict[str, CalibrationReport]:
        """The measures of each set of graphs, by the name of the set."""
        found: Any = self._found
        if self._fit is None:
            return {"all": found}
        named = {name: getattr(found, name) for name in ("held_out", "unscaled", "development")}
        return {name: report for name, report in named.items() if report is not None}

    def text(self) -> Iterator[str]:
        """Yield a table of measures, then reliability tables of the first set: words, then utterances."""
        if self._fit is not None:
            yield f"posterior scale {self._fit.posterior_scale:.6g}"
            yield ""
        rows = [["", *(_LABELS[name] for name in self.sets)]]
        for of, measures in _MEASURES.items():
            sides = [getattr(report, of) for report in self.sets.values()]
            if None in sides:
                continue
            rows.append([_TITLES[of], *("" for _ in sides)])
            for measure in measures:
                intervals = [getattr(side, measure) for side in sides]
                rows.append([f"  {_NAMES[measure]}", *(with_interval(one.value, one.half_width) for one in intervals)])
        yield from aligned(rows)
        report = next(iter(self.sets.values()))
        for of, (title, unit) in _BINS.items():
            side = getattr(report, of)
            if side is not None:
                yield ""
                filled = [one for one in side.bins if one.count]
                yield from aligned([[title, unit, "predicted", "observed", "interval"], *map(_bin_row, filled)])

    def records(self) -> Iterator[Record]:
        """Yield the tried scales, then the measures and bins of each set."""
        for trial in () if self._fit is None else self._fit.trials:
            yield {
                "set": "development",
                "measure": "merit",
                "posterior_scale": trial.posterior_scale,
                "value": trial.merit,
            }
        for name, report in self.sets.items():
            for of, measures in _MEASURES.items():
                side = getattr(report, of)
                if side is None:
                    continue
                head = {"set": name, "of": of}
                count = getattr(side, "utterances" if of == "errors" else "count")
                for measure in measures:
                    yield {**head, "measure": measure, "count": count, **_bounds(getattr(side, measure))}
                for one in side.bins:
                    bin_fields = {"from": one.low, "to": one.high, "count": one.count, "predicted": one.predicted}
                    yield {**head, "measure": "bin", **bin_fields, **_bounds(one.observed)}

    def document(self) -> list[str]:
        """Return everything as one JSON document."""
        return [as_json(self._found.asdict())]

    def plot(self, path: str) -> None:
        """Draw reliability diagrams of each set of graphs."""
        from latticemetric.corpus.report.plots import draw_calibration

        draw_calibration({_LABELS[name]: report for name, report in self.sets.items()}, path)

    def totals(self) -> Record:
        """Return the result as plain values."""
        return self._found.asdict()

    def summary(self) -> list[str]:
        """Return the numbers of graphs and words, and the resampling settings."""
        report = next(iter(self.sets.values()))
        notes = [counted(report.utterances, "graph"), counted(report.words.count, "word")]
        if report.inexact:
            notes.append(f"expected errors of {counted(report.inexact, 'graph')} are estimates")
        if self._resampling["resamples"]:
            drawn = self._resampling
            notes.append(resampled(drawn["confidence"], drawn["resamples"], drawn["seed"]))
        lines = ["", "; ".join(notes)]
        tried = () if self._fit is None else self._fit.trials
        if (
            self._fit is not None
            and len(tried) > 1
            and self._fit.posterior_scale in (tried[0].posterior_scale, tried[-1].posterior_scale)
        ):
            lines.append("the best scale is the smallest or largest one tried; try others with posterior_scale=…")
        return lines


def _bounds(interval: Interval) -> Record:
    return {name: getattr(interval, name) for name in ("value", "low", "high")}


def _bin_row(one: ReliabilityBin) -> list[str]:
    observed = one.observed
    interval = "" if observed.low is None else f"{shown(observed.low)} … {shown(observed.high)}"
    return [f"{one.low:.4g}–{one.high:.4g}", str(one.count), shown(one.predicted), shown(observed.value), interval]
