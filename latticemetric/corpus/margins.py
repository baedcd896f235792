"""Search a graph for more than its oracle: n-best oracles, hope, fear, worst string, all best paths.

The results of these searches are called margins. A hope has a good score and a low model cost; a fear has a bad score
and a low model cost. See `oracle_search.margin`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from operator import add
from typing import Any, Self

from latticemetric.errors import InputError
from latticemetric.forest.forest import Forest
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Weights
from latticemetric.metrics.base import GraphReferences
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import RecognitionStatistics
from latticemetric.oracle_search.margin import Fear, Hope, Worst, fear, hope, worst
from latticemetric.oracle_search.oracle import oracle_forest, oracle_lattice, oracles
from latticemetric.oracle_search.scored_path import Oracle
from latticemetric.oracle_search.settings import ByRate

Margin = Hope | Fear | Worst


@dataclass(frozen=True)
class MarginKind:
    """The kind `hope` or `fear` with its weight, or `worst`."""

    kind: str
    weight: float | None

    @property
    def name(self) -> str:
        """The name in tables: the kind, then the weight."""
        return self.kind if self.weight is None else f"{self.kind} {repr(self.weight).removesuffix('.0')}"


def margin_kinds(search: ByRate) -> list[MarginKind]:
    """Return the kinds to search for: one per weight of `hope`, one per weight of `fear`, then the worst string."""
    weights = {"hope": search.hope, "fear": search.fear, "worst": [None] if search.worst else []}
    return [MarginKind(kind, weight) for kind, several in weights.items() for weight in several]


@dataclass(frozen=True)
class Margins:
    """The margins of one graph.

    Attributes:
        nbest: The best strings by the metric.
        found: The hope, fear and worst strings, with their paths.
        graph: The graph of all best paths; `None` if it is not requested.
        failed: The errors of the hope, fear and worst strings whose search failed.
    """

    nbest: tuple[Oracle, ...]
    found: Mapping[MarginKind, Margin]
    graph: Graph | None
    failed: Mapping[MarginKind, InputError] = field(default_factory=dict)

    @property
    def problem(self) -> InputError | None:
        """One error that combines all errors in `failed`; `None` if there are none."""
        sides: dict[str, list[str]] = {}
        for side, error in self.failed.items():
            sides.setdefault(str(error), []).append(side.name)
        lines = [f"{', '.join(names)}: {error}" for error, names in sides.items()]
        return InputError("; ".join(lines)) if lines else None

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON.

        Fields:
            nbest (list): The best strings, the best first.
            hope (by_kind): An answer; with several weights, an array in the order of the weights.
            fear (by_kind): The same for `fear`.
            worst (by_kind): The string that scores worst.
        """
        listed = {"nbest": [_item(best) for best in self.nbest]} if self.nbest else {}
        sides = {side: _item(margin) for side, margin in self.found.items()}
        failed = {side: {"error": str(error)} for side, error in self.failed.items()}
        return listed | by_kind(sides | failed)


def margins_of(
    graph: Graph, references: GraphReferences, search: ByRate, weights: Weights | None, *, keep_going: bool = False
) -> Margins:
    """Search for the margins of one graph.

    Raises:
        InputError: A search failed. With `keep_going`, errors of hope, fear and worst strings are returned instead.
    """
    metric = search.rate
    nbest = oracles(graph, references, metric, n=search.nbest, weights=weights) if search.nbest else []
    found: dict[MarginKind, Margin] = {}
    failed = {}
    for side in margin_kinds(search):
        try:
            if side.weight is None:
                found[side] = worst(graph, references, metric, weights=weights)
            else:
                find = hope if side.kind == "hope" else fear
                found[side] = find(graph, references, metric, weight=side.weight, on=search.on, weights=weights)
        except InputError as error:
            if not keep_going:
                raise
            failed[side] = error
    all_best: Graph | None = None
    if search.graphs:
        all_best = (oracle_forest if isinstance(graph, Forest) else oracle_lattice)(graph, references, metric)
    return Margins(tuple(nbest), found, all_best, failed)


def by_kind(items: Mapping[MarginKind, dict[str, Any]]) -> dict[str, Any]:
    """Group items by the name of their kind; a kind with several weights has a list of items.

    Fields:
        weight (float): W, for `hope` and `fear`.
        value (float): For `hope`: W · metric − cost; for `fear`: −W · metric − cost.
        bound (float | None): For `fear`: no string has a larger value; for `worst`: no string scores worse. If `exact`
            is true, this is the value or the score itself.
    """
    kinds: dict[str, list[dict[str, Any]]] = {}
    for side, item in items.items():
        weight = {} if side.weight is None else {"weight": side.weight}
        kinds.setdefault(side.kind, []).append(weight | item)
    return {kind: several if len(several) > 1 else several[0] for kind, several in kinds.items()}


def _item(path: Oracle | Margin) -> dict[str, Any]:
    """Return the fields of a path for JSON, without its 1-best and signature: the item of the graph has them."""
    item = path.asdict()
    del item["one_best"], item["signature"]
    return {**item, "alignment": path.alignment.edits}


@dataclass(frozen=True)
class MarginTotal:
    """The totals of one kind of margin (hope or fear with one weight, or worst) over graphs; totals can be added.

    Attributes:
        statistics: The summed statistics of the strings.
        value: The exact sum of the values of hopes or fears.
        inexact: The number of paths that are not proven optimal.
        failed: The number of graphs without this margin; all words of their references count as deleted.
    """

    statistics: RecognitionStatistics
    value: Fraction = Fraction()
    inexact: int = 0
    failed: int = 0

    def __add__(self, other: Self) -> Self:
        return type(self)(*map(add, vars(self).values(), vars(other).values()))

    def asdict(self, side: MarginKind, metric: GRR, references: int | str) -> dict[str, Any]:
        """Return the fields of this kind in `corpus` of the JSON document.

        Fields:
            value (float | None): Summed values, of `hope` and `fear`; `None` if the sum is too large for double
                precision.
            score (float | None): Summed numerators over summed denominators.
            numerator (float): Summed numerators.
            denominator (int): Summed denominators.
            inexact (int): Answers that are not exact.
            failed (int): Missing answers: of graphs that failed, and of items with an error in place of the answer. All
                words of their references count as deleted.
        """
        corpus = metric.corpus_score(self.statistics, references)
        value = {} if side.weight is None else {"value": _as_float(self.value)}
        rate = {"score": corpus.score, "numerator": corpus.numerator, "denominator": corpus.denominator}
        return value | rate | {"inexact": self.inexact, "failed": self.failed}


def _as_float(value: Fraction) -> float | None:
    """Return the nearest 64-bit float; `None` if the value is too large for a float."""
    try:
        return float(value)
    except OverflowError:
        return None


class MarginTotals:
    """The totals of all kinds of margins (each hope, each fear, worst) over graphs."""

    def __init__(self, search: ByRate) -> None:
        self._zero = RecognitionStatistics.zero(search.rate.order)
        self.sides = {side: MarginTotal(self._zero) for side in margin_kinds(search)}

    def add(self, margins: Margins | None, missed: RecognitionStatistics | None) -> None:
        """Add a graph. If a kind of margin failed, count all words of the reference as deleted."""
        for side in self.sides:
            margin = None if margins is None else margins.found.get(side)
            if margin is None:
                self.sides[side] += MarginTotal(missed or self._zero, failed=1)
            else:
                value = Fraction() if isinstance(margin, Worst) else Fraction(margin.value)
                self.sides[side] += MarginTotal(margin.statistics, value, int(not margin.exact))

    def asdict(self, metric: GRR, references: int | str) -> dict[str, Any]:
        """Return the fields of all kinds in `corpus` of the JSON document."""
        return by_kind({side: total.asdict(side, metric, references) for side, total in self.sides.items()})

    def state(self) -> list[list[Any]]:
        """Return the totals of each kind of margin, in order, as plain values for JSON; `add_state` reads them."""
        sums = self.sides.values()
        return [[total.statistics.as_columns(), str(total.value), total.inexact, total.failed] for total in sums]

    def add_state(self, state: Iterable[Sequence[Any]]) -> None:
        """Add the totals of other graphs from the values that `state` returned."""
        for side, (row, value, *numbers) in zip(self.sides, state, strict=True):
            self.sides[side] += MarginTotal(RecognitionStatistics.of_columns(row), Fraction(value), *numbers)
