"""Oracles of many graphs by one automaton, with references or without."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from latticemetric.batch.answers import Answer, failed
from latticemetric.batch.pairing import Pair
from latticemetric.batch.stream import Run, answered
from latticemetric.errors import placed
from latticemetric.lattice import Scales
from latticemetric.questions.oracles.automaton_oracle import automaton_oracle


def automaton_oracles(
    pairs: Iterable[Pair], automaton: Any, run: Run, *, scales: Scales | None = None
) -> Iterator[Answer]:
    """Answers pairs, in their order; those without references are valued by the automaton alone.

    Raises:
        InputError: A pair has a problem, unless failures are gone past: then it is an answer.
    """

    def answer(pair: Pair) -> Answer:
        if pair.problem is not None:
            raise pair.problem
        assert pair.entry is not None
        references = pair.said() or None
        with placed(pair.entry.place):
            return Answer(pair.name, automaton_oracle(pair.entry.build(), automaton, references, scales=scales))

    return answered(answer, failed, pairs, run)
