"""N-best lists: hypotheses with their scores."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, SupportsIndex, cast, overload

import numpy as np
import numpy.typing as npt

from latticemetric import _native
from latticemetric.arguments import require_items
from latticemetric.display.frames import Tabular
from latticemetric.errors import InputError, UsageError, shortened
from latticemetric.frozen import FrozenDict, Result, freeze
from latticemetric.lattice.columns import Column, Weights, check_columns, summed_cost, weights_under
from latticemetric.lattice.lattice import Lattice
from latticemetric.lattice.n_best import number_of_strings
from latticemetric.lattice.pruning import require_one, within_beam
from latticemetric.renamed import says_new_keywords
from latticemetric.vocabulary import EPSILON, Vocabulary, listed_words

if TYPE_CHECKING:
    from latticemetric.forest.forest import Forest

_MOST_CELLS = 20_000_000
_TOTAL = "cost"


@dataclass(frozen=True)
class Hypothesis:
    """A hypothesis of an n-best list: words and named costs (−log probability).

    Attributes:
        words: The words. A string is split at white space.
        scores: The costs, by name.
    """

    words: tuple[str, ...]
    scores: Mapping[str, float]

    def __post_init__(self) -> None:
        freeze(self, "scores")
        object.__setattr__(self, "words", listed_words(self.words, "a hypothesis"))
        if not set(map(type, self.scores.values())) <= {float, int}:
            object.__setattr__(self, "scores", FrozenDict(_plain_scores(self.scores)))


@says_new_keywords
@dataclass(frozen=True, repr=False)
class NBest(Result, Tabular):
    """An n-best list: hypotheses, usually best first. If hypotheses have equal costs, the first one is the best.

    Iteration and indices give hypotheses, in the order of the list; a slice gives a shorter n-best list.

    Attributes:
        hypotheses: The hypotheses, at least one.
        weights: Weight of each named cost in the model's cost; other costs have weight 1.

    Examples:
        >>> nbest = NBest.from_strings(["a b", "a c", "d"])
        >>> nbest[0].words, [len(hypothesis.words) for hypothesis in nbest], len(nbest[:2])
        (('a', 'b'), [2, 2, 1], 2)
    """

    hypotheses: tuple[Hypothesis, ...]
    weights: Mapping[str, float]

    def __post_init__(self) -> None:
        object.__setattr__(self, "hypotheses", _hypotheses(self.hypotheses))
        if not self.hypotheses:
            raise InputError("the n-best list is empty")
        freeze(self, "weights")
        weights_under(self.weights, self.weights)  # raises an error unless all are numbers

    @classmethod
    def of_texts(cls, texts: list[str]) -> Self:
        """Build an n-best list from texts without scores.

        Texts must be strings that can be encoded in UTF-8. They are split into words when `hypotheses` is first used.
        """
        if not texts:
            raise InputError("the n-best list is empty")
        nbest = object.__new__(cls)
        vars(nbest).update(weights=FrozenDict(), _texts=texts)
        return nbest

    def __getattr__(self, name: str) -> Any:
        texts = vars(self).get("_texts")
        if name != "hypotheses" or texts is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)
        scores: FrozenDict[str, float] = FrozenDict()
        found = tuple([Hypothesis(words, scores) for words in _native.shared_words(texts)])
        vars(self)["hypotheses"] = found
        return found

    @says_new_keywords
    def ranked_texts(self, weights: Weights | None = None) -> Sequence[str | tuple[str, ...]]:
        """Return each hypothesis as a text or as a tuple of words, in the order of `ranking`."""
        if not weights and (texts := vars(self).get("_texts")) is not None:
            return cast("list[str]", texts)
        return [hypothesis.words for hypothesis in self.ranking(weights)]

    @classmethod
    @says_new_keywords
    def from_strings(
        cls,
        texts: Iterable[str | Sequence[str]],
        *,
        costs: Iterable[float] | None = None,
        log_probs: Iterable[float] | None = None,
        scores: Mapping[str, Iterable[float]] | None = None,
    ) -> Self:
        """Build an n-best list from strings. Without costs and scores, the first string is the best.

        Args:
            texts: Strings (split at white space), or sequences of words.
            costs: The cost of each string (−log probability). The smallest cost is the best.
            log_probs: The log probability of each string, instead of `costs`: numbers, an array or a tensor.
            scores: Additional costs of each string, by name. If `costs` or `log_probs` are given, the additional costs
                have weight 0. Otherwise, the sum of the additional costs is the model's cost.

        Warns:
            UserWarning: All `costs` are 0 or negative, and not all are equal: they may be log probabilities.

        Examples:
            >>> nbest = NBest.from_strings(["a b", "a c"], log_probs=[-2.0, -0.5], scores={"rank": [1, 2]})
            >>> nbest.hypotheses[1].words, dict(nbest.hypotheses[1].scores), dict(nbest.weights)
            (('a', 'c'), {'cost': 0.5, 'rank': 2.0}, {'cost': 1.0, 'rank': 0.0})
            >>> [hypothesis.words for hypothesis in NBest.from_strings(["a b", "a"]).ranking()]
            [('a', 'b'), ('a',)]
        """
        from latticemetric.lattice.conversion import costs_of, listed_numbers

        if isinstance(texts, str):
            raise UsageError("a single string is given, but a list of strings is needed", advice="put it into a list")
        require_items(texts, "texts")
        split = [listed_words(text, f"text {number}") for number, text in enumerate(texts, 1)]
        total = costs_of(costs, log_probs)
        columns = {} if total is None else {_TOTAL: total}
        for name, values in _named(scores):
            if name in columns:
                raise UsageError(f"the name '{name}' is reserved for the costs", advice="give the score another name")
            columns[name] = listed_numbers(values, f"score '{name}'")
        for name, column in columns.items():
            if len(column) != len(split):
                raise UsageError(f"there are {len(split)} strings, but '{name}' has {len(column)} values")
            if not all(map(math.isfinite, column)):
                raise InputError(f"score '{name}' has a value that is not finite")
        rows = zip(*columns.values(), strict=True) if columns else ((),) * len(split)
        hypotheses = [
            Hypothesis(words, dict(zip(columns, row, strict=True))) for words, row in zip(split, rows, strict=True)
        ]
        return cls(tuple(hypotheses), {name: float(total is None or name == _TOTAL) for name in columns})

    @classmethod
    @says_new_keywords
    def from_graph(
        cls, graph: Lattice | Forest | NBest, n: int, weights: Weights | None = None, *, paths: bool = False
    ) -> Self:
        """Return an n-best list of the `n` best strings of a graph, best first, with their named costs.

        Args:
            graph: A lattice, a forest, or a longer n-best list.
            n: Number of strings. The list is shorter if the graph has fewer.
            weights: Weights of score columns in the model's cost; columns that are not named keep their default weight.
                The list stores these weights.
            paths: True to return the `n` cheapest paths; several of these paths may have the same words.

        Examples:
            >>> lattice = Lattice.from_strings(["a b", "a c", "a b"], costs=[3.0, 2.0, 1.0])
            >>> [(hypothesis.words, hypothesis.scores) for hypothesis in NBest.from_graph(lattice, 2).hypotheses]
            [(('a', 'b'), {'cost': 1.0}), (('a', 'c'), {'cost': 2.0})]
        """
        if not hasattr(graph, "n_best") and not isinstance(graph, NBest):
            raise UsageError(f"{type(graph).__name__} is not a lattice, n-best list or forest")
        if isinstance(graph, NBest):
            n = number_of_strings(n)
            listed = graph.ranking(weights)
            if not paths:
                first: dict[tuple[str, ...], Hypothesis] = {}
                for hypothesis in listed:
                    first.setdefault(hypothesis.words, hypothesis)
                listed = list(first.values())
            own = {name: graph.weights.get(name, 1.0) for name in graph.score_names()}
            return cls(tuple(listed[:n]), {**graph.weights, **weights_under(own, weights)})
        found = graph.n_best(n, weights, paths=paths)
        own = {name: column.weight for name, column in graph.scores.items()}
        return cls(
            tuple(Hypothesis(graph.words(path), graph.scores_along(path)) for path in found),
            weights_under(own, weights),
        )

    @says_new_keywords
    def pruned(self, beam: float | None = None, weights: Weights | None = None, *, nbest: int | None = None) -> Self:
        """Return the hypotheses that cost at most `beam` more than the best hypothesis, in the order of the list.

        Args:
            beam: Largest difference from the best cost. Give either `beam` or `nbest`.
            weights: Weight of each score in the model's cost; other scores keep their default weight.
            nbest: Number of best hypotheses to keep, all with different words; give it instead of `beam`.

        Examples:
            >>> nbest = NBest.from_strings(["a", "b", "c"], costs=[1.0, 2.0, 9.0])
            >>> [len(nbest.pruned(0.5)), len(nbest.pruned(1.0)), len(nbest.pruned(nbest=3))]
            [1, 2, 3]
        """
        require_one(beam=beam, nbest=nbest)
        if nbest is not None:
            kept = {id(hypothesis) for hypothesis in type(self).from_graph(self, nbest, weights).hypotheses}
            return replace(self, hypotheses=tuple(h for h in self.hypotheses if id(h) in kept))
        assert beam is not None
        near = within_beam(np.array(self.costs(weights)), beam).tolist()
        return replace(self, hypotheses=tuple(h for h, is_near in zip(self.hypotheses, near, strict=True) if is_near))

    @says_new_keywords
    def costs(self, weights: Weights | None = None) -> list[float]:
        """Return the model's cost of each hypothesis: the weighted sum of its scores."""
        names = self.score_names()
        under = weights_under({name: self.weights.get(name, 1.0) for name in names}, weights)
        costs = [sum(under[name] * h.scores.get(name, 0.0) for name in names) for h in self.hypotheses]
        if not all(map(math.isfinite, costs)):
            for name, score in (item for h in self.hypotheses for item in h.scores.items()):
                if not math.isfinite(score):
                    raise InputError(f"score '{name}' has a value that is not finite ({score})")
            raise InputError("the costs are too large to be added up", advice="choose smaller weights")
        return costs

    @says_new_keywords
    def ranking(self, weights: Weights | None = None) -> list[Hypothesis]:
        """Return the hypotheses by ascending cost; ties keep the order of the list.

        Examples:
            >>> nbest = NBest.from_strings(["a", "b", "c"], costs=[2.0, 1.0, 1.0])
            >>> [hypothesis.words for hypothesis in nbest.ranking()]
            [('b',), ('c',), ('a',)]
        """
        if not weights and all(not h.scores for h in self.hypotheses):
            return list(self.hypotheses)
        costs = self.costs(weights)
        return [self.hypotheses[number] for number in sorted(range(len(self)), key=costs.__getitem__)]

    @says_new_keywords
    def to_records(self, weights: Weights | None = None) -> list[dict[str, Any]]:
        """Return one record per hypothesis: rank, text, cost and scores, for tables and JSON.

        A score called `rank` or `text`, or `cost` if it is not the model's cost, becomes `score_rank` and so on.

        Examples:
            >>> NBest.from_strings(["a b", "a"], log_probs=[-1.0, -2.5]).to_records()
            [{'rank': 1, 'text': 'a b', 'cost': 1.0}, {'rank': 2, 'text': 'a', 'cost': 2.5}]
        """
        rows = list(zip(self.hypotheses, self.costs(weights), strict=True))
        taken = {"rank", "text"}
        if any(h.scores.get("cost", cost) != cost for h, cost in rows):
            taken.add("cost")
        names = {name: f"score_{name}" if name in taken else name for name in self.score_names()}
        return [
            {
                "rank": rank,
                "text": " ".join(h.words),
                **{names[name]: score for name, score in h.scores.items()},
                "cost": cost,
            }
            for rank, (h, cost) in enumerate(rows, start=1)
        ]

    @says_new_keywords
    def to_lattice(self, keep: Collection[str] | None = None) -> Lattice:
        """Return a lattice with one path per hypothesis, in the order of the list.

        The first arc of each path has all costs of its hypothesis. A missing score becomes cost 0.

        Args:
            keep: Names of scores to keep as columns even if their weight is 0. By default, keep all scores.
        """
        if isinstance(keep, str):
            raise UsageError("keep is a string", advice=f"give a list of score names: {[keep]}")
        vocabulary = Vocabulary.from_words(word for h in self.hypotheses for word in h.words)
        chains = [vocabulary.encode(h.words) if h.words else np.array([EPSILON]) for h in self.hypotheses]
        lengths = np.array([len(chain) for chain in chains])
        first = np.cumsum(lengths) - lengths
        # Arc a of all chains leads to state a + 1; the last arc of each chain leads to the common end.
        source = np.arange(lengths.sum())
        target = source + 1
        source[first] = 0
        end = int(lengths.sum()) + 1
        target[first + lengths - 1] = end
        names = [
            name for name in self.score_names() if keep is None or name in keep or self.weights.get(name, 1.0) != 0
        ]
        if len(names) * len(source) > _MOST_CELLS:
            raise InputError(
                f"the list has {len(names)} scores and {len(source)} words, too many for a lattice",
                advice="give fewer score names in keep=",
            )
        columns = {}
        for name in names:
            cost = np.zeros(len(source))
            cost[first] = [h.scores.get(name, 0.0) for h in self.hypotheses]
            columns[name] = Column(cost, np.zeros(1), self.weights.get(name, 1.0))
        word = np.concatenate(chains).astype(np.int32)
        lattice = Lattice.from_arcs(source, target, word, final=[end], scores=columns, vocabulary=vocabulary)
        return replace(lattice, ranked=True)

    @says_new_keywords
    def determinized(
        self, weights: Weights | None = None, *, merge: Literal["sum", "best"] = "sum", posterior_scale: float = 1.0
    ) -> Lattice:
        """Return the smallest lattice with one path per string; its column `cost` is the model's cost.

        Hypotheses with equal words share one path, unlike in `to_lattice`. With `merge="sum"`, this path has the sum
        of their probabilities, so that posteriors stay the same. With `merge="best"`, this path has the smallest of
        their costs, as in `Lattice.determinized`.

        The costs along a path sum to the cost of its string, up to the rounding of 64-bit floats. Strings share states
        for equal prefixes, and for equal suffixes if the costs allow it.

        Args:
            weights: Weight of each score in the model's cost; other scores keep their default weight.
            merge: `sum` or `best`; see above.
            posterior_scale: With `merge="sum"`, a hypothesis has the probability exp(−scale · cost). If you compute
                posteriors of the result, give the same scale. The returned costs are not scaled. The scale has no
                effect if all strings differ.

        Examples:
            >>> hypotheses = [(("a", "b"), 1.0), (("c", "b"), 2.0), (("a", "b"), 1.5)]
            >>> nbest = NBest(tuple(Hypothesis(words, {"total": cost}) for words, cost in hypotheses), {})
            >>> [(path.words, round(path.cost, 4)) for path in nbest.determinized().paths()]
            [(('a', 'b'), 0.5259), (('c', 'b'), 2.0)]
            >>> nbest.determinized()
            Lattice(3 states, 3 arcs, scores: cost)
        """
        from latticemetric.lattice.conversion import minimal_lattice

        columns = {}
        for name in self.score_names():
            values = np.array([h.scores.get(name, 0.0) for h in self.hypotheses], dtype=np.float64)
            columns[name] = Column(values, np.zeros(1), self.weights.get(name, 1.0))
        check_columns(columns, {}, len(self), 1)
        costs = summed_cost(columns, len(self), 1, np.zeros(1, dtype=np.int32), weights).arc
        return minimal_lattice(
            Lattice, [h.words for h in self.hypotheses], costs, merge=merge, posterior_scale=posterior_scale
        )

    def score_names(self) -> list[str]:
        """Return the name of each score that a hypothesis has, in order of first appearance."""
        return list(dict.fromkeys(name for h in self.hypotheses for name in h.scores))

    def __len__(self) -> int:
        return len(self.hypotheses)

    def __iter__(self) -> Iterator[Hypothesis]:
        return iter(self.hypotheses)

    @overload
    def __getitem__(self, index: SupportsIndex) -> Hypothesis: ...

    @overload
    def __getitem__(self, index: slice) -> Self: ...

    def __getitem__(self, index: SupportsIndex | slice) -> Hypothesis | Self:
        if isinstance(index, slice):
            return replace(self, hypotheses=self.hypotheses[index])
        return self.hypotheses[index]

    def __repr__(self) -> str:
        noun = "hypothesis" if len(self) == 1 else "hypotheses"
        names = shortened(", ".join(self.score_names()) or "none")
        return f"{type(self).__name__}({len(self)} {noun}, scores: {names})"


def _hypotheses(given: Any) -> tuple[Hypothesis, ...]:
    """Return hypotheses as a tuple; raise `UsageError` if one is something else."""
    if not isinstance(given, tuple):
        require_items(given, "hypotheses")
        given = tuple(given)
    for one in given:
        if not isinstance(one, Hypothesis):
            what = f"a {type(one).__name__} is given in place of a hypothesis"
            raise UsageError(what, advice="give objects of the class Hypothesis, or call NBest.from_strings")
    return cast("tuple[Hypothesis, ...]", given)


def _plain_scores(scores: Mapping[str, Any]) -> dict[str, float]:
    """Return scores as Python's numbers; raise `UsageError` if one is not a number."""
    for name, score in scores.items():
        if isinstance(score, bool) or not isinstance(score, Real | Decimal):
            raise UsageError(f"score '{name}' of a hypothesis is {score!r}, not a number", advice="give a number")
    return {name: float(score) for name, score in scores.items()}


def _named(scores: Any) -> Iterable[tuple[str, Any]]:
    """Return the items of a mapping from names to scores; raise `UsageError` if it is something else."""
    if scores is not None and not isinstance(scores, Mapping):
        advice = "give lists by name, like {'lm': [1.0, 2.0]}"
        raise UsageError(f"scores is a {type(scores).__name__}", advice=advice)
    for name in scores or ():
        if not isinstance(name, str):
            raise UsageError(f"the name {name!r} of a score is not a string", advice=f"give '{name}'")
    return (scores or {}).items()


class ListColumns(NamedTuple):
    """Many n-best lists and their references as columns, one list after another.

    Attributes:
        texts: The hypotheses of all lists, best first within a list: strings, sequences of words, or UTF-8 buffers.
        begin: The index in `texts` of each list's first hypothesis; the last entry is the number of all hypotheses.
        references: The references of all lists.
        owner: The index in `references` of each list's first reference; the last entry is the number of all references.
    """

    texts: Sequence[str | Sequence[str]] | _native.Utf8Texts
    begin: npt.NDArray[np.int64]
    references: Sequence[str | Sequence[str]] | _native.Utf8Texts
    owner: npt.NDArray[np.int64]


class TableLists(NamedTuple):
    """The n-best lists of a table. `names` has the id of each list, and is empty if the table has no ids."""

    columns: ListColumns
    names: tuple[str, ...]
