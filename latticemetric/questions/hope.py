"""Hope: what scores well and is cheap as well (Chiang 2012), the target of margin training."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from latticemetric.automata.recognition import ngram_total
from latticemetric.errors import UsageError
from latticemetric.formats.registry import Graph
from latticemetric.lattice import Scales
from latticemetric.metrics.base import GraphReferences
from latticemetric.metrics.recognition import GRR
from latticemetric.questions.oracle import as_recognition_rate
from latticemetric.questions.readings import readings_of
from latticemetric.questions.scored_path import ScoredPath
from latticemetric.questions.searched_forest import as_searched_forest


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
        own = {"value": self.value, "scores": dict(self.scores), "exact": self.exact, "signature": self.signature}
        return {**super().asdict(), **own, "one_best": self.one_best.asdict()}


def hope(
    graph: Graph,
    references: GraphReferences,
    metric: str | GRR = "4-grr",
    *,
    weight: float = 1.0,
    on: Literal["rate", "numerator"] = "rate",
    scales: Scales | None = None,
) -> Hope:
    """The path or derivation of the largest weight · metric − model cost.

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
    if not (math.isfinite(weight) and weight >= 0):
        raise UsageError(f"the weight of hope is {weight}, and not a number from 0 on")
    if on not in {"rate", "numerator"}:
        raise UsageError(f"hope is on the rate or on the numerator, not on '{on}'")
    chosen = as_recognition_rate(metric)
    listed = readings_of(references)
    searched = as_searched_forest(graph, chosen, scales)
    candidates = []
    for reference in _comparable(listed, chosen, on):
        words = chosen.counted(reference)
        total = ngram_total(len(words), chosen.order) if on == "rate" else 1
        value, path = searched.hope(words, weight / (chosen.gains.unit * (total or 1)))
        candidates.append((-value, *searched.price(path), reference, path))
    least, *_, reference, path = min(candidates, key=lambda candidate: candidate[:4])
    return Hope(
        **vars(searched.scored(path, [reference])),
        value=-least,
        one_best=searched.scored(searched.one_best(), listed),
        exact=True,
        signature=str(chosen.signature_for(len(listed))),
    )


def _comparable(references: Sequence[Sequence[str]], metric: GRR, on: str) -> Sequence[Sequence[str]]:
    """A rate that is undefined, for want of words, is none beside those that are not."""
    defined = [reference for reference in references if metric.counted(reference)]
    return defined if on == "rate" and defined else references
