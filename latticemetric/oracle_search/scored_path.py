"""A path or derivation with its score, cost and alignment."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from latticemetric.errors import UsageError
from latticemetric.frozen import Result, freeze
from latticemetric.graph import plain_path
from latticemetric.metrics.alignment import DELETION, MATCH, Alignment
from latticemetric.metrics.recognition_statistics import RecognitionStatistics


@dataclass(frozen=True, repr=False)
class ScoredPath(Result):
    """A path of a lattice or a derivation of a forest, scored against its reference.

    Attributes:
        words: The words, without ε and ignored words.
        score: The metric's value; `None` if the reference has no words.
        numerator: The numerator of this value: the errors for error rates, otherwise the gain, which is an integer
            unless α or β is a fraction.
        denominator: The denominator of this value.
        statistics: Matches, substitutions, deletions, insertions.
        cost: The model's cost (−log weight) under the given weights.
        scores: The sum of each named cost along the path, unscaled; for an n-best list, without the costs of weight 0
            that `weights` does not name.
        arcs: The numbers of its arcs in the lattice, from 0: by source state, states in topological order.
        edges: The numbers of its edges in the forest, in preorder.
        derivation: The tree of these edges, in brackets; `Forest.tree` returns a tree object.
        alignment: The alignment with the best reference.
        reference: The words of the reference in `alignment`.
    """

    words: tuple[str, ...]
    score: float | None
    numerator: int | float
    denominator: int | float
    statistics: RecognitionStatistics
    cost: float
    scores: Mapping[str, float]
    arcs: tuple[int, ...]
    edges: tuple[int, ...]
    derivation: str | None
    alignment: Alignment
    reference: tuple[str, ...]

    def __post_init__(self) -> None:
        freeze(self, "scores")

    @property
    def tags(self) -> tuple[str, ...]:
        """One tag per word: OK if it matches the reference or is a wildcard, otherwise BAD.

        Examples:
            >>> from latticemetric import Lattice, oracle
            >>> best = oracle(Lattice.from_strings(["a x d e"]), "a b c d", "wer")
            >>> print(best.alignment)
            reference   a  b  c  d  *
            hypothesis  a  x  *  d  e
            edit        .  S  D  .  I
            >>> best.tags
            ('OK', 'BAD', 'OK', 'BAD')
            >>> best.tags_with_gaps
            ('OK', 'OK', 'OK', 'BAD', 'BAD', 'OK', 'OK', 'BAD', 'OK')
        """
        return self.tags_with_gaps[1::2]

    @property
    def tags_with_gaps(self) -> tuple[str, ...]:
        """The 2n + 1 tags of n words and the gaps around them; words are at odd positions, counted from 0.

        A gap is BAD if reference words are missing in it, otherwise OK, as in WMT's quality estimation tasks.
        """
        return tags_with_gaps(self.words, self.alignment)

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON.

        Fields:
            matches (int): Words that match. For `cer`, `N-gcr` and `mixed-er`, this and the next four fields count
                characters.
            substitutions (int): Reference words replaced by another word.
            deletions (int): Reference words without a counterpart.
            insertions (int): Hypothesis words without a counterpart.
        """
        counts = self.statistics
        return {
            "score": self.score,
            "numerator": self.numerator,
            "denominator": self.denominator,
            "hypothesis": " ".join(self.words),
            "cost": self.cost,
            "matches": counts.matches[0],
            "substitutions": counts.substitutions,
            "deletions": counts.deletions,
            "insertions": counts.insertions,
        }

    def details(self, *, exact: bool) -> dict[str, Any]:
        """Return values that `Answer.asdict` gives for the answer itself, but not for the nested `one_best`."""
        return {
            "ngram_matches": list(self.statistics.matches),
            "reference": " ".join(self.reference),
            "exact": exact,
            "scores": dict(self.scores),
            **plain_path(self),
        }


@dataclass(frozen=True, repr=False)
class SearchResult(ScoredPath):
    """The answer of a search: a scored path, with the model's 1-best and the metric's signature."""

    one_best: ScoredPath
    exact: bool
    signature: str

    _OWN: ClassVar[tuple[str, ...]] = ()
    """The fields that `asdict` adds to the fields of the path."""

    def asdict(self) -> dict[str, Any]:
        """Return plain values, for JSON; `one_best` is nested.

        Fields:
            reference (str): The reference that the path scores best against, as given, with ignored words.
            ngram_matches (list[int]): Matching n-grams of length 1, 2, … up to the metric's order; the first is
                `matches`.
        """
        own = {name: getattr(self, name) for name in self._OWN}
        answer = {**own, **self.details(exact=self.exact), "signature": self.signature}
        return {**super().asdict(), **answer, "one_best": self.one_best.asdict()}


@dataclass(frozen=True, repr=False)
class Oracle(SearchResult):
    """The best path of a lattice, or derivation of a forest, by a metric.

    Attributes:
        one_best: The model's 1-best, scored in the same way.
        exact: Always True: no path has a better score, except the paths of strings that come before this one in the
            list of `oracles`.
        signature: The metric, its parameters and the version.
    """

    __slots__ = ("_graph",)  # beside the fields, which are pickled

    def found_in(self, graph: object) -> Self:
        """Store a weak reference to the graph, so that notebooks can show the path in it."""
        object.__setattr__(self, "_graph", weakref.ref(graph))
        return self

    def _repr_html_(self) -> str:
        from latticemetric.drawing.notebook import answer_html

        graph = getattr(self, "_graph", lambda: None)()
        return answer_html(self.signature, {"oracle": self, "1-best": self.one_best}, graph)

    def __getstate__(self) -> dict[str, Any]:
        return vars(self)  # without the graph


OK, BAD = "OK", "BAD"
"""The tags of words and gaps (Logacheva et al. 2016)."""


def tags_with_gaps(words: Sequence[str], alignment: Alignment) -> tuple[str, ...]:
    """Return the tags of words (at odd positions, counted from 0) and of gaps (at even positions).

    Args:
        words: The words of the path, including wildcards. Wildcards are not in the alignment; their tag is OK.
        alignment: The alignment of the other words with the reference. If a reference word is missing before or after
            wildcards, the gap before the wildcards is BAD.
    """
    if not alignment.of_words:
        raise UsageError("tags need an alignment of words", advice="use wer, wrr or N-grr")
    tags = [OK]
    remaining = iter(words)
    for edit, _, word in alignment.steps():
        if edit == DELETION:
            tags[-1] = BAD
            continue
        # Skip wildcards, which are not in the alignment.
        while next(remaining) != word:
            tags += [OK, OK]
        tags += [OK if edit == MATCH else BAD, OK]
    for _ in remaining:
        tags += [OK, OK]
    return tuple(tags)
