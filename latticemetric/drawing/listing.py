"""Diagrams as lists: what is too large, or too entangled, to be drawn with letters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from latticemetric.alignment import display_width
from latticemetric.drawing.diagram import BOX, END, FOREST, GOAL, Diagram, Vertex
from latticemetric.drawing.letters import visible
from latticemetric.drawing.looks import looks_of


def listed(diagram: Diagram) -> list[str]:
    """A line a link with its ends; of forests a line a rule with its head and its tails. Marks of ways come first."""
    marks = [look.mark for look in looks_of(diagram.ways)]
    rows = list((_rules if diagram.kind == FOREST else _links)(diagram, marks))
    return _aligned(rows)


def _links(diagram: Diagram, marks: Sequence[str]) -> Iterator[list[str]]:
    for link in sorted(diagram.links, key=lambda link: link.source):
        ends = [_named(diagram.vertices[end]) for end in (link.source, link.target)]
        yield [_marks(link.ways, marks), ends[0], "→", ends[1], visible(link.label), visible(link.detail)]


def _rules(diagram: Diagram, marks: Sequence[str]) -> Iterator[list[str]]:
    heads = {link.target: link.source for link in diagram.links if diagram.vertices[link.target].shape == BOX}
    tails: dict[int, list[int]] = {rule: [] for rule in heads}
    for link in diagram.links:
        if link.source in tails:
            tails[link.source].append(link.target)
    for rule, head in sorted(heads.items(), key=lambda pair: (pair[1], pair[0])):
        vertex = diagram.vertices[rule]
        rest = " ".join(f"[{k}] = {_named(diagram.vertices[tail])}" for k, tail in enumerate(tails[rule], start=1))
        said = [visible(vertex.text), visible(vertex.detail), rest]
        yield [_marks(vertex.ways, marks), _named(diagram.vertices[head]), "→", *said]


def _named(vertex: Vertex) -> str:
    text = " ".join(part for part in (visible(vertex.text), visible(vertex.detail)) if part)
    return f"(({text}))" if vertex.shape in {END, GOAL} else f"({text})"


def _marks(ways: Sequence[int], marks: Sequence[str]) -> str:
    return "".join(mark if way in ways else " " for way, mark in enumerate(marks))


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns under each other; those that are empty throughout are none."""
    columns = [column for column in zip(*rows, strict=True) if any(column)]
    widths = [max(map(display_width, column)) for column in columns]
    return [
        "  ".join(cell + " " * (width - display_width(cell)) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in zip(*columns, strict=True)
    ]
