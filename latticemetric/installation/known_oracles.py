"""Each engine is asked for oracles that are known."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from latticemetric.errors import InputError
from latticemetric.installation.checks import Subject

if TYPE_CHECKING:
    from latticemetric.lattice import Lattice

# "the" or "a", "cat" or "bat", "sat", and perhaps "down", which costs more: the model prefers "a bat sat".
_REFERENCE = "the black cat sat down"
_CHEAPEST = "a bat sat"
_BEST = "the cat sat down"
# One word of five is deleted. Four words of five match, and of their n-grams "cat sat", "sat down" and "cat sat down":
# 7 of the 5 + 4 + 3 + 2 that the reference has.
_KNOWN = {"wer": (1, 5), "4-grr": (7, 14)}


def subjects() -> list[Subject]:
    """The engines."""
    return [
        Subject("native engine", "oracles", partial(_oracles, "native"), "oracles", required=True),
        Subject("openfst engine", "oracles", partial(_oracles, "openfst"), "--engine openfst", "install pynini"),
    ]


def _oracles(engine: str) -> str:
    for needed in ("numpy", "latticemetric._native", *(["pynini"] if engine == "openfst" else [])):
        import_module(needed)
    for metric, known in _KNOWN.items():
        _check(engine, metric, known)
    return "finds known oracles"


def _check(engine: str, metric: str, known: tuple[int, int]) -> None:
    from latticemetric.questions.oracles.oracle import oracle

    best = oracle(_lattice(), _REFERENCE, metric, engine=engine)
    found = (" ".join(best.words), (best.numerator, best.denominator), " ".join(best.one_best.words))
    if found != (_BEST, known, _CHEAPEST):
        raise InputError(f"the oracle of {metric} came out as {found}")


def _lattice() -> Lattice:
    import numpy as np

    from latticemetric.lattice import Column, Lattice
    from latticemetric.vocabulary import Vocabulary

    cost = Column(np.array([1, 0.5, 0.5, 0.25, 0, 0]), np.array([0.0, 1.0]))
    return Lattice.from_arcs(
        [0, 0, 1, 1, 2, 3],
        [1, 1, 2, 2, 3, 4],
        [1, 2, 3, 4, 5, 6],
        final=[3, 4],
        scores={"cost": cost},
        vocabulary=Vocabulary.from_words(["the", "a", "cat", "bat", "sat", "down"]),
    )
