"""Recognition rates and oracles from their definitions: every path, every alignment, exact fractions.

Nothing here is clever, so that it can be checked by reading it next to Chiang & DeNeefe 2008, equation 6.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import pytest

from latticemetric import Alignment, Forest, Lattice, ScoredPath

Words = tuple[str, ...]

EDITS_BY_PREFERENCE = "CSDI"

# The caches are bounded: a long search would otherwise keep every alignment of every pair it ever saw.


@dataclass(frozen=True)
class Rate:
    """n-GRR with its two penalties, or the word error rate, which is one minus 1-GRR(1, 0)."""

    order: int = 4
    alpha: Fraction = Fraction(1)
    beta: Fraction = Fraction(0)
    ignore: frozenset[str] = frozenset()
    wildcard: frozenset[str] = frozenset()
    counts_errors: bool = False

    def counted(self, words: Sequence[str]) -> Words:
        """Ignored words and wildcards are ε: n-grams continue across them."""
        return tuple(word for word in words if word not in self.ignore | self.wildcard)

    def reported(self, words: Sequence[str]) -> Words:
        return tuple(word for word in words if word not in self.ignore)

    def gain(self, edits: str) -> Fraction:
        matches = sum(ngram_matches(edits, k) for k in range(1, self.order + 1))
        return matches - self.alpha * edits.count("I") - self.beta * edits.count("D")


@lru_cache(maxsize=100_000)
def ngram_matches(edits: str, k: int) -> int:
    """M_k: the places where k matches follow one another and nothing comes between them."""
    return sum(edits[i : i + k] == "C" * k for i in range(len(edits) - k + 1))


@lru_cache(maxsize=256)
def enumerate_alignments(hypothesis: Words, reference: Words) -> tuple[str, ...]:
    """Every monotone alignment; ★ stands for any word, so a word may even be substituted by itself."""
    if not hypothesis and not reference:
        return ("",)
    alignments = []
    if hypothesis and reference:
        diagonal = "CS" if hypothesis[0] == reference[0] else "S"
        alignments += [e + rest for e in diagonal for rest in enumerate_alignments(hypothesis[1:], reference[1:])]
    if reference:
        alignments += ["D" + rest for rest in enumerate_alignments(hypothesis, reference[1:])]
    if hypothesis:
        alignments += ["I" + rest for rest in enumerate_alignments(hypothesis[1:], reference)]
    return tuple(alignments)


@lru_cache(maxsize=4096)
def best_alignment(hypothesis: Words, reference: Words, rate: Rate) -> str:
    """The optimal alignment of counted words; ties as in metrics.md, section 1."""

    def preference(edits: str) -> tuple[Fraction, int, int, list[int]]:
        skipped = edits.count("I") + edits.count("D")
        order_of_edits = [EDITS_BY_PREFERENCE.index(edit) for edit in edits]
        return -rate.gain(edits), -edits.count("C"), skipped, order_of_edits

    return min(enumerate_alignments(hypothesis, reference), key=preference)


@dataclass(frozen=True)
class Verdict:
    """A hypothesis's alignment with the reference it scores best against."""

    rate: Rate
    hypothesis: Words
    reference: Words
    reference_number: int
    edits: str

    @property
    def matches(self) -> tuple[int, ...]:
        return tuple(ngram_matches(self.edits, k) for k in range(1, self.rate.order + 1))

    @property
    def reference_ngrams(self) -> tuple[int, ...]:
        return tuple(max(0, len(self.reference) - k + 1) for k in range(1, self.rate.order + 1))

    @property
    def denominator(self) -> int:
        return sum(self.reference_ngrams)

    @property
    def numerator(self) -> Fraction:
        if self.rate.counts_errors:
            return Fraction(sum(self.edits.count(edit) for edit in "SDI"))
        return self.rate.gain(self.edits)

    @property
    def score(self) -> Fraction | None:
        return self.numerator / self.denominator if self.denominator else None

    @property
    def merit(self) -> tuple[bool, Fraction]:
        """Larger is better; an undefined rate loses to any defined one, and is compared by its numerator."""
        sign = -1 if self.rate.counts_errors else 1
        if self.score is None:
            return False, sign * self.numerator
        return True, sign * self.score


def rounded(rate: Fraction | None) -> object:
    """What a reported rate must equal: a numerator is rounded once, its quotient a second time."""
    return None if rate is None else pytest.approx(float(rate), rel=2**-51, abs=0)


def judge(hypothesis: Sequence[str], references: Sequence[Sequence[str]], rate: Rate) -> Verdict:
    """The best reference's verdict; `max` keeps the first of equals, as the tie rule does."""
    said = rate.counted(hypothesis)
    meant = [rate.counted(reference) for reference in references]
    verdicts = [Verdict(rate, said, r, number, best_alignment(said, r, rate)) for number, r in enumerate(meant)]
    return max(verdicts, key=lambda verdict: verdict.merit)


class ArcPath(NamedTuple):
    """A complete path, with each named cost summed along it; for forests a derivation, and its edges in preorder."""

    arcs: tuple[int, ...]
    words: Words
    sums: dict[str, Fraction]


def enumerate_paths(lattice: Lattice) -> Iterator[ArcPath]:
    """Every complete path of a lattice, read from its arrays."""
    for arcs, end in _walks(lattice, (), 0):
        if end in lattice.final.tolist():
            spelling = [lattice.vocabulary.word(int(lattice.word[arc])) for arc in arcs if lattice.word[arc] != 0]
            yield ArcPath(arcs, tuple(spelling), _column_sums(lattice, arcs, end))


def _walks(lattice: Lattice, arcs: tuple[int, ...], state: int) -> Iterator[tuple[tuple[int, ...], int]]:
    yield arcs, state
    for arc, source in enumerate(lattice.source.tolist()):
        if source == state:
            yield from _walks(lattice, (*arcs, arc), int(lattice.target[arc]))


def enumerate_derivations(forest: Forest) -> Iterator[ArcPath]:
    """Every complete derivation of a forest, read from its arrays."""
    for goal in forest.goals.tolist():
        for edges, numbers in _trees(forest, goal):
            spelling = tuple(forest.vocabulary.word(number) for number in numbers)
            yield ArcPath(edges, spelling, _column_sums(forest, edges, goal))


def _trees(forest: Forest, node: int) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The derivations of a node: their edges in preorder, tails as they are said, and their words' numbers."""
    for edge, head in enumerate(forest.head.tolist()):
        if head == node:
            target = forest.target.values[forest.target.begin[edge] : forest.target.begin[edge + 1]]
            yield from _continuations(forest, edge, target.tolist(), ((edge,), ()))


def _continuations(
    forest: Forest, edge: int, to_say: list[int], so_far: tuple[tuple[int, ...], tuple[int, ...]]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    if not to_say:
        yield so_far
        return
    symbol, *rest = to_say
    tail = int(forest.tails.values[forest.tails.begin[edge] - symbol - 1]) if symbol < 0 else None
    for edges, words in [((), (symbol,))] if tail is None else _trees(forest, tail):
        yield from _continuations(forest, edge, rest, (so_far[0] + edges, so_far[1] + words))


def _column_sums(graph: Lattice | Forest, arcs: tuple[int, ...], end: int) -> dict[str, Fraction]:
    ending = (graph.goals if isinstance(graph, Forest) else graph.final).tolist().index(end)
    return {
        name: sum((Fraction(float(column.arc[arc])) for arc in arcs), Fraction(float(column.final[ending])))
        for name, column in graph.scores.items()
    }


@dataclass(frozen=True)
class Answer:
    """A path and everything that is said of it."""

    path: ArcPath
    words: Words
    cost: Fraction
    verdict: Verdict

    @property
    def cheapest(self) -> tuple[Fraction, int, tuple[int, ...]]:
        return self.cost, len(self.words), self.path.arcs

    @property
    def best(self) -> tuple[bool, Fraction, Fraction, int, tuple[int, ...]]:
        """Best value, least cost, fewest words, smallest arcs: what comes first is the oracle."""
        defined, value = self.verdict.merit
        return (not defined, -value, *self.cheapest)


def answers(
    graph: Lattice | Forest,
    references: Sequence[Sequence[str]],
    rate: Rate,
    weights: Mapping[str, float] | None = None,
) -> list[Answer]:
    """Every complete path, or derivation, judged and costed."""
    paths = enumerate_derivations(graph) if isinstance(graph, Forest) else enumerate_paths(graph)
    chosen = {name: Fraction(column.weight) for name, column in graph.scores.items()}
    chosen |= {name: Fraction(weight) for name, weight in (weights or {}).items()}
    return [
        Answer(
            path,
            rate.reported(path.words),
            sum((chosen[name] * total for name, total in path.sums.items()), Fraction(0)),
            judge(path.words, references, rate),
        )
        for path in paths
    ]


def oracle(judged: Sequence[Answer]) -> Answer:
    """The oracle, by looking at every path."""
    return min(judged, key=lambda answer: answer.best)


def one_best(judged: Sequence[Answer]) -> Answer:
    """The model's own best path, by looking at every path."""
    return min(judged, key=lambda answer: answer.cheapest)


def assert_scored(found: ScoredPath, expected: Answer) -> None:
    """Every field but the arcs or edges, the value first: it is what the rest hangs on."""
    verdict = expected.verdict
    assert found.numerator == float(verdict.numerator)
    assert found.denominator == verdict.denominator
    assert found.score == rounded(verdict.score)
    assert found.cost == float(expected.cost)
    assert found.words == expected.words
    assert found.scores == {name: float(total) for name, total in expected.path.sums.items()}
    assert found.statistics.matches == verdict.matches
    assert found.statistics.reference_ngrams == verdict.reference_ngrams
    for letter, count in zip("SDI", ("substitutions", "deletions", "insertions"), strict=True):
        assert getattr(found.statistics, count) == verdict.edits.count(letter)
    assert found.alignment == Alignment(verdict.hypothesis, verdict.reference, verdict.edits)
