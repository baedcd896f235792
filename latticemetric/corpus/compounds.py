"""Find the oracles of many lattices by a word error rate in which `ice cream` matches `icecream`; sum up errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from operator import add
from typing import Any, Self

from latticemetric.corpus.answer import Answer
from latticemetric.corpus.pairing import Pair, built, missed
from latticemetric.corpus.run import Run, answer_each
from latticemetric.errors import InputError
from latticemetric.lattice.lattice import Weights
from latticemetric.metrics.recognition import WER
from latticemetric.oracle_search.compounds import compound_oracle
from latticemetric.oracle_search.reference_strings import strings_of_references


@dataclass(frozen=True)
class CompoundAnswer(Answer):
    """The answer for one pair.

    If the pair failed, all words of its reference count as deletions; `missed` is their number.
    """

    missed: int = 0


def compound_oracles(lattices: Iterable[Pair], run: Run, *, weights: Weights | None = None) -> Iterator[CompoundAnswer]:
    """Yield the answer for each lattice, in order; see `answer_each`."""
    return answer_each(partial(_answer, weights), _failed, lattices, run)


def _answer(weights: Weights | None, pair: Pair) -> CompoundAnswer:
    with built(pair) as (graph, references):
        found = compound_oracle(graph, strings_of_references(references), weights=weights)
        return CompoundAnswer(pair.name, found, where=pair.where)


def _failed(pair: Pair, error: InputError) -> CompoundAnswer:
    counts = missed(pair, WER())
    return CompoundAnswer(pair.name, None, error, pair.where, missed=0 if counts is None else counts.deletions)


@dataclass(frozen=True)
class CompoundTotals:
    """Sums over answers.

    Attributes:
        errors: Errors of the oracles.
        words: Reference words of the oracles.
        one_best_errors: Errors of the 1-bests.
        one_best_words: Reference words of the 1-bests. If a lattice has several references, its 1-best and its oracle
            may be scored against different references.
        lattices: Number of graphs that were searched.
        failed: Number of graphs that failed; the words of their references count as deletions.
    """

    errors: int = 0
    words: int = 0
    one_best_errors: int = 0
    one_best_words: int = 0
    lattices: int = 0
    failed: int = 0

    @classmethod
    def of(cls, answer: CompoundAnswer) -> Self:
        """Return the totals of one answer."""
        if answer.problem is not None:
            lost = answer.missed
            return cls(lost, lost, lost, lost, failed=1)
        best, first = answer.value, answer.value.one_best
        return cls(best.numerator, best.denominator, first.numerator, first.denominator, lattices=1)

    def __add__(self, other: Self) -> Self:
        return type(self)(*map(add, vars(self).values(), vars(other).values()))

    def asdict(self) -> dict[str, Any]:
        """Return the fields of `corpus` in the JSON document."""
        best, one_best = (
            {"score": errors / words if words else None, "numerator": errors, "denominator": words}
            for errors, words in ((self.errors, self.words), (self.one_best_errors, self.one_best_words))
        )
        return {**best, "one_best": one_best, "lattices": self.lattices, "failed": self.failed}

    def state(self) -> dict[str, Any]:
        """Return the totals as plain values for JSON; `merged` reads them."""
        return {"compounds": vars(self)}

    @classmethod
    def merged(cls, states: Iterable[Mapping[str, Any]]) -> Self:
        """Add up the values that `state` returned for each shard; return the totals of all shards."""
        return sum((cls(**state["compounds"]) for state in states), cls())
