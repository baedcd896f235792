"""Hope: what scores well and is cheap as well (Chiang 2012), the target of margin training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from latticemetric.engine.native_forest import HopeDerivation
from latticemetric.forest import Forest
from latticemetric.formats.registry import Graph
from latticemetric.lattice import Scales
from latticemetric.metrics.base import GraphReferences
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.reference_checks import check_references
from latticemetric.questions.oracles.least_loss import weighed_strings
from latticemetric.questions.oracles.oracle import as_recognition_rate
from latticemetric.questions.oracles.readings import readings_of
from latticemetric.questions.oracles.scored_path import ScoredPath
from latticemetric.questions.oracles.searched_forest import SearchedForest
from latticemetric.questions.oracles.weighing import On, Weighing, weighed


@dataclass(frozen=True)
class Hope(ScoredPath):
    """What is best by metric and model together.

    Attributes:
        value: weight · rate − cost, or weight · numerator − cost; 1 − WER is the rate of WER.
        one_best: The model's own best path, scored in the same way.
        exact: Whether nothing better can be in the graph, up to the rounding of 64-bit sums.
        signature: The metric, its parameters and the version.
    """

    value: float
    one_best: ScoredPath
    exact: bool
    signature: str

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON; `one_best` is nested."""
        own = {"value": self.value, **self.details(exact=self.exact), "signature": self.signature}
        return {**super().asdict(), **own, "one_best": self.one_best.asdict()}


def hope(
    graph: Graph,
    references: GraphReferences,
    metric: str | GRR = "4-grr",
    *,
    weight: float = 1.0,
    on: On = "rate",
    scales: Scales | None = None,
) -> Hope:
    """The path or derivation of the largest weight · metric − model cost.

    Ties: least cost, then fewest words, then the smallest numbers of arcs or edges.

    Args:
        graph: A lattice, a forest, or an n-best list.
        references: One reference as a string, or several; the best value over them counts.
        metric: A name like `4-grr`, `wrr`, `wer`, or a metric object.
        weight: How much the metric weighs against the cost; 0 gives the model's 1-best.
        on: Whether the `rate` is weighed, or its `numerator`.
        scales: Weight of each score column in the model's cost; columns not named keep their own.

    Examples:
        >>> from latticemetric import Lattice
        >>> lattice = Lattice.from_strings(["a b c", "a x c", "x y z"], costs=[5.0, 3.0, 1.0])
        >>> [hope(lattice, "a b c", "wrr", weight=w).words for w in (1.0, 6.0, 10.0)]
        [('x', 'y', 'z'), ('a', 'x', 'c'), ('a', 'b', 'c')]
    """
    if not isinstance(graph, Forest):
        return hopes(graph, references, metric, n=1, weight=weight, on=on, scales=scales)[0]
    chosen = as_recognition_rate(metric)
    check_references(references)
    listed = readings_of(references)
    weighing = weighed(chosen, listed, weight, on, ill=False)
    searched = SearchedForest(graph, chosen, scales)
    best = _hope_of_forest(searched, weighing)
    worth = weighing.worth(searched.reported(best.edges))
    scored = searched.scored(best.edges, [worth.reference])
    return Hope(
        **vars(scored),
        value=weighing.value(worth.value, scored.cost),
        one_best=searched.scored(searched.one_best(), listed),
        exact=best.exact,
        signature=str(chosen.signature_for(len(listed))),
    )


def hopes(
    graph: Graph,
    references: GraphReferences,
    metric: str | GRR = "4-grr",
    *,
    n: int = 10,
    weight: float = 1.0,
    on: On = "rate",
    scales: Scales | None = None,
) -> list[Hope]:
    """The `n` strings of the largest weight · metric − model cost, each of them once, the best first.

    Each string has its cheapest path. Ties: least cost, then fewest words, then smallest arc numbers. A forest that
    is no lattice may have 10,000 strings.

    Args:
        graph: A lattice, an n-best list, or a forest. Arcs of a forest that is a lattice are those of `to_lattice`.
        references: One reference as a string, or several; the best value over them counts.
        metric: A name like `4-grr`, `wrr`, `wer`, or a metric object.
        n: How many strings.
        weight: How much the metric weighs against the cost.
        on: Whether the `rate` is weighed, or its `numerator`.
        scales: Weight of each score column in the model's cost; columns not named keep their own.

    Examples:
        >>> from latticemetric import Lattice
        >>> lattice = Lattice.from_strings(["a b c", "a x c", "x y z"], costs=[5.0, 3.0, 1.0])
        >>> [(best.words, round(best.value, 4)) for best in hopes(lattice, "a b c", "wrr", n=2, weight=6.0)]
        [(('a', 'x', 'c'), 1.0), (('a', 'b', 'c'), 1.0)]
    """
    chosen = as_recognition_rate(metric)
    check_references(references)
    listed = readings_of(references)
    weighing = weighed(chosen, listed, weight, on, ill=False)
    found = weighed_strings(graph, weighing, scales, n)
    one_best = found.one_best(listed)
    return [
        Hope(
            **vars(path),
            value=weighing.value(string.worth.value, path.cost),
            one_best=one_best,
            exact=True,
            signature=str(chosen.signature_for(len(listed))),
        )
        for path, string in found.scored()
    ]


def _hope_of_forest(searched: SearchedForest, weighing: Weighing) -> HopeDerivation:
    """The derivation of the best value over references; ties: least cost, fewest words, smallest edges."""
    return min(searched.hopes(weighing), key=lambda best: (-best.value, *searched.price(best.edges)))
