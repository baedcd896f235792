"""Oracles of many graphs by one automaton, with references or without."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from latticemetric.batch.answers import Answer
from latticemetric.batch.pairing import Pair
from latticemetric.batch.workers import map_in_order
from latticemetric.errors import InputError, placed
from latticemetric.lattice import Scales
from latticemetric.questions.oracles.automaton_oracle import automaton_oracle


def automaton_oracles(
    pairs: Iterable[Pair], automaton: Any, *, scales: Scales | None = None, keep_going: bool = False, workers: int = 1
) -> Iterator[Answer]:
    """Answers pairs, in their order; those without references are valued by the automaton alone.

    Raises:
        InputError: A pair has a problem, unless `keep_going`: then it is an answer.
    """

    def answer(pair: Pair) -> Answer:
        try:
            if pair.problem is not None:
                raise pair.problem
            assert pair.entry is not None
            references = pair.said() or None
            with placed(pair.entry.place):
                return Answer(pair.name, automaton_oracle(pair.entry.build(), automaton, references, scales=scales))
        except InputError as error:
            if not keep_going:
                raise
            return Answer(pair.name, None, error)

    return map_in_order(answer, pairs, workers)
