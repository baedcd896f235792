"""What text formats of n-best lists have in common: strict numbers, and what they can hold."""

from __future__ import annotations

import math
import re
from typing import Any

from latticemetric.errors import FormatError, InputError, UsageError, shortened
from latticemetric.formats.registry import Graph
from latticemetric.lattice import Lattice
from latticemetric.nbest import NBest
from latticemetric.vocabulary import split_words

NUMBER = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"

_NUMBER = re.compile(NUMBER)
_NOT_FINITE = re.compile(r"[-+]?(?:nan|inf|infinity)", re.IGNORECASE)
_MOST_DIGITS = 1000


def require_number(text: str, where: str) -> str:
    """The same text, if it spells a finite number in ASCII digits."""
    if _NOT_FINITE.fullmatch(text):
        raise InputError(f"score '{text}' is not finite", where=where)
    if len(text) > _MOST_DIGITS or not _NUMBER.fullmatch(text):
        raise FormatError(f"'{shortened(text, 40)}' is not a number", where=where)
    return text


def require_finite(value: float, text: str, where: str) -> float:
    """The same value, if it is finite."""
    if not math.isfinite(value):
        raise InputError(f"score '{shortened(text, 40)}' is not finite", where=where)
    return value


def cost_of(text: str, where: str) -> float:
    """The cost that a natural log probability means."""
    return 0.0 - require_finite(float(require_number(text, where)), text, where)


def require_nbest(graph: Graph, format_name: str) -> NBest:
    """Refuses lattices and forests."""
    if not isinstance(graph, NBest):
        kind = "a lattice" if isinstance(graph, Lattice) else "a forest"
        raise UsageError(f"{format_name} holds n-best lists, and this is {kind}", advice="write a format that holds it")
    return graph


def require_fields(texts: Any, format_name: str) -> None:
    """Refuses words and ids that would be read back as several, or as none."""
    for text in set(texts):
        if split_words(text) != [text]:
            raise UsageError(f"{shortened(text)!r} is empty or holds white space, which {format_name} cannot write")


def single_costs(graph: NBest, format_name: str) -> list[float]:
    """The only cost of each hypothesis, 0 where it has none; refuses lists with several scores or weights."""
    names = graph.score_names()
    if len(names) > 1:
        raise UsageError(
            f"{format_name} holds one score a hypothesis, and this list has {shortened(', '.join(names), 200)}",
            advice="write jsonl-nbest, which holds them all",
        )
    if any(graph.scales.get(name, 1.0) != 1 for name in names):
        raise UsageError(
            f"{format_name} cannot say that {shortened(names[0])} has a weight other than 1",
            advice="write jsonl-nbest, which can",
        )
    return [next(iter(h.scores.values()), 0.0) for h in graph.hypotheses]
