"""Hope, fear and worst: the strings that metric and model cost choose together (Chiang 2012)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from latticemetric.engine.native import HopeDerivation
from latticemetric.forest.forest import Forest
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Scales
from latticemetric.metrics.base import GraphReferences
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.reference_checks import check_references
from latticemetric.oracle_search.objective import On, Weighing, rounded_up, weighed, worst_first
from latticemetric.oracle_search.objective_strings import DEFAULT_CAP, weighed_strings
from latticemetric.oracle_search.oracle import as_recognition_rate
from latticemetric.oracle_search.reference_strings import readings_of
from latticemetric.oracle_search.scored_path import ScoredPath
from latticemetric.oracle_search.searched_forest import SearchedForest

# ---- Hope: what scores well and is cheap as well (Chiang 2012), the target of margin training ----


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


# ---- Fear: what scores ill and is cheap nevertheless (Chiang 2012), the rival of margin training ----


@dataclass(frozen=True)
class Fear(ScoredPath):
    """What is worst by the metric and best by the model together.

    Attributes:
        value: −weight · rate − cost, or −weight · numerator − cost; 1 − WER is the rate of WER.
        bound: No string that is not among the answers before this one has a larger value; `value` where it is exact.
        one_best: The model's own best path, scored in the same way.
        exact: Whether nothing of a larger value can be in the graph, up to the rounding of 64-bit sums.
        signature: The metric, its parameters and the version.
    """

    value: float
    bound: float
    one_best: ScoredPath
    exact: bool
    signature: str

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON; `one_best` is nested."""
        own = {"value": self.value, "bound": self.bound, **self.details(exact=self.exact), "signature": self.signature}
        return {**super().asdict(), **own, "one_best": self.one_best.asdict()}


def fear(
    graph: Graph,
    references: GraphReferences,
    metric: str | GRR = "4-grr",
    *,
    weight: float = 1.0,
    on: On = "rate",
    scales: Scales | None = None,
    cap: int = DEFAULT_CAP,
) -> Fear:
    """The string of the largest −weight · metric − model cost.

    The metric is that of the string: its best alignment, with the best of several references. Ties: least cost, then
    fewest words, then smallest arc numbers.

    Args:
        graph: A lattice, an n-best list, or a forest; see `fears`.
        references: One reference as a string, or several.
        metric: A name like `4-grr`, `wrr`, `wer`, or a metric object.
        weight: How much the metric weighs against the cost; 0 gives the model's 1-best.
        on: Whether the `rate` is weighed, or its `numerator`.
        scales: Weight of each score column in the model's cost; columns not named keep their own.
        cap: How many prefixes may be looked at before the best string found so far is the answer, with
            `exact=False` and a `bound`.

    Examples:
        >>> from latticemetric import Lattice
        >>> lattice = Lattice.from_strings(["a b c", "a x c", "x y z"], costs=[0.5, 1.0, 4.0])
        >>> [fear(lattice, "a b c", "wrr", weight=w).words for w in (1.0, 3.0, 9.0)]
        [('a', 'b', 'c'), ('a', 'x', 'c'), ('x', 'y', 'z')]
    """
    return fears(graph, references, metric, n=1, weight=weight, on=on, scales=scales, cap=cap)[0]


def fears(
    graph: Graph,
    references: GraphReferences,
    metric: str | GRR = "4-grr",
    *,
    n: int = 10,
    weight: float = 1.0,
    on: On = "rate",
    scales: Scales | None = None,
    cap: int = DEFAULT_CAP,
) -> list[Fear]:
    """The `n` strings of the largest −weight · metric − model cost, each of them once, the largest first.

    Each string has its cheapest path. A forest that is no lattice may have 10,000 strings.

    Args:
        graph: A lattice, an n-best list, or a forest. Arcs of a forest that is a lattice are those of `to_lattice`.
        references: One reference as a string, or several.
        metric: A name like `4-grr`, `wrr`, `wer`, or a metric object.
        n: How many strings.
        weight: How much the metric weighs against the cost.
        on: Whether the `rate` is weighed, or its `numerator`.
        scales: Weight of each score column in the model's cost; columns not named keep their own.
        cap: How many prefixes may be looked at before the rest of the answers are the best found so far.

    Examples:
        >>> from latticemetric import Lattice
        >>> lattice = Lattice.from_strings(["a b c", "a x c", "x y z"], costs=[0.5, 1.0, 4.0])
        >>> [(found.words, found.value) for found in fears(lattice, "a b c", "wrr", n=2, weight=3.0)]
        [(('a', 'x', 'c'), -3.0), (('a', 'b', 'c'), -3.5)]
    """
    chosen = as_recognition_rate(metric)
    check_references(references)
    listed = readings_of(references)
    weighing = weighed(chosen, listed, weight, on, ill=True)
    found = weighed_strings(graph, weighing, scales, n, cap)
    one_best = found.one_best(listed)
    answers = []
    for path, string in found.scored():
        value = weighing.value(string.worth.value, path.cost)
        answers.append(
            Fear(
                **vars(path),
                value=value,
                bound=value if string.bound is None else max(value, rounded_up(-string.bound)),
                one_best=one_best,
                exact=string.bound is None,
                signature=str(chosen.signature_for(len(listed))),
            )
        )
    return answers


# ---- The worst that a graph could have said, by a recognition rate ----


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
