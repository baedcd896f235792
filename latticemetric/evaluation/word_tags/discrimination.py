"""Test how well metrics tell systems from each other and from trivial baselines (Logacheva et al. 2016)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import ceil
from typing import Any

import numpy as np

from latticemetric.errors import UsageError
from latticemetric.evaluation.intervals import ROUNDING, checked_seed, value_of
from latticemetric.evaluation.significance import exchanged_sums, moving_sums, randomisation_of
from latticemetric.evaluation.word_tags.metrics import COMPARED, TagMetric
from latticemetric.evaluation.word_tags.tags import Flags, WordTags
from latticemetric.metrics.base import Table

_FEWEST_TRIALS = 1000


@dataclass(frozen=True)
class PairTest:
    """A randomisation test of two systems.

    Attributes:
        first: The system that is ranked higher.
        second: The other system.
        difference: The first one's value minus the second's; `None` if one is undefined.
        p: The two-sided p-value, not corrected; `None` if the difference is undefined.
        significant: True if p is at most the level divided by the number of pairs (Bonferroni).
    """

    first: str
    second: str
    difference: float | None
    p: float | None
    significant: bool


@dataclass(frozen=True)
class Discrimination:
    """A metric's results for the systems: one row of the paper's table 1.

    Attributes:
        metric: The metric's name.
        ranking: Systems with their values, the best first, undefined ones last.
        pairs: A test for each pair of systems.
        d: The system distinction coefficient: the share of pairs that differ significantly. `None` without
            pairs.
        d_top: The same for the first half of the ranking, corrected only for its number of pairs. If the number of
            systems is odd, the middle one is in neither half.
        d_bottom: The same for the last half.
        below: The number of systems rated below each synthetic labelling.
        below_total: Their sum.
    """

    metric: str
    ranking: tuple[tuple[str, float | None], ...]
    pairs: tuple[PairTest, ...]
    d: float | None
    d_top: float | None
    d_bottom: float | None
    below: dict[str, int]
    below_total: int

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        ranking = [{"system": name, "value": value} for name, value in self.ranking]
        return {**asdict(self), "ranking": ranking, "pairs": [asdict(pair) for pair in self.pairs]}


def trials_for(pairs: int, alpha: float) -> int:
    """Return the default number of trials: 1000, or twice the number that the corrected level needs, if larger."""
    return max(_FEWEST_TRIALS, 2 * ceil(pairs / checked_level(alpha)))


def discriminate(
    systems: Mapping[str, Table],
    synthetic: Mapping[str, Table] | None = None,
    metrics: Sequence[TagMetric] = COMPARED,
    *,
    alpha: float = 0.05,
    trials: int | None = None,
    seed: int = 0,
) -> list[Discrimination]:
    """Test each pair of systems under each metric, and count the systems rated below synthetic labellings.

    Args:
        systems: Tables of `tag_table` by name, all of the same segments.
        synthetic: Tables of synthetic labellings, which are not tested.
        metrics: The metrics to compare; default: those of the paper.
        alpha: The level of significance for all pairs together.
        trials: The number of trials; default: `trials_for`.
        seed: The same seed swaps the same segments. All pairs and metrics share their trials.
    """
    number = len(systems) * (len(systems) - 1) // 2
    trials = trials_for(number, alpha) if trials is None else _enough(trials, number, alpha)
    moved = dict(zip(systems, moving_sums(list(systems.values()), trials, seed), strict=True))
    tests = _Tests(systems, moved, metrics)
    return [_discrimination(metric, tests, synthetic or {}, alpha) for metric in metrics]


class _Tests:
    """The p-values of every pair under every metric; the sums of a pair's trials are computed once."""

    def __init__(self, systems: Mapping[str, Table], moved: Mapping[str, Table], metrics: Sequence[TagMetric]) -> None:
        self.values = {m.name: {name: value_of(m, table) for name, table in systems.items()} for m in metrics}
        self.p: dict[tuple[str, frozenset[str]], float | None] = {}
        for first, second in combinations(systems, 2):
            one, other = exchanged_sums(systems[first], systems[second], moved[first], moved[second])
            for metric in metrics:
                observed = self.values[metric.name][second] - self.values[metric.name][first]
                found = randomisation_of(observed, metric.values(other) - metric.values(one))
                self.p[metric.name, frozenset((first, second))] = found.p

    def pairs(self, metric: str, ranked: Sequence[str], alpha: float) -> Iterator[PairTest]:
        """Yield the tests of all pairs of the `ranked` systems, corrected for the number of pairs."""
        values, chosen = self.values[metric], list(combinations(ranked, 2))
        for first, second in chosen:
            p = self.p[metric, frozenset((first, second))]
            difference = None if p is None else values[first] - values[second]
            yield PairTest(first, second, difference, p, p is not None and p <= alpha / len(chosen))


def _discrimination(metric: TagMetric, tests: _Tests, synthetic: Mapping[str, Table], alpha: float) -> Discrimination:
    values = tests.values[metric.name]
    ranked = sorted(values, key=lambda name: (np.isnan(values[name]), -values[name]))
    half = len(ranked) // 2
    pairs = tuple(tests.pairs(metric.name, ranked, alpha))
    bounds = {name: value_of(metric, table) for name, table in synthetic.items()}
    # An undefined value is not below a bound: comparisons with NaN are false.
    below = {name: sum(value < bound - ROUNDING for value in values.values()) for name, bound in bounds.items()}
    return Discrimination(
        metric.name,
        tuple((name, None if np.isnan(values[name]) else values[name]) for name in ranked),
        pairs,
        _share(pairs),
        _share(tuple(tests.pairs(metric.name, ranked[:half], alpha))),
        _share(tuple(tests.pairs(metric.name, ranked[len(ranked) - half :], alpha))),
        below,
        sum(below.values()),
    )


def _share(pairs: Sequence[PairTest]) -> float | None:
    return sum(pair.significant for pair in pairs) / len(pairs) if pairs else None


def _enough(trials: int, pairs: int, alpha: float) -> int:
    """Return `trials`; raise an error if no pair can become significant, since p ≥ 1 / (trials + 1)."""
    needed = ceil(pairs / checked_level(alpha)) - 1
    if trials < needed:
        raise UsageError(
            f"{trials} trials cannot show that one of {pairs} pairs differs at a level of {alpha:g}",
            advice=f"run at least {needed}, or leave their number out",
        )
    return trials


def checked_level(alpha: float) -> float:
    """Return the level of significance; raise an error if it is not between 0 and 1."""
    if not 0 < alpha < 1:
        raise UsageError(f"a level of significance of {alpha}", advice="give one like 0.05")
    return alpha


# ---- Synthetic labellings: trivial baselines that a good metric rates low (Logacheva et al. 2016, section 3.1) ----

SYNTHETIC = ("all-bad", "all-good", "optimistic", "pessimistic", "random")

_OPTIMISTIC_PRECISION, _OPTIMISTIC_RECALL = 0.9, 0.1
_PESSIMISTIC_RECALL_OF_BAD, _PESSIMISTIC_RECALL_OF_OK = 0.9, 0.1


def synthetic_tags(gold: WordTags, kind: str, seed: int = 0) -> WordTags:
    """Return one of the paper's synthetic labellings of the words of gold tags.

    - `all-bad`, `all-good`: every tag is BAD, or OK.
    - `optimistic`: BAD has a precision of 0.9 and a recall of 0.1; all other tags are OK (98 % of the tags if 18 % of
      the gold tags are BAD, as in the paper).
    - `pessimistic`: BAD has a recall of 0.9, OK a recall of 0.1; so 90 % of the tags are BAD.
    - `random`: each tag is BAD with a probability equal to the share of BAD among the gold tags.

    Numbers of tags are rounded; the tags are drawn at random.

    Args:
        gold: The gold tags.
        kind: The name of the labelling.
        seed: The same seed draws the same tags.

    Examples:
        >>> gold = WordTags.of(["OK BAD OK OK"])
        >>> synthetic_tags(gold, "all-bad").strings()
        ['BAD BAD BAD BAD']
    """
    if kind not in SYNTHETIC:
        raise UsageError(f"there is no labelling '{kind}'", advice=f"choose among {', '.join(SYNTHETIC)}")
    generator = np.random.default_rng([checked_seed(seed), SYNTHETIC.index(kind)])
    return gold.replaced(_drawn(gold.bad, kind, generator))


def _drawn(gold: Flags, kind: str, generator: np.random.Generator) -> Flags:
    bad = int(gold.sum())
    ok = len(gold) - bad
    if kind == "random":
        return generator.random(len(gold)) < bad / max(1, len(gold))
    if kind == "optimistic":
        found = _rounded(_OPTIMISTIC_RECALL * bad)
        false = _rounded(found / _OPTIMISTIC_PRECISION) - found
    elif kind == "pessimistic":
        found, false = _rounded(_PESSIMISTIC_RECALL_OF_BAD * bad), _rounded((1 - _PESSIMISTIC_RECALL_OF_OK) * ok)
    else:
        found, false = (bad, ok) if kind == "all-bad" else (0, 0)
    tags = np.zeros(len(gold), np.bool_)
    tags[generator.choice(np.flatnonzero(gold), found, replace=False)] = True
    tags[generator.choice(np.flatnonzero(~gold), min(false, ok), replace=False)] = True
    return tags


def _rounded(number: float) -> int:
    return int(number + 0.5)
