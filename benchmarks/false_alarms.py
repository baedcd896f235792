"""Measure how often each significance test finds a difference where there is none, at the level 0.05.

Run: python benchmarks/false_alarms.py [PAIRS]

Each test gets pairs that are equally good by construction: outputs or metrics with the same noise. Williams' test gets
metrics with the same population correlation; the paired bootstrap of correlations gets random segments, and metrics
with the same true correlation with human scores.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from latticemetric.evaluation.agreement import correlate
from latticemetric.evaluation.intervals import paired_bootstrap
from latticemetric.evaluation.metric_tests import permutation_test
from latticemetric.evaluation.significance import randomisation_test, t_statistic, two_sided_p, williams
from latticemetric.evaluation.systems import MeanOfSegments
from latticemetric.metrics.base import Table

Draw = Callable[[np.random.Generator, int], float | None]
TRIALS = 199


def of_metrics(statistic: str, average: str, exchange: str, shape: tuple[int, int]) -> Draw:
    """Return a test of two metrics with the same noise, on scores of this shape."""

    def draw(generator: np.random.Generator, seed: int) -> float | None:
        gold = generator.normal(size=shape) + np.linspace(0, 1, shape[0])[:, None]
        first, second = (gold + generator.normal(size=shape) for _ in range(2))
        sides = [side.round(1) if statistic.startswith("acc") else side for side in (gold, first, second)]
        options = {"average": average, "exchange": exchange, "trials": TRIALS, "seed": seed}
        return permutation_test(statistic, *sides, **options).p  # type: ignore[arg-type]

    return draw


def two_outputs(generator: np.random.Generator) -> tuple[Table, Table]:
    """Segment scores of two equally good systems, some segments harder than others."""
    hard = generator.normal(size=200)
    one, other = (np.column_stack([hard + generator.normal(size=200), np.ones(200)]) for _ in range(2))
    return one, other


def of_williams(generator: np.random.Generator, _: int) -> float | None:
    """Test two metrics of fifteen systems."""
    human = generator.normal(size=15)
    return williams(human + generator.normal(size=15), human + generator.normal(size=15), human).p


def of_correlations(generator: np.random.Generator, seed: int) -> float | None:
    """Test two metrics whose errors on systems mirror each other."""
    human = np.linspace(-1, 1, 8) * 1.5
    error = generator.normal(size=8)
    error -= error.mean() + human * (error @ human) / (human @ human)
    segments = []
    for sign in (1, -1):  # errors of systems with the same correlation
        noise = generator.normal(size=(8, 150))
        segments.append((human + 0.8 * sign * error)[:, None] + 2 * noise)
    found = correlate(
        {"one": segments[0], "other": segments[1]},
        np.zeros((8, 150)) * np.nan,
        system_human=human,
        resamples=TRIALS,
        seed=seed,
    )
    bootstrap = found.system_comparisons[0].bootstrap
    return bootstrap.p if bootstrap else None


def of_t(generator: np.random.Generator, _: int) -> float | None:
    """Test two samples of one distribution."""
    return two_sided_p(float(t_statistic(generator.normal(size=50), generator.normal(size=50))), 98)


TESTS: dict[str, Draw] = {
    "randomisation of two systems": lambda g, s: (
        randomisation_test(MeanOfSegments(), *two_outputs(g), trials=TRIALS, seed=s).p
    ),
    "paired bootstrap of two systems": lambda g, s: (
        paired_bootstrap(MeanOfSegments(), *two_outputs(g), resamples=TRIALS, seed=s).p
    ),
    "paired bootstrap of two correlations": of_correlations,
    "Williams": of_williams,
    "t of two samples": of_t,
    "PERM-BOTH, pearson": of_metrics("pearson", "none", "both", (6, 20)),
    "PERM-SYSTEMS, pearson": of_metrics("pearson", "none", "systems", (12, 1)),
    "PERM-SYSTEMS, pairwise accuracy": of_metrics("acc-eq", "none", "systems", (30, 1)),
    "PERM-BOTH, kendall": of_metrics("kendall", "none", "both", (5, 12)),
    "PERM-BOTH, acc-eq by item": of_metrics("acc-eq", "item", "both", (6, 20)),
    "PERM-BOTH, acc-t by item": of_metrics("acc-t", "item", "both", (6, 20)),
    "PERM-ITEMS, acc-t by item": of_metrics("acc-t", "item", "items", (6, 20)),
    "exchange of pairs, acc-eq by item": of_metrics("acc-eq", "item", "pairs", (12, 20)),
    "exchange of pairs, acc-t by item": of_metrics("acc-t", "item", "pairs", (12, 20)),
    "PERM-BOTH, spa": of_metrics("spa", "none", "both", (6, 20)),
    "PERM-ITEMS, spa": of_metrics("spa", "none", "items", (6, 20)),
}


def main(pairs: int) -> None:
    """Print the rate of each test."""
    for name, draw in TESTS.items():
        generator = np.random.default_rng(1)
        alarms = sum((p := draw(generator, seed)) is not None and p <= 0.05 for seed in range(pairs))
        print(f"{name:40} {100 * alarms / pairs:5.1f} %", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
