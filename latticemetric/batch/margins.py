"""Further searches of a graph, besides its oracle (`margins`): n-best, hope, fear, worst string, all oracles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from operator import add
from typing import Any, Self

from latticemetric.errors import InputError
from latticemetric.forest.forest import Forest
from latticemetric.graph import Graph
from latticemetric.lattice.lattice import Scales
from latticemetric.metrics.base import GraphReferences
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import RecognitionStatistics
from latticemetric.oracle_search.margin import Fear, Hope, On, Worst, fear, hope, worst
from latticemetric.oracle_search.oracle import oracle_forest, oracle_lattice, oracles
from latticemetric.oracle_search.scored_path import Oracle

Margin = Hope | Fear | Worst


@dataclass(frozen=True)
class MarginOptions:
    """Which margins to search: n best strings, weights of hopes and fears, worst string, graph of all oracles.

    The weights multiply the value `on`: `rate` or `numerator`.
    """

    nbest: int = 0
    hope: tuple[float, ...] = ()
    fear: tuple[float, ...] = ()
    on: On = "rate"
    worst: bool = False
    graphs: bool = False

    @property
    def sides(self) -> list[MarginKind]:
        """The searches for margins: for each weight of `hope`, for each weight of `fear`, and for the worst string."""
        weights = {"hope": self.hope, "fear": self.fear, "worst": [None] if self.worst else []}
        return [MarginKind(kind, weight) for kind, several in weights.items() for weight in several]


@dataclass(frozen=True)
class MarginKind:
    """The kind `hope` or `fear` with its weight, or `worst`."""

    kind: str
    weight: float | None

    @property
    def name(self) -> str:
        """The name in tables."""
        return self.kind if self.weight is None else f"{self.kind} {repr(self.weight).removesuffix('.0')}"


@dataclass(frozen=True)
class Margins:
    """The further results of one graph.

    Attributes:
        found: The paths of the hope, fear and worst strings.
        graph: The graph of all oracles.
        failed: The error of each hope, fear or worst string that failed; only with `keep_going`.
    """

    nbest: tuple[Oracle, ...]
    found: Mapping[MarginKind, Margin]
    graph: Graph | None
    failed: Mapping[MarginKind, InputError] = field(default_factory=dict)

    @property
    def problem(self) -> InputError | None:
        """All failures as one error."""
        sides: dict[str, list[str]] = {}
        for side, error in self.failed.items():
            sides.setdefault(str(error), []).append(side.name)
        lines = [f"{', '.join(names)}: {error}" for error, names in sides.items()]
        return InputError("; ".join(lines)) if lines else None

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        listed = {"nbest": [_item(best) for best in self.nbest]} if self.nbest else {}
        sides = {side: _item(margin) for side, margin in self.found.items()}
        failed = {side: {"error": str(error)} for side, error in self.failed.items()}
        return listed | by_kind(sides | failed)


def margins_of(
    graph: Graph,
    references: GraphReferences,
    metric: GRR,
    wanted: MarginOptions,
    scales: Scales | None,
    *,
    keep_going: bool = False,
) -> Margins:
    """Search the margins of one graph. If a hope, fear or worst string fails, raise an error unless `keep_going`."""
    nbest = oracles(graph, references, metric, n=wanted.nbest, scales=scales) if wanted.nbest else []
    found: dict[MarginKind, Margin] = {}
    failed = {}
    for side in wanted.sides:
        try:
            if side.weight is None:
                found[side] = worst(graph, references, metric, scales=scales)
            else:
                search = hope if side.kind == "hope" else fear
                found[side] = search(graph, references, metric, weight=side.weight, on=wanted.on, scales=scales)
        except InputError as error:
            if not keep_going:
                raise
            failed[side] = error
    all_best: Graph | None = None
    if wanted.graphs:
        all_best = (oracle_forest if isinstance(graph, Forest) else oracle_lattice)(graph, references, metric)
    return Margins(tuple(nbest), found, all_best, failed)


def by_kind(items: Mapping[MarginKind, dict[str, Any]]) -> dict[str, Any]:
    """Group items by kind; a kind with several weights has a list."""
    kinds: dict[str, list[dict[str, Any]]] = {}
    for side, item in items.items():
        weight = {} if side.weight is None else {"weight": side.weight}
        kinds.setdefault(side.kind, []).append(weight | item)
    return {kind: several if len(several) > 1 else several[0] for kind, several in kinds.items()}


def _item(path: Oracle | Margin) -> dict[str, Any]:
    """Return plain values, without those that the enclosing item already has."""
    item = path.asdict()
    del item["one_best"], item["signature"]
    return {**item, "alignment": path.alignment.edits}


@dataclass(frozen=True)
class MarginTotal:
    """Sums over graphs for one kind of margin (hope or fear of one weight, or worst); sums can be added.

    Attributes:
        statistics: Counts of the strings.
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
        """Return the corpus values, for JSON."""
        corpus = metric.corpus_score(self.statistics, references)
        value = {} if side.weight is None else {"value": float(self.value)}
        rate = {"score": corpus.score, "numerator": corpus.numerator, "denominator": corpus.denominator}
        return value | rate | {"inexact": self.inexact, "failed": self.failed}


class MarginTotals:
    """Sums of all kinds of margins (each hope, each fear, worst) over graphs."""

    def __init__(self, wanted: MarginOptions, order: int) -> None:
        self._zero = RecognitionStatistics.zero(order)
        self.sides = {side: MarginTotal(self._zero) for side in wanted.sides}

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
        """Return the corpus values, for JSON."""
        return by_kind({side: total.asdict(side, metric, references) for side, total in self.sides.items()})

    def state(self) -> list[list[Any]]:
        """Return the plain values of each kind of margin, in order, for JSON."""
        sums = self.sides.values()
        return [[total.statistics.as_columns(), str(total.value), total.inexact, total.failed] for total in sums]

    def add_state(self, state: Iterable[Sequence[Any]]) -> None:
        """Add the sums of other graphs, given as values of `state`."""
        for side, (row, value, *numbers) in zip(self.sides, state, strict=True):
            self.sides[side] += MarginTotal(RecognitionStatistics.of_columns(row), Fraction(value), *numbers)
