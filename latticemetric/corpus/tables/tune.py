"""Tuned settings of decoders, as `latticemetric tune` writes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from latticemetric.corpus.tables.cells import aligned, counted, shown
from latticemetric.corpus.tables.looks import AS_FILE, Looks
from latticemetric.corpus.tables.table import Record, Table, as_json
from latticemetric.corpus.weight_convention import WrittenWeight, short_text, written_weight
from latticemetric.mbr_decoding.settings import ByNgrams

if TYPE_CHECKING:
    from latticemetric.corpus.expected_weights import ExpectedWeights
    from latticemetric.corpus.tuned import Tuned
    from latticemetric.corpus.tuned_mbr import TunedMBR
    from latticemetric.corpus.tuned_weights import TunedColumns, TunedWeights
    from latticemetric.evaluation.intervals import Interval


class TunedTable(Table):
    """The best setting of a decoder and the default, and what they are worth."""

    def __init__(self, tuned: Tuned, *, looks: Looks = AS_FILE) -> None:
        self._of_all, self.looks = tuned, looks

    @property
    def is_for_programs(self) -> bool:
        """True, since the text is options of verbs."""
        return True

    def document(self) -> list[str]:
        """Return everything as one JSON document."""
        return [as_json(self._of_all.asdict())]

    def summary(self) -> list[str]:
        """Return the scores of the best and the default setting, and the score to expect on new graphs."""
        tuned, score = self._of_all, self._score
        title = self.looks.rate_title(tuned.metric.name) if tuned.metric.is_fraction else tuned.metric.name
        best, default = self._values(tuned.best), self._values(tuned.default)
        rows = [
            ["", title, *best],
            ["best", score(tuned.best.score), *(f"{value:.10g}" for value in best.values())],
            ["default", score(tuned.default.score), *(f"{value:.10g}" for value in default.values())],
            *self._other_rows(),
            ["held out", score(tuned.held_out)],
        ]
        width = max(map(len, rows))
        lines = ["", *aligned([[*row, *[""] * (width - len(row))] for row in rows]), *self._notes()]
        if tuned.gain is not None:
            lines.append(self._difference("best minus default", tuned.gain, self._how_resampled()))
        lines += self._limits()
        return [*lines, f"{counted(tuned.graphs, 'graph')}{self._how_exact()}   {tuned.signature}"]

    @property
    def _score(self) -> Callable[[float | None], str]:
        return self.looks.rate if self._of_all.metric.is_fraction else shown

    def _difference(self, what: str, found: Interval, how: str) -> str:
        score = self._score
        return f"{what} {score(found.value)}; {how} {score(found.low)} … {score(found.high)}"

    def _values(self, trial: Any) -> Mapping[str, float]:
        """Return the tuned values of a setting by name."""
        raise NotImplementedError

    def _other_rows(self) -> list[list[str]]:
        """Return rows of other answers, to compare with."""
        return []

    def _notes(self) -> list[str]:
        """Return lines below the scores."""
        return []

    def _how_resampled(self) -> str:
        """Say how settings were tuned on resamples."""
        return "tuned on resamples"

    def _limits(self) -> list[str]:
        """Return lines on what is not known."""
        return []

    def _how_exact(self) -> str:
        """Say what the result is that is not exact."""
        return ""


class ColumnsTable(TunedTable):
    """The weight of each column: the best and the default, and what they are worth."""

    def __init__(self, tuned: TunedColumns, *, looks: Looks = AS_FILE) -> None:
        super().__init__(tuned, looks=looks)
        self._of_columns = tuned

    def text(self) -> list[str]:
        """Return the weights that were given and tuned, as an option of this program."""
        tuned = self._of_columns
        weights = {**{name: tuned.weights[name] for name in tuned.given}, **tuned.best.weights}
        return ["--weights " + ",".join(f"{name}={weight!r}" for name, weight in weights.items())]

    def _values(self, trial: Any) -> Mapping[str, float]:
        weights: Mapping[str, float] = trial.weights
        return weights


class ExpectedWeightsTable(ColumnsTable):
    """The weights with the best expected rate, and the default."""

    columns = ("column", "weight", "default")

    def __init__(self, tuned: ExpectedWeights, *, looks: Looks = AS_FILE) -> None:
        super().__init__(tuned, looks=looks)
        self._tuned = tuned

    def records(self) -> Iterator[Record]:
        """Yield a record for each column whose weight was tuned.

        Fields:
            column (str): The name of the column.
            weight (float): The best weight.
            default (float): The weight before.
        """
        for name, weight in self._tuned.best.weights.items():
            yield {"column": name, "weight": weight, "default": self._tuned.default.weights[name]}

    def _notes(self) -> list[str]:
        tuned, rate = self._tuned, self.looks.rate
        at = f"at the posterior scale {tuned.best.posterior_scale:.10g}"
        title = self.looks.rate_title(f"expected {tuned.rate}")
        return [f"{title}: best {rate(tuned.best.expected)}, default {rate(tuned.default.expected)} ({at})"]

    def _how_resampled(self) -> str:
        return "resampled, not tuned anew,"

    def _limits(self) -> list[str]:
        steps = counted(self._tuned.steps, "step")
        return [f"not exact: {steps} down from the default; other weights may have a better rate, and better 1-bests"]


class TunedWeightsTable(ColumnsTable):
    """The weight of each column: the best and the default, and what they are worth."""

    has_plot = True
    columns = ("column", "weight", "default", "low", "high", "spread_low", "spread_high")

    def __init__(self, tuned: TunedWeights, *, looks: Looks = AS_FILE) -> None:
        super().__init__(tuned, looks=looks)
        self._tuned = tuned

    def text(self) -> list[str]:
        """Return the weights that were given and tuned: as an option of this program, or as Kaldi's variables."""
        weights = {**{name: self._tuned.weights[name] for name in self._tuned.given}, **self._tuned.best.weights}
        if self._tuned.convention == "columns":
            return ["--weights " + ",".join(f"{name}={weight!r}" for name, weight in weights.items())]
        written = ((self._written(name), weight) for name, weight in weights.items())
        return [" ".join(f"{one.name}={short_text(one.number(weight))}" for one, weight in written)]

    def _written(self, column: str) -> WrittenWeight:
        return written_weight(column, self._tuned.convention)

    def records(self) -> Iterator[Record]:
        """Yield a record for each column whose weight was tuned.

        Fields:
            column (str): The name of the column, or of its weight in Kaldi's scripts.
            weight (float): The best weight: in the middle of the region with the best score.
            default (float): The weight before.
            low (float): The least weight of that region.
            high (float): The largest weight of that region.
            spread_low (float | None): The lower end of the interval of the best weight, by resampling and tuning anew.
            spread_high (float | None): The upper end.
        """
        tuned = self._tuned
        for number, (name, weight) in enumerate(tuned.best.weights.items()):
            written, ends = self._written(name), [corner[number] for corner in tuned.region]
            low, high = written.ends(min(ends), max(ends))
            spread_low, spread_high = self._spread(name)
            yield {
                "column": written.name,
                "weight": written.number(weight),
                "default": written.number(tuned.default.weights[name]),
                "low": low,
                "high": high,
                "spread_low": spread_low,
                "spread_high": spread_high,
            }

    def _spread(self, name: str) -> tuple[float | None, float | None]:
        spread = self._tuned.spread.get(name)
        if spread is None or spread.low is None or spread.high is None:
            return None, None
        return self._written(name).ends(spread.low, spread.high)

    def plot(self, path: str) -> None:
        """Draw the scores of all weights in the ranges."""
        self._tuned.plot(path)

    def _values(self, trial: Any) -> Mapping[str, float]:
        written = ((self._written(name), weight) for name, weight in trial.weights.items())
        return {one.name: one.number(weight) for one, weight in written}

    def _notes(self) -> list[str]:
        share = f"{100 * self._tuned.margin:.2g} %"
        alone = ", ".join(self._written(name).shown_range(*ends) for name, ends in self._tuned.alone.items())
        return [
            f"weights may change by {share} of their ranges, all at once, and no string changes",
            f"{alone}{': each alone' * (len(self._tuned.alone) > 1)}, and no string changes",
        ]

    def _how_resampled(self) -> str:
        return "tuned on resamples" if self._tuned.is_of_all_weights else "on resamples, one weight tuned anew,"

    def _limits(self) -> list[str]:
        if self._tuned.is_of_all_weights:
            return []
        return ["not exact: other weights may be better, but none that differ in one column only"]

    def _how_exact(self) -> str:
        is_rounded = self._tuned.is_of_all_weights and not self._tuned.exact
        return ", exact but for the rounding of costs" if is_rounded else ""


class TunedMBRTable(TunedTable):
    """All settings of n-gram MBR that were tried, and the best one."""

    columns = (*ByNgrams.fields, "score", "inexact", "best")

    def __init__(self, tuned: TunedMBR, *, looks: Looks = AS_FILE) -> None:
        super().__init__(tuned, looks=looks)
        self._tuned = tuned

    def text(self) -> list[str]:
        """Return the best setting as options of this program."""
        best = self._tuned.best.by
        first = f"--posterior-scale {best.posterior_scale:.10g} -T {best.T:.10g} -p {best.p:.10g} --ratio {best.r:.10g}"
        return [f"{first} --word-penalty={best.word_penalty:.10g} --order {best.order}"]

    def records(self) -> Iterator[Record]:
        """Yield a record for each setting that was tried."""
        return ({**trial.asdict(), "best": trial == self._tuned.best} for trial in self._tuned.trials)

    def _values(self, trial: Any) -> Mapping[str, float]:
        settings = [one.by.asdict() for one in self._tuned.trials]
        varied = [name for name in settings[0] if len({one[name] for one in settings}) > 1]
        return {name: getattr(trial.by, name) for name in varied}

    def _other_rows(self) -> list[list[str]]:
        return [["1-best", self._score(self._tuned.one_best)]]

    def _notes(self) -> list[str]:
        tuned = self._tuned
        comparisons = {
            "best minus 1-best": tuned.over_one_best,
            "held out minus 1-best": tuned.held_out_over_one_best,
        }
        lines = [
            f"{self._difference(what, found.difference, 'resampled')}, p {shown(found.p)}"
            for what, found in comparisons.items()
            if found is not None
        ]
        inexact = tuned.best.inexact
        return [*lines, f"{counted(inexact, 'answer')} of the best setting not exact"] if inexact else lines

    def _how_exact(self) -> str:
        return f", the best of {len(self._tuned.trials)} settings"
