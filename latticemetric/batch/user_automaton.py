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
    """Answers pairs, in their order; those without references are valued by the automaton alone.

    Raises:
        InputError: A pair has a problem, unless failures are gone past: then it is an answer.
    """
    return answer_each(partial(_answer, automaton, scales), failed, pairs, run)


def _answer(automaton: Any, scales: Scales | None, pair: Pair) -> Answer:
    if pair.problem is not None:
        raise pair.problem
    assert pair.entry is not None
    references = pair.said() or None
    with placed(pair.entry.place):
        return Answer(pair.name, automaton_oracle(pair.entry.build(), automaton, references, scales=scales))


@dataclass(frozen=True)
class AutomatonTotals:
    """Sums over answers; exact, so that it does not matter in which order they are added.

    Attributes:
        score: Of the oracles.
        one_best: Of the models' own best paths; `None` where the automaton does not accept one of them.
        lattices: Graphs that were searched.
        failed: Graphs that were not, which are left out of the sums.
        signature: What the automaton is; nothing as long as no graph was searched.
    """

    score: Fraction = Fraction()
    one_best: Fraction | None = Fraction()
    lattices: int = 0
    failed: int = 0
    signature: str = ""

    @classmethod
    def of(cls, answer: Answer) -> Self:
        """One answer's share."""
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

    def told(self) -> dict[str, Any]:
        """What a document says of all graphs."""
        one_best = None if self.one_best is None else plain_number(self.one_best)
        sums = {"score": plain_number(self.score), "one_best": {"score": one_best}}
        corpus = {**sums, "lattices": self.lattices, "failed": self.failed}
        return {"corpus": corpus, "signature": self.signature}

    def state(self) -> dict[str, Any]:
        """All of it in plain values, for JSON."""
        one_best = None if self.one_best is None else str(self.one_best)
        return {**vars(self), "score": str(self.score), "one_best": one_best}

    @classmethod
    def of_state(cls, state: Mapping[str, Any]) -> Self:
        """Of those values."""
        one_best = None if state["one_best"] is None else Fraction(state["one_best"])
        return cls(**{**state, "score": Fraction(state["score"]), "one_best": one_best})
