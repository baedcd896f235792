"""Oracles of many graphs by one automaton, with references or without, and their totals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Self

from latticemetric.batch.answers import Answer, failed
from latticemetric.batch.pairing import Pair
from latticemetric.batch.run import Run, answer_each
from latticemetric.errors import placed
from latticemetric.lattice.lattice import Scales
from latticemetric.metrics.base import plain_number
from latticemetric.oracle_search.user_automaton import automaton_oracle


def automaton_oracles(
    pairs: Iterable[Pair], automaton: Any, run: Run, *, scales: Scales | None = None
) -> Iterator[Answer]:
    """Search pairs, in order; for those without references, the automaton alone gives the value.

    Raises:
        InputError: A pair has a problem, unless the run keeps going: then it is an answer.
    """
    return answer_each(partial(_answer, automaton, scales), failed, pairs, run)


def _answer(automaton: Any, scales: Scales | None, pair: Pair) -> Answer:
    if pair.problem is not None:
        raise pair.problem
    assert pair.entry is not None
    references = pair.graph_references() or None
    with placed(pair.entry.place):
        return Answer(pair.name, automaton_oracle(pair.entry.build(), automaton, references, scales=scales))


@dataclass(frozen=True)
class AutomatonTotals:
    """Sums over answers; exact, so that the order of adding does not matter.

    Attributes:
        score: Score of the oracles.
        one_best: Score of the models' own best paths; `None` if the automaton does not accept one of them.
        lattices: Number of graphs that were searched.
        failed: Number of graphs that failed; they are left out of the sums.
        signature: The automaton; empty until a graph was searched.
    """

    score: Fraction = Fraction()
    one_best: Fraction | None = Fraction()
    lattices: int = 0
    failed: int = 0
    signature: str = ""

    @classmethod
    def of(cls, answer: Answer) -> Self:
        """Return the share of one answer."""
        if answer.problem is not None:
            return cls(failed=1)
        best = answer.value
        first = best.one_best.score
        return cls(Fraction(best.score), None if first is None else Fraction(first), 1, 0, best.signature)

    def __add__(self, other: Self) -> Self:
        unknown = self.one_best is None or other.one_best is None
        return type(self)(
            self.score + other.score,
            None if unknown else (self.one_best or Fraction()) + (other.one_best or Fraction()),
            self.lattices + other.lattices,
            self.failed + other.failed,
            self.signature or other.signature,
        )

    def asdict(self) -> dict[str, Any]:
        """Return the part of a document about all graphs."""
        one_best = None if self.one_best is None else plain_number(self.one_best)
        sums = {"score": plain_number(self.score), "one_best": {"score": one_best}}
        corpus = {**sums, "lattices": self.lattices, "failed": self.failed}
        return {"corpus": corpus, "signature": self.signature}

    def state(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        one_best = None if self.one_best is None else str(self.one_best)
        return {**vars(self), "score": str(self.score), "one_best": one_best}

    @classmethod
    def of_state(cls, state: Mapping[str, Any]) -> Self:
        """Return the sums of those values."""
        one_best = None if state["one_best"] is None else Fraction(state["one_best"])
        return cls(**{**state, "score": Fraction(state["score"]), "one_best": one_best})
