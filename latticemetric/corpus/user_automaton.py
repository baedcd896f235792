"""Find the oracles of many graphs by one automaton, with or without references, and sum up their scores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Self

from latticemetric.corpus.answer import Answer, failed
from latticemetric.corpus.pairing import Pair
from latticemetric.corpus.run import Run, answer_each
from latticemetric.errors import placed
from latticemetric.lattice.lattice import Weights
from latticemetric.metrics.base import plain_number
from latticemetric.oracle_search.user_automaton import automaton_oracle


def automaton_oracles(
    lattices: Iterable[Pair], automaton: Any, run: Run, *, weights: Weights | None = None
) -> Iterator[Answer]:
    """Yield the oracle of each lattice, in order (see `answer_each`).

    If a pair has references, the automaton is a transducer from hypotheses to references (see `automaton_oracle`).
    """
    return answer_each(partial(_answer, automaton, weights), failed, lattices, run)


def _answer(automaton: Any, weights: Weights | None, pair: Pair) -> Answer:
    if pair.problem is not None:
        raise pair.problem
    assert pair.entry is not None
    references = pair.graph_references() or None
    with placed(pair.entry.place):
        return Answer(pair.name, automaton_oracle(pair.entry.build(), automaton, references, weights=weights))


@dataclass(frozen=True)
class AutomatonTotals:
    """Exact sums over answers, independent of their order.

    Attributes:
        score: The sum of the oracles' scores.
        one_best: The sum of the 1-bests' scores; `None` if the automaton rejects any of the 1-bests.
        lattices: Number of graphs that were searched.
        failed: Number of graphs that failed; the sums omit them.
        signature: Signature of the automaton; empty before the first search.
    """

    score: Fraction = Fraction()
    one_best: Fraction | None = Fraction()
    lattices: int = 0
    failed: int = 0
    signature: str = ""

    @classmethod
    def of(cls, answer: Answer) -> Self:
        """Return the totals of one answer."""
        if answer.problem is not None:
            return cls(failed=1)
        best, one_best = answer.value, answer.value.one_best.score
        return cls(Fraction(best.score), None if one_best is None else Fraction(one_best), 1, 0, best.signature)

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
        """Return the totals over all graphs, for JSON."""
        one_best = None if self.one_best is None else plain_number(self.one_best)
        sums = {"score": plain_number(self.score), "one_best": {"score": one_best}}
        corpus = {**sums, "lattices": self.lattices, "failed": self.failed}
        return {"corpus": corpus, "signature": self.signature}

    def state(self) -> dict[str, Any]:
        """Return the totals as plain values for JSON; `of_state` reads them."""
        one_best = None if self.one_best is None else str(self.one_best)
        return {**vars(self), "score": str(self.score), "one_best": one_best}

    @classmethod
    def of_state(cls, state: Mapping[str, Any]) -> Self:
        """Return the totals from the values that `state` returned."""
        one_best = None if state["one_best"] is None else Fraction(state["one_best"])
        return cls(**{**state, "score": Fraction(state["score"]), "one_best": one_best})
