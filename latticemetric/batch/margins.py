"""What is asked of a graph beside its oracle: the best strings, hope, fear, the worst string, all oracles."""

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
from latticemetric.oracle_search.best_graphs import oracle_forest, oracle_lattice
from latticemetric.oracle_search.margin import Fear, Hope, On, Worst, fear, hope, worst
from latticemetric.oracle_search.oracle import oracles
from latticemetric.oracle_search.scored_path import Oracle

Margin = Hope | Fear | Worst


@dataclass(frozen=True)
class MarginOptions:
    """What is asked for.

    Attributes:
        nbest: So many of the best strings; 0 for none.
        hope: A hope for each of these weights.
        fear: A fear for each of these.
        on: Whether they weigh the rate or its numerator.
        worst: Whether the worst string is wanted.
        graphs: Whether the graphs of all oracles are.
    """

    nbest: int = 0
    hope: tuple[float, ...] = ()
    fear: tuple[float, ...] = ()
    on: On = "rate"
    worst: bool = False
    graphs: bool = False

    @property
    def sides(self) -> list[MarginKind]:
        """The margins, from good to bad."""
        hopes = [MarginKind("hope", weight) for weight in self.hope]
        fears = [MarginKind("fear", weight) for weight in self.fear]
        return [*hopes, *fears, *([MarginKind("worst", None)] if self.worst else [])]


@dataclass(frozen=True)
class MarginKind:
    """One of the margins that are asked for.

    Attributes:
        kind: `hope`, `fear` or `worst`.
        weight: Of hope and of fear.
    """

    kind: str
    weight: float | None

    @property
    def name(self) -> str:
        """As it stands in tables."""
        return self.kind if self.weight is None else f"{self.kind} {repr(self.weight).removesuffix('.0')}"

    def find(self, graph: Graph, references: GraphReferences, metric: GRR, on: On, scales: Scales | None) -> Margin:
        """What is asked for, of one graph."""
        if self.weight is None:
            return worst(graph, references, metric, scales=scales)
        find = hope if self.kind == "hope" else fear
        return find(graph, references, metric, weight=self.weight, on=on, scales=scales)


@dataclass(frozen=True)
class Margins:
    """What was found.

    Attributes:
        nbest: The best strings.
        found: An answer for each side.
        graph: All oracles.
        failed: Sides that have no answer, and why; only where failures are gone past.
    """

    nbest: tuple[Oracle, ...]
    found: Mapping[MarginKind, Margin]
    graph: Graph | None
    failed: Mapping[MarginKind, InputError] = field(default_factory=dict)

    @property
    def problem(self) -> InputError | None:
        """What failed, in one."""
        sides: dict[str, list[str]] = {}
        for side, error in self.failed.items():
            sides.setdefault(str(error), []).append(side.name)
        told = [f"{', '.join(names)}: {error}" for error, names in sides.items()]
        return InputError("; ".join(told)) if told else None

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
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
    """What is wanted of one graph.

    Raises:
        InputError: Something cannot be found; of a side, unless failures are gone past.
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
    """One value a kind: a list of them where there are several weights."""
    kinds: dict[str, list[dict[str, Any]]] = {}
    for side, item in items.items():
        weight = {} if side.weight is None else {"weight": side.weight}
        kinds.setdefault(side.kind, []).append(weight | item)
    return {kind: several if len(several) > 1 else several[0] for kind, several in kinds.items()}


def _item(path: Oracle | Margin) -> dict[str, Any]:
    """What the item that it is part of does not say already."""
    item = path.asdict()
    del item["one_best"], item["signature"]
    return {**item, "alignment": path.alignment.edits}


@dataclass(frozen=True)
class MarginTotal:
    """Sums of one side over graphs; they add up.

    Attributes:
        statistics: Counts of the strings.
        value: Of hope and of fear, their values; exact, so that it does not matter in which order they are added.
        inexact: How many are not known to be the margin.
        failed: How many there are not: all words of their references count as deleted.
    """

    statistics: RecognitionStatistics
    value: Fraction = Fraction()
    inexact: int = 0
    failed: int = 0

    @classmethod
    def of(cls, margin: Margin) -> Self:
        """One graph's share."""
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
        """Its part of the corpus, for JSON."""
        corpus = metric.corpus_score(self.statistics, references)
        value = {} if side.weight is None else {"value": float(self.value)}
        rate = {"score": corpus.score, "numerator": corpus.numerator, "denominator": corpus.denominator}
        return value | rate | {"inexact": self.inexact, "failed": self.failed}


@dataclass(frozen=True)
class MarginTotals:
    """Sums of all sides over graphs; they add up."""

    sides: Mapping[MarginKind, MarginTotal]

    @classmethod
    def zero(cls, wanted: MarginOptions, order: int) -> Self:
        """Nothing counted."""
        return cls({side: MarginTotal(RecognitionStatistics.zero(order)) for side in wanted.sides})

    def plus(self, margins: Margins | None, missed: RecognitionStatistics | None) -> Self:
        """With one more graph; what failed of it has all of its reference's words deleted."""
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
        """Its part of the corpus, for JSON."""
        return by_kind({side: total.asdict(side, metric, references) for side, total in self.sides.items()})

    def state(self) -> list[list[Any]]:
        """All of it in plain values, for JSON: of each side, in their order."""
        return [
            [total.statistics.row(), str(total.value), total.inexact, total.failed] for total in self.sides.values()
        ]

    def plus_state(self, state: Iterable[Sequence[Any]]) -> Self:
        """With those of other graphs, from those values."""
        others = [MarginTotal(RecognitionStatistics.of_row(row), Fraction(value), *n) for row, value, *n in state]
        both = zip(self.sides.items(), others, strict=True)
        return type(self)({side: total + other for (side, total), other in both})
