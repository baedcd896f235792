"""Pictures for terminals: a main path with what leaves it and comes back below, trees, and lists of all the rest."""

from __future__ import annotations

from collections.abc import Iterator

from latticemetric.alignment import display_width
from latticemetric.drawing.diagram import LATTICE, NETWORK, TREE, Diagram
from latticemetric.drawing.letters import visible
from latticemetric.drawing.listing import listed
from latticemetric.drawing.looks import looks_of
from latticemetric.drawing.terminal_rows import drawn_rows
from latticemetric.drawing.terminal_tree import tree_lines

WIDTH = 100
"""Columns of a terminal, where it does not say."""


def terminal_text(diagram: Diagram, width: int | None = WIDTH) -> str:
    """A diagram in letters.

    Args:
        diagram: The diagram.
        width: Columns that there are; what is wider becomes a list, and says so. `None`: as many as it takes.
    """
    drawn, notes = diagram.kind in {LATTICE, NETWORK}, [*diagram.omissions, *diagram.notes]
    if diagram.kind == TREE:
        body = list(tree_lines(diagram))
    elif drawn:
        body = drawn_rows(diagram)
        needed = max(map(display_width, body), default=0)
        if width is not None and needed > width:
            drawn, body = False, listed(diagram)
            notes.append(f"A list, since the picture would be {needed} columns wide, and there are {width}.")
    else:
        body = listed(diagram)
    below = [*_legend(diagram, drawn=drawn), *map(visible, notes)]
    return "\n".join([*body, *([""] if below else []), *below]) + "\n"


def _legend(diagram: Diagram, *, drawn: bool) -> Iterator[str]:
    """A line for each way, with the sign that it has above."""
    looks = looks_of(diagram.ways)
    rows = [(way, visible(name), visible(caption)) for way, name, caption in diagram.legend()]
    width = max((display_width(name) for _, name, _ in rows), default=0)
    for way, name, caption in rows:
        sign = "   " if way is None else "═══" if drawn and way == 0 else f" {looks[way].mark} "
        yield f"{sign}  {name}{' ' * (width - display_width(name))}   {caption}".rstrip()
