"""The power of tag metrics to separate systems from each other and from trivial baselines (Logacheva et al. 2016)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from math import ceil
from typing import Any

import numpy as np

from latticemetric.errors import UsageError
from latticemetric.evaluation.intervals import ROUNDING, checked_seed, value_of
from latticemetric.evaluation.significance import checked_level, exchanged_sums, moving_sums, randomisation_of
from latticemetric.evaluation.word_tags.metrics import COMPARED, TagMetric
from latticemetric.evaluation.word_tags.tags import WordTags
from latticemetric.frozen import freeze, plain_fields
from latticemetric.likeness import which_of
from latticemetric.metrics.base import Table

_FEWEST_TRIALS = 1000


@dataclass(frozen=True)
class PairTest:
    """A randomisation test of two systems.

    Attributes:
        first: The system that is ranked higher.
        second: The other system.
        difference: The value of `first` minus the value of `second`; `None` if one is undefined.
        p: The two-sided p-value, not corrected for multiple tests; `None` if the difference is undefined.
        significant: True if p ≤ alpha / number of pairs (Bonferroni).
    """

    first: str
    second: str
    difference: float | None
    p: float | None
    significant: bool


@dataclass(frozen=True)
class Discrimination:
    """A metric's results for the systems: one row of table 1 of Logacheva et al. 2016.

    Attributes:
        metric: The metric's name.
        ranking: Pairs of system and value, best first; undefined values (`None`) are last.
        pairs: A test for each pair of systems.
        d: The system distinction coefficient: the share of significantly different pairs. `None` without pairs.
        d_top: The coefficient for the first half of the ranking. The Bonferroni correction counts only the pairs in
            this half. If the number of systems is odd, the middle system is in neither half.
        d_bottom: The coefficient for the last half.
        below: For each synthetic labelling, the number of systems with a lower score.
        below_total: The sum of `below`.
    """

    metric: str
    ranking: tuple[tuple[str, float | None], ...]
    pairs: tuple[PairTest, ...]
    d: float | None
    d_top: float | None
    d_bottom: float | None
    below: Mapping[str, int]
    below_total: int

    def __post_init__(self) -> None:
        freeze(self, "below")

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON.

        Fields:
            ranking (list): Objects with `system` and `value` (number or null), the best first; undefined values are
                last.
            pairs (list): Objects with `first` and `second` (systems, the higher-ranked first), `difference` and `p`
                (numbers or null; p is not corrected), `significant` (boolean, at the corrected level).
        """
        ranking = [{"system": name, "value": value} for name, value in self.ranking]
        return {**plain_fields(self), "ranking": ranking, "pairs": [asdict(pair) for pair in self.pairs]}


def trials_for(pairs: int, alpha: float) -> int:
    """Return the default number of trials: twice the number that a significant result needs, but at least 1000.

    The smallest p-value of n trials is about 1 / n, and the corrected level is alpha / pairs (Bonferroni).
    """
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
    """Test each pair of systems under each metric; count the systems that score below each synthetic labelling.

    Args:
        systems: The table of statistics of each system (see `tag_table`), by name. All tables have the same segments.
        synthetic: The tables of synthetic labellings, by name. They are compared with systems, but not tested.
        metrics: The metrics to compare; default: the six metrics of Logacheva et al. 2016.
        alpha: The family-wise significance level of all pairs.
        trials: The number of trials; default: the result of `trials_for`.
        seed: The same seed gives the same trials. A trial swaps the same segments for all pairs and metrics.
    """
    pairs = len(systems) * (len(systems) - 1) // 2
    needed = ceil(pairs / checked_level(alpha)) - 1
    if trials is None:
        trials = trials_for(pairs, alpha)
    elif trials < needed:  # p ≥ 1 / (trials + 1)
        count = "1 pair" if pairs == 1 else f"{pairs} pairs"
        raise UsageError(
            f"{trials} trials are too few to reach a level of {alpha:g} for {count} of systems",
            advice=f"run at least {needed} trials, or leave the number of trials out",
        )
    moved = dict(zip(systems, moving_sums(list(systems.values()), trials, seed), strict=True))
    values = {m.name: {name: value_of(m, table) for name, table in systems.items()} for m in metrics}
    p: dict[str, _PairValues] = {metric.name: {} for metric in metrics}
    for first, second in combinations(systems, 2):
        one, other = exchanged_sums(systems[first], systems[second], moved[first], moved[second])
        for metric in metrics:
            observed = values[metric.name][second] - values[metric.name][first]
            tested = randomisation_of(observed, metric.values(other) - metric.values(one))
            p[metric.name][frozenset((first, second))] = tested.p
    return [_discrimination(metric, values[metric.name], p[metric.name], synthetic or {}, alpha) for metric in metrics]


_PairValues = dict[frozenset[str], float | None]


def _discrimination(
    metric: TagMetric, values: Mapping[str, float], p: _PairValues, synthetic: Mapping[str, Table], alpha: float
) -> Discrimination:
    ranked = sorted(values, key=lambda name: (np.isnan(values[name]), -values[name]))
    half = len(ranked) // 2

    def tested(names: Sequence[str]) -> tuple[tuple[PairTest, ...], float | None]:
        """Test all pairs of these systems with Bonferroni correction; also return the share of significant pairs."""
        found, pairs = [], list(combinations(names, 2))
        for first, second in pairs:
            one = p[frozenset((first, second))]
            difference = None if one is None else values[first] - values[second]
            found.append(PairTest(first, second, difference, one, one is not None and one <= alpha / len(pairs)))
        return tuple(found), sum(pair.significant for pair in found) / len(found) if found else None

    pairs, distinct = tested(ranked)
    bounds = {name: value_of(metric, table) for name, table in synthetic.items()}
    # An undefined value counts as not below: comparisons with NaN are false.
    below = {name: sum(value < bound - ROUNDING for value in values.values()) for name, bound in bounds.items()}
    return Discrimination(
        metric.name,
        tuple((name, None if np.isnan(values[name]) else values[name]) for name in ranked),
        pairs,
        distinct,
        tested(ranked[:half])[1],
        tested(ranked[len(ranked) - half :])[1],
        below,
        sum(below.values()),
    )


# ---- Synthetic labellings: trivial baselines that a good metric rates low (Logacheva et al. 2016, section 3.1) ----

SYNTHETIC = ("all-bad", "all-good", "optimistic", "pessimistic", "random")

_OPTIMISTIC_PRECISION, _OPTIMISTIC_RECALL = 0.9, 0.1
_PESSIMISTIC_RECALL_OF_BAD, _PESSIMISTIC_RECALL_OF_OK = 0.9, 0.1


def synthetic_tags(gold: WordTags, kind: str, seed: int = 0) -> WordTags:
    """Return artificial tags for the words of the gold tags, as a trivial baseline (Logacheva et al. 2016).

    - `all-bad`: every tag is BAD.
    - `all-good`: every tag is OK.
    - `optimistic`: BAD has a precision of 0.9 and a recall of 0.1; all other tags are OK. In the paper, 18 % of the
      gold tags are BAD; then 98 % of the tags are OK.
    - `pessimistic`: BAD has a recall of 0.9, OK a recall of 0.1; so 90 % of the tags are BAD.
    - `random`: each tag is BAD with a probability equal to the share of BAD among the gold tags.

    For `optimistic` and `pessimistic`, the numbers of BAD tags are rounded, and the BAD words are drawn at random.

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
        raise UsageError(f"there is no labelling '{kind}'", advice=which_of(kind, SYNTHETIC))
    generator = np.random.default_rng([checked_seed(seed), SYNTHETIC.index(kind)])
    bad = int(gold.bad.sum())
    ok = len(gold.bad) - bad
    if kind == "random":
        return gold.replaced(generator.random(len(gold.bad)) < bad / max(1, len(gold.bad)))
    if kind == "optimistic":
        found = _rounded(_OPTIMISTIC_RECALL * bad)
        false = _rounded(found / _OPTIMISTIC_PRECISION) - found
    elif kind == "pessimistic":
        found, false = _rounded(_PESSIMISTIC_RECALL_OF_BAD * bad), _rounded((1 - _PESSIMISTIC_RECALL_OF_OK) * ok)
    else:
        found, false = (bad, ok) if kind == "all-bad" else (0, 0)
    tags = np.zeros(len(gold.bad), np.bool_)
    tags[generator.choice(np.flatnonzero(gold.bad), found, replace=False)] = True
    tags[generator.choice(np.flatnonzero(~gold.bad), min(false, ok), replace=False)] = True
    return gold.replaced(tags)


def _rounded(number: float) -> int:
    return int(number + 0.5)
