"""The worst that a graph could have said, by a recognition rate."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from latticemetric.formats.registry import Graph
from latticemetric.lattice import Scales
from latticemetric.metrics.base import GraphReferences
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.reference_checks import check_references
from latticemetric.questions.oracles.least_loss import DEFAULT_CAP, weighed_strings
from latticemetric.questions.oracles.oracle import as_recognition_rate
from latticemetric.questions.oracles.readings import readings_of
from latticemetric.questions.oracles.scored_path import ScoredPath
from latticemetric.questions.oracles.weighing import rounded_up, worst_first


@dataclass(frozen=True)
class Worst(ScoredPath):
    """The string that scores worst.

    Attributes:
        bound: No string of the graph scores worse than this; `score` where it is exact.
        one_best: The model's own best path, scored in the same way.
        exact: Whether nothing worse can be in the graph.
        signature: The metric, its parameters and the version.
    """

    bound: float | None
    one_best: ScoredPath
    exact: bool
    signature: str

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON; `one_best` is nested."""
        own = {"bound": self.bound, **self.details(exact=self.exact), "signature": self.signature}
        return {**super().asdict(), **own, "one_best": self.one_best.asdict()}


def worst(
    graph: Graph,
    references: GraphReferences,
    metric: str | GRR = "4-grr",
    *,
    scales: Scales | None = None,
    cap: int = DEFAULT_CAP,
) -> Worst:
    """The string of a graph that scores worst: of its best alignment, with the best of several references.

    Ties are resolved: worst score, then least cost, then fewest words, then smallest arc numbers.

    Args:
        graph: A lattice, an n-best list, or a forest. Arcs of a forest that is a lattice are those of `to_lattice`;
            one that is none may have 10,000 strings.
        references: One reference as a string, or several; the best rate over them counts.
        metric: A name like `4-grr`, `wrr`, `wer`, or a metric object.
        scales: Weight of each score column in the model's cost; columns not named keep their own.
        cap: How many prefixes may be looked at before the worst string found so far is the answer, with
            `exact=False` and a `bound`.

    Examples:
        >>> from latticemetric import Lattice
        >>> lattice = Lattice.from_strings(["a b c", "a x c", "x y a b c"], costs=[2.0, 1.0, 3.0])
        >>> found = worst(lattice, "a b c", "wer")
        >>> found.words, found.score, found.exact
        (('x', 'y', 'a', 'b', 'c'), 0.6666666666666666, True)
    """
    chosen = as_recognition_rate(metric)
    check_references(references)
    listed = readings_of(references)
    found = weighed_strings(graph, worst_first(chosen, listed), scales, 1, cap)
    string = found.strings[0]
    path = found.searched.scored(string.path, listed)
    return Worst(
        **vars(path),
        bound=path.score if string.bound is None else _bound(string.bound, path, chosen),
        one_best=found.one_best(listed),
        exact=string.bound is None,
        signature=str(chosen.signature_for(len(listed))),
    )


def _bound(rate: Fraction, path: ScoredPath, metric: GRR) -> float | None:
    """A rate as the metric's value, rounded so that it stays a bound."""
    if path.score is None:
        return None
    return -rounded_up(-rate) if metric.higher_is_better else rounded_up(1 - rate)
