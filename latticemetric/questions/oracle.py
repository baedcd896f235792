"""The best a graph could have said, by a recognition rate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from latticemetric import _native
from latticemetric.alignment import Alignment
from latticemetric.automata.recognition import ngram_total
from latticemetric.engine.search import Found, Search, find_engine
from latticemetric.errors import UsageError
from latticemetric.formats.registry import Graph
from latticemetric.lattice import Costs, Lattice, Scales
from latticemetric.metrics.base import References, references_of
from latticemetric.metrics.exact import Merit, merit
from latticemetric.metrics.recognition import GRR
from latticemetric.metrics.recognition_statistics import RecognitionStatistics
from latticemetric.metrics.registry import make_metric
from latticemetric.vocabulary import EPSILON


@dataclass(frozen=True)
class ScoredPath:
    """A path of a graph, scored against its reference.

    Attributes:
        words: What it says, without ε and ignored words.
        score: The metric's value; `None` where the reference has no words.
        numerator: Its numerator.
        denominator: Its denominator.
        statistics: Matches, substitutions, deletions, insertions.
        cost: The model's cost under the scales asked for.
        scores: Each named cost, summed along the path.
        arcs: Its arcs' numbers in the graph.
        alignment: With the reference that it scores best against.
        reference: The words of that reference.
    """

    words: tuple[str, ...]
    score: float | None
    numerator: int | float
    denominator: int | float
    statistics: RecognitionStatistics
    cost: float
    scores: Mapping[str, float]
    arcs: tuple[int, ...]
    alignment: Alignment
    reference: tuple[str, ...]

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        counts = self.statistics.asdict()
        return {
            "score": self.score,
            "numerator": self.numerator,
            "denominator": self.denominator,
            "hypothesis": " ".join(self.words),
            "cost": self.cost,
            **{name: counts[name] for name in ("matches", "substitutions", "deletions", "insertions")},
        }


@dataclass(frozen=True)
class Oracle(ScoredPath):
    """The best path of a graph under a metric.

    Attributes:
        one_best: The model's own best path, scored in the same way.
        exact: Whether nothing better can be in the graph.
        signature: The metric, its parameters and the version.
    """

    one_best: ScoredPath
    exact: bool
    signature: str

    def asdict(self) -> dict[str, Any]:
        """Plain values, for JSON; `one_best` is nested."""
        own = {
            "ngram_matches": list(self.statistics.matches),
            "reference": " ".join(self.reference),
            "exact": self.exact,
            "scores": dict(self.scores),
            "arcs": list(self.arcs),
            "signature": self.signature,
        }
        return {**super().asdict(), **own, "one_best": self.one_best.asdict()}


def oracle(
    graph: Graph,
    references: References,
    metric: str | GRR = "4-grr",
    *,
    scales: Scales | None = None,
    engine: str = "auto",
) -> Oracle:
    """The path of a graph whose words score best.

    Ties are resolved: best score, then least cost, then fewest words, then smallest arc numbers.

    Args:
        graph: A lattice, or an n-best list.
        references: One reference as a string, or several; the best rate over them counts.
        metric: A name like `4-grr`, `wrr`, `wer`, or a metric object.
        scales: Weight of each score column in the model's cost; columns not named keep their own.
        engine: `auto`, `native` or `openfst`. The answer is the same.

    Examples:
        >>> lattice = Lattice.from_strings(["a b c", "a x c", "a b"], costs=[2.0, 1.0, 3.0])
        >>> best = oracle(lattice, "a b d", "wer")
        >>> best.words, best.score, best.one_best.words
        (('a', 'b', 'c'), 0.3333333333333333, ('a', 'x', 'c'))
    """
    chosen = as_recognition_rate(metric)
    lattice = as_lattice(graph, scales)
    cost = lattice.cost(scales)
    listed = references_of(references)
    label, is_word = _readings(lattice, chosen)
    find = find_engine(engine)
    searches = [
        Search(lattice, label, is_word, cost, lattice.vocabulary.encode(chosen.counted(r)), chosen.gains)
        for r in listed
    ]
    found = [find(search) for search in searches]
    best = min(range(len(listed)), key=lambda k: _preference(found[k], listed[k], chosen, cost, searches[k]))
    path = score_path(lattice, found[best].arcs, listed, chosen, cost)
    _check(path, _promised(found[best], listed[best], chosen), chosen)
    return Oracle(
        **vars(path),
        one_best=score_path(lattice, _one_best_arcs(lattice, cost, is_word), listed, chosen, cost),
        exact=True,
        signature=str(chosen.signature_for(len(listed))),
    )


def score_path(
    lattice: Lattice, arcs: Any, references: Sequence[Sequence[str]], metric: GRR, cost: Costs
) -> ScoredPath:
    """Scores a complete path from its words, by the string metric."""
    words = tuple(word for word in lattice.words(arcs) if word not in metric.ignore)
    best, statistics, alignment = metric.evaluate(words, references)
    end = int(lattice.target[arcs[-1]]) if len(arcs) else 0
    row = int(np.searchsorted(lattice.final, end))
    return ScoredPath(
        words=words,
        score=metric.value(statistics),
        numerator=metric.numerator(statistics),
        denominator=metric.denominator(statistics),
        statistics=statistics,
        cost=cost.along(arcs, lattice),
        scores={name: float(c.arc[arcs].sum() + c.final[row]) for name, c in lattice.scores.items()},
        arcs=tuple(int(a) for a in arcs),
        alignment=alignment,
        reference=tuple(references[best]),
    )


def as_recognition_rate(metric: str | GRR) -> GRR:
    """The metric object of a name, if it is one that graphs can be searched by."""
    chosen = make_metric(metric) if isinstance(metric, str) else metric
    if not isinstance(chosen, GRR):
        name = metric if isinstance(metric, str) else chosen.name
        raise UsageError(f"'{name}' has no form that a graph can be searched by", advice="use wer, wrr or N-grr")
    return chosen


def as_lattice(graph: Graph, scales: Scales | None = None) -> Lattice:
    """The graph itself, or the lattice it stands for, with the scores that count."""
    if isinstance(graph, Lattice):
        return graph
    from latticemetric.nbest import NBest

    if isinstance(graph, NBest):
        return graph.to_lattice(keep=scales or ())
    if not hasattr(graph, "to_lattice"):
        raise UsageError(f"{type(graph).__name__} is no lattice, n-best list or forest", advice="see Lattice.from_…")
    return graph.to_lattice()


def _readings(lattice: Lattice, metric: GRR) -> tuple[Any, Any]:
    """What arcs count as (ε for ignored words and wildcards), and which of them carry a word at all."""
    is_word = lattice.word != EPSILON
    label = lattice.word
    if metric.ignore:
        is_word &= ~np.isin(lattice.word, lattice.vocabulary.encode(sorted(metric.ignore)))
    if metric.ignore or metric.wildcard:
        silent = np.isin(lattice.word, lattice.vocabulary.encode(sorted(metric.ignore | metric.wildcard)))
        label = np.where(silent, EPSILON, lattice.word).astype(np.int32)
    return label, is_word.astype(np.uint8)


def _promised(found: Found, reference: Sequence[str], metric: GRR) -> Merit:
    """The merit that the search promises for one reference."""
    return merit(found.gain, ngram_total(len(metric.counted(reference)), metric.order), metric.gains)


def _preference(found: Found, reference: Sequence[str], metric: GRR, cost: Costs, search: Search) -> tuple[Any, ...]:
    """Orders the best paths for several references by the tie rule, a defined rate before none."""
    defined, rate = _promised(found, reference, metric)
    price = cost.along(found.arcs, search.lattice)
    return (not defined, -rate, price, int(search.is_word[found.arcs].sum()), tuple(found.arcs))


def _one_best_arcs(lattice: Lattice, cost: Costs, is_word: Any) -> Any:
    return _native.best_path(lattice.source, lattice.target, cost.arc, is_word, cost.final)


def _check(path: ScoredPath, promised: Merit, metric: GRR) -> None:
    """A path must score by its words what the search promised."""
    scored = metric.merit(path.statistics)
    if scored != promised:
        raise AssertionError(
            f"the search promised {promised}, the path scores {scored}: a bug in latticemetric, please report it"
        )
