"""The margins of a graph, beside its oracle: the best strings, hope, fear, the worst string, all oracles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
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
    """The margins to search.

    Attributes:
        nbest: The number of best strings.
        hope: Weights, one per hope.
        fear: Weights, one per fear.
        on: `rate` or `numerator`: the value that the weights apply to.
        worst: True to search the worst string.
        graphs: True to build the graph of all oracles.
    """

    nbest: int = 0
    hope: tuple[float, ...] = ()
    fear: tuple[float, ...] = ()
    on: On = "rate"
    worst: bool = False
    graphs: bool = False

    @property
    def sides(self) -> list[MarginKind]:
        """The hopes, the fears and the worst string, in this order."""
        hopes = [MarginKind("hope", weight) for weight in self.hope]
        fears = [MarginKind("fear", weight) for weight in self.fear]
        return [*hopes, *fears, *([MarginKind("worst", None)] if self.worst else [])]


@dataclass(frozen=True)
class MarginKind:
    """A hope or fear with its weight, or the worst string.

    Attributes:
        kind: `hope`, `fear` or `worst`.
        weight: The weight of a hope or a fear.
    """

    kind: str
    weight: float | None

    @property
    def name(self) -> str:
        """The name in tables."""
        return self.kind if self.weight is None else f"{self.kind} {repr(self.weight).removesuffix('.0')}"

    def find(self, graph: Graph, references: GraphReferences, metric: GRR, on: On, scales: Scales | None) -> Margin:
        """Search this margin in one graph."""
        if self.weight is None:
            return worst(graph, references, metric, scales=scales)
        find = hope if self.kind == "hope" else fear
        return find(graph, references, metric, weight=self.weight, on=on, scales=scales)


@dataclass(frozen=True)
class Margins:
    """The margins of one graph.

    Attributes:
        nbest: The best strings.
        found: The path of each side that has one.
        graph: The graph of all oracles.
        failed: Sides without a path, with the reason; only if the run keeps going.
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
    """Search the margins of one graph.

    Raises:
        InputError: A search fails. (A failure of a side is raised only if the run does not keep going.)
    """
    nbest = oracles(graph, references, metric, n=wanted.nbest, scales=scales) if wanted.nbest else []
    found, failed = {}, {}
    for side in wanted.sides:
        try:
            found[side] = side.find(graph, references, metric, wanted.on, scales)
        except InputError as error:
            if not keep_going:
                raise
            failed[side] = error
    all_best: Graph | None = None
    if wanted.graphs:
        all_best = (oracle_forest if isinstance(graph, Forest) else oracle_lattice)(graph, references, metric)
    return Margins(tuple(nbest), found, all_best, failed)


def by_kind(items: Mapping[MarginKind, dict[str, Any]]) -> dict[str, Any]:
    """Group items by kind: one item, or a list if there are several weights."""
    kinds: dict[str, list[dict[str, Any]]] = {}
    for side, item in items.items():
        weight = {} if side.weight is None else {"weight": side.weight}
        kinds.setdefault(side.kind, []).append(weight | item)
    return {kind: several if len(several) > 1 else several[0] for kind, several in kinds.items()}


def _item(path: Oracle | Margin) -> dict[str, Any]:
    """Return plain values, without those of the enclosing item."""
    item = path.asdict()
    del item["one_best"], item["signature"]
    return {**item, "alignment": path.alignment.edits}


@dataclass(frozen=True)
class MarginTotal:
    """Sums of one side over graphs; sums can be added.

    Attributes:
        statistics: Counts of the strings.
        value: The values of hopes or fears; exact, so that the order of adding does not matter.
        inexact: The number of paths not proven to be the margin.
        failed: The number of graphs without this margin; all words of their references count as deleted.
    """

    statistics: RecognitionStatistics
    value: Fraction = Fraction()
    inexact: int = 0
    failed: int = 0

    @classmethod
    def of(cls, margin: Margin) -> Self:
        """Return the sums of one graph."""
        value = Fraction() if isinstance(margin, Worst) else Fraction(margin.value)
        return cls(margin.statistics, value, int(not margin.exact))

    def __add__(self, other: Self) -> Self:
        return type(self)(
            self.statistics + other.statistics,
            self.value + other.value,
            self.inexact + other.inexact,
            self.failed + other.failed,
        )

    def asdict(self, side: MarginKind, metric: GRR, references: int | str) -> dict[str, Any]:
        """Return the corpus values, for JSON."""
        corpus = metric.corpus_score(self.statistics, references)
        value = {} if side.weight is None else {"value": float(self.value)}
        rate = {"score": corpus.score, "numerator": corpus.numerator, "denominator": corpus.denominator}
        return value | rate | {"inexact": self.inexact, "failed": self.failed}


@dataclass(frozen=True)
class MarginTotals:
    """Sums of all sides over graphs; sums can be added."""

    sides: Mapping[MarginKind, MarginTotal]

    @classmethod
    def zero(cls, wanted: MarginOptions, order: int) -> Self:
        """Return empty sums."""
        return cls({side: MarginTotal(RecognitionStatistics.zero(order)) for side in wanted.sides})

    def plus(self, margins: Margins | None, missed: RecognitionStatistics | None) -> Self:
        """Add a graph; if a side failed, all words of the reference count as deleted."""
        found = {} if margins is None else margins.found
        shares = {side: MarginTotal.of(margin) for side, margin in found.items()}
        return type(self)(
            {
                side: total
                + shares.get(
                    side, MarginTotal(missed or RecognitionStatistics.zero(len(total.statistics.matches)), failed=1)
                )
                for side, total in self.sides.items()
            }
        )

    def asdict(self, metric: GRR, references: int | str) -> dict[str, Any]:
        """Return the corpus values, for JSON."""
        return by_kind({side: total.asdict(side, metric, references) for side, total in self.sides.items()})

    def state(self) -> list[list[Any]]:
        """Return the plain values of each side, in order, for JSON."""
        return [
            [total.statistics.row(), str(total.value), total.inexact, total.failed] for total in self.sides.values()
        ]

    def plus_state(self, state: Iterable[Sequence[Any]]) -> Self:
        """Add the sums of other graphs, from the values of `state`."""
        others = [MarginTotal(RecognitionStatistics.of_row(row), Fraction(value), *n) for row, value, *n in state]
        both = zip(self.sides.items(), others, strict=True)
        return type(self)({side: total + other for (side, total), other in both})
