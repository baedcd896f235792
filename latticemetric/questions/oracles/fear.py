"""Fear: what scores ill and is cheap nevertheless (Chiang 2012), the rival of margin training."""

from __future__ import annotations

from dataclasses import dataclass
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
from latticemetric.questions.oracles.weighing import On, rounded_up, weighed


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
