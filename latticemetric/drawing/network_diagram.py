"""Confusion networks as diagrams: words that might stand in one place, the most probable first."""

from __future__ import annotations

from collections.abc import Sequence

from latticemetric.drawing.details import probability
from latticemetric.drawing.diagram import CIRCLE, END, NETWORK, Diagram, Link, Vertex
from latticemetric.drawing.lattice_diagram import NOTHING

Bin = Sequence[tuple[str, float]]
"""Words and their posteriors, the most probable first; the empty word is none."""

BEST = "consensus"
"""The way of the best words."""


def network_diagram(
    bins: Sequence[Bin], *, title: str = "confusion network", least: float = 0.01, most_states: int | None = None
) -> Diagram:
    """A confusion network, without words that are hardly probable, and without bins that most probably have none.

    Args:
        bins: The bins.
        title: What it is.
        least: Words of smaller posteriors are left out, save the best of each bin.
        most_states: How many bins are drawn, less one; `None` for all.
    """
    kept = [[pair for rank, pair in enumerate(words) if rank == 0 or pair[1] >= least] for words in bins]
    spoken = [words for words in kept if any(word for word, _ in words)]
    drawn = spoken if most_states is None else spoken[: max(1, most_states - 1)]
    links = tuple(
        Link(place, place + 1, word or NOTHING, probability(posterior), (0,) if rank == 0 else ())
        for place, words in enumerate(drawn)
        for rank, (word, posterior) in enumerate(words)
    )
    vertices = tuple(
        Vertex(str(place), END if place == len(drawn) else CIRCLE, ways=(0,) if drawn else ())
        for place in range(len(drawn) + 1)
    )
    omissions = _omissions(sum(map(len, bins)) - sum(map(len, spoken)), least, len(drawn), len(spoken))
    return Diagram(NETWORK, title, vertices, links, (BEST,), omissions=omissions)


def _omissions(words: int, least: float, drawn: int, bins: int) -> tuple[str, ...]:
    found = []
    if drawn < bins:
        found.append(f"Shown: {drawn} of {bins} bins, the first ones.")
    if words:
        found.append(f"{words} entries are left out: posteriors below {least:g}, and bins that hold nothing else.")
    return tuple(found)
