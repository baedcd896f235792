"""Tuned weights of score columns, as `latticemetric tune` writes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from latticemetric.corpus.tables.cells import aligned, counted, shown
from latticemetric.corpus.tables.looks import AS_FILE, Looks
from latticemetric.corpus.tables.table import Record, Table, as_json

if TYPE_CHECKING:
    from latticemetric.corpus.tuned_weights import TunedWeights


class TunedWeightsTable(Table):
    """The weight of each column: the best and the default, and what they are worth."""

    has_plot = True
    columns = ("column", "weight", "default", "low", "high", "spread_low", "spread_high")

    def __init__(self, tuned: TunedWeights, *, looks: Looks = AS_FILE) -> None:
        self._tuned, self.looks = tuned, looks

    def text(self) -> list[str]:
        """Return the weights that were given and tuned, as an option of this program."""
        weights = {**{name: self._tuned.weights[name] for name in self._tuned.given}, **self._tuned.best.weights}
        return ["--weights " + ",".join(f"{name}={weight!r}" for name, weight in weights.items())]

    @property
    def is_for_programs(self) -> bool:
        """True, since the text is an option of verbs."""
        return True

    def records(self) -> Iterator[Record]:
        """Yield a record for each column whose weight was tuned.

        Fields:
            column (str): The name of the column.
            weight (float): The best weight: in the middle of the region with the best score.
            default (float): The weight before.
            low (float): The least weight of that region.
            high (float): The largest weight of that region.
            spread_low (float | None): The lower end of the interval of the best weight, by resampling and tuning anew.
            spread_high (float | None): The upper end.
        """
        tuned = self._tuned
        for number, (name, weight) in enumerate(tuned.best.weights.items()):
            ends = [corner[number] for corner in tuned.region]
            spread = tuned.spread.get(name)
            yield {
                "column": name,
                "weight": weight,
                "default": tuned.default.weights[name],
                "low": min(ends),
                "high": max(ends),
                "spread_low": None if spread is None else spread.low,
                "spread_high": None if spread is None else spread.high,
            }

    def document(self) -> list[str]:
        """Return everything as one JSON document."""
        return [as_json(self._tuned.asdict())]

    def plot(self, path: str) -> None:
        """Draw the scores of all weights in the ranges."""
        self._tuned.plot(path)

    def summary(self) -> list[str]:
        """Return the scores of the best and the default weights, and the score to expect on new graphs."""
        tuned, metric = self._tuned, self._tuned.metric
        score = self.looks.rate if metric.is_fraction else shown
        title = self.looks.rate_title(metric.name) if metric.is_fraction else metric.name
        rows = [
            ["", title, *tuned.best.weights],
            ["best", score(tuned.best.score), *(f"{weight:.10g}" for weight in tuned.best.weights.values())],
            ["default", score(tuned.default.score), *(f"{weight:.10g}" for weight in tuned.default.weights.values())],
            ["held out", score(tuned.held_out)],
        ]
        width = max(map(len, rows))
        lines = ["", *aligned([[*row, *[""] * (width - len(row))] for row in rows])]
        share = f"{100 * tuned.margin:.2g} %"
        lines.append(f"weights may change by {share} of their ranges, all at once, and no string changes")
        if tuned.gain is not None:
            low, high = score(tuned.gain.low), score(tuned.gain.high)
            how = "tuned on resamples" if tuned.is_of_all_weights else "on resamples, one weight tuned anew,"
            lines.append(f"best minus default {score(tuned.gain.value)}; {how} {low} … {high}")
        if not tuned.is_of_all_weights:
            lines.append("not exact: other weights may be better, but none that differ in one column only")
        rounded = ", exact but for the rounding of costs" if tuned.is_of_all_weights and not tuned.is_exact else ""
        return [*lines, f"{counted(tuned.graphs, 'graph')}{rounded}   {tuned.signature}"]
