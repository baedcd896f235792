"""What the properties are tried on: few words and few costs, so that matches, repeats and ties abound."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
from hypothesis import strategies as st

import latticemetric as lm
from kit.brute_force import Rate, Words
from kit.choices import booleans, different_numbers, exactly_many, numbers

KNOWN_WORDS = "abcd"
STRANGER = "z"  # occurs in no lattice
VOCABULARY = lm.Vocabulary.from_words(list(KNOWN_WORDS))

words = st.sampled_from([*KNOWN_WORDS, STRANGER])
ALPHABETS = st.sampled_from([words, words, st.sampled_from("ab")])


@cache
def lengths(most: int) -> st.SearchStrategy[int]:
    """Lengths of texts; 0 is half as frequent as any other."""
    return st.sampled_from([*range(most + 1), *range(1, most + 1)])


@st.composite
def sentences(draw: st.DrawFn, most: int = 5) -> Words:
    """Texts of few words, often of two distinct ones only: repeats make alignments ambiguous."""
    length = draw(lengths(most))
    return tuple(draw(exactly_many(draw(ALPHABETS), length)))


@dataclass(frozen=True)
class References:
    """References in the form that the package takes, and their words."""

    argument: str | list[str | list[str]]
    words: tuple[Words, ...]


@st.composite
def spelled(draw: st.DrawFn, text: Words) -> str | list[str]:
    """A text as a string or as a list of words."""
    return " ".join(text) if draw(booleans) else list(text)


@st.composite
def references(draw: st.DrawFn, most: int = 5, number: int = 3) -> References:
    """One to `number` references; a single one is sometimes a plain string."""
    chosen = draw(st.lists(sentences(most), min_size=1, max_size=number).map(tuple))
    if len(chosen) == 1 and draw(booleans):
        return References(" ".join(chosen[0]), chosen)
    if len(chosen) > 1 and all(len(text) == 1 for text in chosen):
        return References([list(text) for text in chosen], chosen)  # as strings they might be the words of one
    return References([draw(spelled(text)) for text in chosen], chosen)


alphas = st.sampled_from([1, 0.5, 0, -0.9, "1", "0.5", "-0.9", Fraction(1, 2), Fraction(-9, 10), 1.0])
betas = st.sampled_from([0, 1, "0", 1.0, Fraction(1)])


def exactly(spelling: str | float | Fraction) -> Fraction:
    """What a penalty stands for: 0.9 is nine tenths, not the nearest binary fraction."""
    return Fraction(str(spelling))


dropped_words = st.just(frozenset()) | st.frozensets(words, max_size=2)
KINDS = st.sampled_from([lm.GRR, lm.GRR, lm.GRR, lm.WRR, lm.WER])


@st.composite
def metrics(draw: st.DrawFn, *, drops: bool = True) -> tuple[lm.GRR, Rate]:
    """A metric, and the definition it must agree with."""
    ignore = draw(dropped_words) if drops else frozenset()
    wildcard = draw(dropped_words) if drops else frozenset()
    kind = draw(KINDS)
    if kind is not lm.GRR:
        rate = Rate(1, Fraction(1), Fraction(0), ignore, wildcard, counts_errors=kind is lm.WER)
        return kind(ignore=ignore, wildcard=wildcard), rate
    order, alpha, beta = draw(numbers(1, 5)), draw(alphas), draw(betas)
    metric = lm.GRR(order, alpha=alpha, beta=beta, ignore=ignore, wildcard=wildcard)
    return metric, Rate(order, exactly(alpha), exactly(beta), ignore, wildcard)


@dataclass(frozen=True)
class Draft:
    """The arguments of `Lattice.from_arcs`, before states that lead nowhere are dropped."""

    start: int
    source: list[int]
    target: list[int]
    word: list[int]
    final: list[int]
    scores: dict[str, lm.Column]

    def lattice(self) -> lm.Lattice:
        return lm.Lattice.from_arcs(
            self.source,
            self.target,
            self.word,
            start=self.start,
            final=self.final,
            scores=self.scores,
            vocabulary=VOCABULARY,
        )


# Multiples of 1/8 add up exactly in any order, and a small range makes ties. Single precision loses the eighth of
# the large ones, so that an engine that counts costs in it is found out.
costs = st.integers(-8, 16).map(lambda eighths: eighths / 8) | st.sampled_from([2.0**24, 2.0**24 + 0.125])
# Whole columns of one or two values make paths tie far more often than chance does.
COST_RANGES = [st.just(0.0), st.sampled_from([0.0, 0.125]), costs]
cost_ranges = st.sampled_from(COST_RANGES)
scale_values = st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0, -1.0])
COLUMN_NAMES = ("acoustic", "language")


@st.composite
def columns(draw: st.DrawFn, arcs: int, finals: int) -> dict[str, lm.Column]:
    """One or two named scores."""

    def values(length: int) -> np.ndarray:
        return np.array(draw(exactly_many(draw(cost_ranges), length)), dtype=np.float64)

    names = COLUMN_NAMES[: draw(numbers(1, len(COLUMN_NAMES)))]
    return {name: lm.Column(values(arcs), values(finals), weight=draw(scale_values)) for name in names}


def scalings(graph: lm.Lattice | lm.Forest) -> st.SearchStrategy[dict[str, float] | None]:
    """Weights for some of a graph's columns, or none asked for."""
    return st.none() | st.dictionaries(st.sampled_from(list(graph.scores)), scale_values)


# Words of an arc: any, half of them ε so that lengths differ, or few so that paths say the same.
LABELS = st.sampled_from([st.integers(0, len(KNOWN_WORDS)), st.sampled_from([0, 0, 1, 2]), st.integers(0, 2)])
MOST_STATES = 7
MOST_ARCS = 12
STATES = st.sampled_from([1, *range(2, MOST_STATES + 1), *range(4, MOST_STATES + 1)])


@cache
def _forward(states: int) -> st.SearchStrategy[tuple[int, int]]:
    """Arcs that skip up to two states."""
    return st.sampled_from([(s, t) for s in range(states - 1) for t in range(s + 1, min(s + 4, states))])


@cache
def _some_of(states: int) -> st.SearchStrategy[set[int]]:
    return st.sets(st.integers(0, states - 1), max_size=3)


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    """A random acyclic graph with at least one complete path, and with whatever else a decoder may write.

    It grows from a backbone, a path of up to five arcs; the other arcs skip up to two states and may be parallel
    to others, be ε, or touch states on no complete path. States are numbered without regard to topology.
    """
    states = draw(STATES)
    backbone = draw(numbers(0, min(states - 1, 5)))
    more = draw(numbers(0, MOST_ARCS - backbone if states > 1 else 0))
    ends = [(rank, rank + 1) for rank in range(backbone)] + [draw(_forward(states)) for _ in range(more)]
    ends = draw(st.permutations(ends))
    name = draw(different_numbers(2 * MOST_STATES, states))
    final = draw(st.permutations(sorted({backbone, *draw(_some_of(states))})))
    return Draft(
        start=name[0],
        source=[name[source] for source, _ in ends],
        target=[name[target] for _, target in ends],
        word=draw(exactly_many(draw(LABELS), len(ends))),
        final=[name[rank] for rank in final],
        scores=draw(columns(len(ends), len(final))),
    )


def lattices() -> st.SearchStrategy[lm.Lattice]:
    return drafts().map(Draft.lattice)


# Costs of which none makes all others impossible.
mild_costs = st.integers(-8, 16).map(lambda eighths: eighths / 8)


@st.composite
def mild_lattices(draw):
    """Lattices whose costs let many paths be probable."""
    lattice = draw(lattices())
    scores = {
        name: lm.Column(
            draw(exactly_many(mild_costs, len(lattice.word))),
            draw(exactly_many(mild_costs, len(lattice.final))),
            column.weight,
        )
        for name, column in lattice.scores.items()
    }
    return lm.Lattice.from_arcs(
        lattice.source, lattice.target, lattice.word, final=lattice.final, scores=scores, vocabulary=lattice.vocabulary
    )


def mild_forests():
    """Forests with such costs, of few and short derivations: they are scored by brute force."""
    from kit.formats import can_be_listed, forest_drafts

    drafts = forest_drafts(list(KNOWN_WORDS), list(COLUMN_NAMES), mild_costs).filter(can_be_listed)
    return drafts.map(lambda draft: draft.forest()).filter(lambda forest: forest.max_words() <= 7)
