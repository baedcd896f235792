"""Score several systems by several metrics: corpus values with intervals, and comparisons with the first system."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from latticemetric.errors import placed, shortened
from latticemetric.evaluation.intervals import (
    Interval,
    PairedBootstrap,
    Values,
    difference_columns,
    interval_of,
    or_none,
    paired_bootstrap_of,
    resampled_sums,
    value_of,
)
from latticemetric.evaluation.significance import Randomisation, randomisation_of, swapped_sums
from latticemetric.frozen import Frozen
from latticemetric.metrics.base import Metric, Table, plain_sum, references_each
from latticemetric.metrics.signature import Signature

AnyMetric = Metric[Any]


@dataclass(frozen=True, eq=False)
class Tabled(Frozen):
    """The statistics of one named system under one metric: one row per segment."""

    system: str
    metric: AnyMetric
    table: Table
    signature: Signature

    @property
    def value(self) -> float:
        """The value of the whole test set; NaN if undefined."""
        return value_of(self.metric, self.table)

    def sentences(self) -> list[float | None]:
        """Return the value of each segment alone; `None` if undefined."""
        return list(map(or_none, self.metric.values(self.table).tolist()))


@dataclass(frozen=True)
class Comparison:
    """A comparison of a system with the first one.

    Attributes:
        difference: The system's value minus the first one's; `None` if one is undefined.
        bootstrap: The difference on resamples of the segments; `None` without resamples.
        randomisation: The randomisation test of the difference; `None` without resamples.
    """

    difference: float | None
    bootstrap: PairedBootstrap | None
    randomisation: Randomisation | None

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "difference": self.difference,
            **difference_columns(self.bootstrap),
            "p_randomisation": self.randomisation.p if self.randomisation else None,
        }


@dataclass(frozen=True)
class SystemScore:
    """A system's corpus value under one metric.

    Attributes:
        tabled: System, metric and statistics.
        score: The corpus value; `None` if undefined.
        interval: The interval of its resamples; `None` without resamples.
        comparison: The comparison with the first system; `None` for the first system.
    """

    tabled: Tabled
    score: float | None
    interval: Interval | None
    comparison: Comparison | None

    def asdict(self, *, short_signature: bool = False) -> dict[str, Any]:
        """Return plain values, for JSON."""
        bounds = asdict(self.interval) if self.interval else {}
        sums = self.tabled.table.sum(axis=0).tolist()
        return {
            "system": self.tabled.system,
            "metric": self.tabled.metric.name,
            "score": self.score,
            **{name: bounds.get(name) for name in ("low", "high", "half_width", "undefined")},
            "statistics": dict(zip(self.tabled.metric.columns, map(plain_sum, sums), strict=True)),
            "comparison": self.comparison.asdict() if self.comparison else None,
            "signature": self.tabled.signature.format(short=short_signature),
        }


def tabulate(
    systems: Iterable[tuple[str, Sequence[Any]]], references: Sequence[Any], metrics: Sequence[AnyMetric]
) -> list[list[Tabled]]:
    """Return the statistics of each system under each metric: one list per system.

    Args:
        systems: Names and outputs: strings, or also graphs if all metrics take them.
        references: The references of each segment, as the metrics take them.
        metrics: The metrics.
    """
    number = references_each(references)

    def tabled(system: str, candidates: Sequence[Any], metric: AnyMetric) -> Tabled:
        with placed(f"{shortened(system)}, {metric.name}"):
            return Tabled(system, metric, metric.table(candidates, references), metric.signature_for(number))

    return [[tabled(name, candidates, metric) for metric in metrics] for name, candidates in systems]


def corpus_scores(
    tabled: Sequence[Sequence[Tabled]], *, resamples: int = 1000, seed: int = 0, confidence: float = 0.95
) -> list[list[SystemScore]]:
    """Return corpus values of systems, with intervals, and compare each system with the first one.

    Use the same resamples and trials for all systems and metrics.

    Args:
        tabled: Statistics, one list per system, all of the same metrics and segments.
        resamples: The number of resamples, and of trials of the randomisation test; 0 leaves both out.
        seed: The same seed draws and swaps the same segments.
        confidence: The share of resamples inside the interval.
    """
    first, *others = tabled or [[]]
    flat = [one for row in tabled for one in row]
    drawn: list[Values] = []  # the value of each of these in each resample
    trials: list[tuple[Table, Table]] = []  # for each of the others, the sums of the first system and of its own
    if resamples:
        sums = resampled_sums([one.table for one in flat], resamples, seed)
        drawn = [one.metric.values(own) for one, own in zip(flat, sums, strict=True)]
    if resamples and others:
        pairs = [(one.table, other.table) for row in others for one, other in zip(first, row, strict=True)]
        trials = swapped_sums(pairs, resamples, seed)
    scores = []
    for number, one in enumerate(flat):
        base = number % len(first)
        value, difference = one.value, one.value - first[base].value
        interval = interval_of(value, drawn[number], confidence) if resamples else None
        comparison, resampled, tested = None, None, None
        if resamples and number >= len(first):
            resampled = paired_bootstrap_of(difference, drawn[number] - drawn[base], confidence)
            before, after = map(one.metric.values, trials[number - len(first)])
            tested = randomisation_of(difference, after - before)
        if number >= len(first):
            comparison = Comparison(or_none(difference), resampled, tested)
        scores.append(SystemScore(one, or_none(value), interval, comparison))
    return [scores[begin : begin + len(first)] for begin in range(0, len(flat), max(1, len(first)))]
