"""Diagrams in the language of Graphviz, for its own layouts and for editors of graphs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from latticemetric.drawing.diagram import (
    BOX,
    CIRCLE,
    END,
    GOAL,
    ROUND,
    TREE,
    WORD,
    Diagram,
    Link,
    Look,
    Vertex,
    looks_of,
)
from latticemetric.drawing.text_width import visible

_SHAPES = {
    CIRCLE: "shape=circle",
    END: "shape=doublecircle",
    BOX: "shape=box",
    WORD: "shape=plaintext",
    ROUND: 'shape=box, style="rounded"',
    GOAL: 'shape=box, style="rounded", peripheries=2',
}


def dot_text(diagram: Diagram) -> str:
    """Return a diagram as a `digraph`; ways are colours, styles and widths of lines, and marks in labels."""
    looks = looks_of(diagram.ways)
    legend = [
        " ".join(part for part in ("" if way is None else looks[way].mark, name, *caption.split()) if part)
        for way, name, caption in diagram.legend()
    ]
    below = _quoted([*legend, *diagram.omissions, *diagram.notes])
    lines = [
        "digraph {",
        f"  graph [rankdir={'TB' if diagram.kind == TREE else 'LR'}, label={below}];",
        "  node [height=0.3, margin=0.05];",
        *_vertices(diagram.vertices),
        *(_link(link, looks, "none" if diagram.kind == TREE else "normal") for link in diagram.links),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _vertices(vertices: Sequence[Vertex]) -> Iterator[str]:
    for number, vertex in enumerate(vertices):
        bold = ", penwidth=2.5" if vertex.ways else ""
        yield f"  {number} [label={_quoted([vertex.text, vertex.detail])}, {_SHAPES[vertex.shape]}{bold}];"


def _link(link: Link, looks: Sequence[Look], head: str) -> str:
    marks = "".join(looks[way].mark for way in link.ways)
    fields = [
        f"label={_quoted([' '.join(part for part in (link.label, marks) if part), link.detail])}",
        f"arrowhead={head}",
    ]
    if link.ways:
        look = looks[link.ways[0]]
        # Several colours are lines beside each other.
        fields += [
            f'color="{":".join(looks[way].light for way in link.ways)}"',
            f"style={'dashed' if look.dashes else 'solid'}",
            f"penwidth={look.width:g}",
        ]
    return f"  {link.source} -> {link.target} [{', '.join(fields)}];"


def _quoted(lines: Sequence[str]) -> str:
    """Return a string of some lines, none of whose letters mean anything to Graphviz."""
    texts = (visible(line).replace("\\", "\\\\").replace('"', '\\"') for line in lines if line)
    return '"' + "\\n".join(texts) + '"'
