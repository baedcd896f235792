"""Trees in lines of letters: children below their parents, with the branches that lead to them."""

from __future__ import annotations

from collections.abc import Iterator

from latticemetric.drawing.diagram import WORD, Diagram
from latticemetric.drawing.letters import visible

_DEEPEST = 30


def tree_lines(diagram: Diagram) -> Iterator[str]:
    """A line a node or word; deep down, a number says how deep instead of more branches."""
    children: list[list[int]] = [[] for _ in diagram.vertices]
    for link in diagram.links:
        children[link.source].append(link.target)
    pending: list[tuple[int, str, str, int]] = [(0, "", "", 0)]
    while pending:
        vertex, branch, stem, depth = pending.pop()
        text = visible(diagram.vertices[vertex].text)
        shown = f"{text!r}" if diagram.vertices[vertex].shape == WORD and text != "…" else text
        yield f"{branch}{shown}"
        for place, child in reversed(list(enumerate(children[vertex]))):
            last = place + 1 == len(children[vertex])
            if depth >= _DEEPEST:
                pending.append((child, f"{stem}({depth + 1}) ", stem, depth + 1))
            else:
                ends = ("╰─ ", "   ") if last else ("├─ ", "│  ")
                pending.append((child, stem + ends[0], stem + ends[1], depth + 1))
