"""Write diagrams in Graphviz's DOT language, for its layouts and for graph editors."""

from __future__ import annotations

from collections.abc import Sequence

from latticemetric.display.text import visible
from latticemetric.drawing.diagram import (
    BOX,
    CIRCLE,
    END,
    GOAL,
    ROUND,
    SHADE_COLOUR,
    SHADES,
    TREE,
    WORD,
    Diagram,
    Link,
    PathStyle,
    path_styles,
)

_SHAPES = {
    CIRCLE: "shape=circle",
    END: "shape=doublecircle",
    BOX: "shape=box",
    WORD: "shape=plaintext",
    ROUND: 'shape=box, style="rounded"',
    GOAL: 'shape=box, style="rounded", peripheries=2',
}


def dot_text(diagram: Diagram) -> str:
    """Return a diagram as a `digraph` in DOT.

    Highlighted paths are shown by the colour, style and width of lines, and by marks in labels.
    """
    styles = path_styles(diagram.paths)
    legend = [
        " ".join(part for part in ("" if path is None else styles[path].mark, name, *caption.split()) if part)
        for path, name, caption in diagram.legend()
    ]
    shading = [f"purple: {diagram.shading}"] if diagram.shading else []
    below = _quoted([*legend, *shading, *diagram.omissions, *diagram.notes])
    direction, head = ("TB", "none") if diagram.kind == TREE else ("LR", "normal")
    lines = ["digraph {", f"  graph [rankdir={direction}, label={below}];", "  node [height=0.3, margin=0.05];"]
    for number, vertex in enumerate(diagram.vertices):
        ink = ", penwidth=2.5" if vertex.paths else ""
        lines.append(f"  {number} [label={_quoted([vertex.text, vertex.detail])}, {_SHAPES[vertex.shape]}{ink}];")
    lines += [_link(link, styles, head) for link in diagram.links]
    return "\n".join([*lines, "}"]) + "\n"


def _link(link: Link, styles: Sequence[PathStyle], head: str) -> str:
    marks = "".join(styles[path].mark for path in link.paths)
    label = " ".join(part for part in (link.label, marks) if part)
    fields = [f"label={_quoted([label, link.detail])}", f"arrowhead={head}"]
    if link.paths:
        style = styles[link.paths[0]]
        # Graphviz draws several colours as parallel lines.
        fields += [
            f'color="{":".join(styles[path].light for path in link.paths)}"',
            f"style={'dashed' if style.dashes else 'solid'}",
            f"penwidth={style.width:g}",
        ]
    elif link.shade is not None:
        fields += [f'color="{SHADE_COLOUR}{round(255 * SHADES[link.shade]):02x}"', "penwidth=5"]
    return f"  {link.source} -> {link.target} [{', '.join(fields)}];"


def _quoted(lines: Sequence[str]) -> str:
    """Return lines as one quoted string in which Graphviz treats no character as special."""
    # Graphviz replaces entities of HTML, such as &#124;, also in plain labels.
    texts = (visible(line).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"') for line in lines if line)
    return '"' + "\\n".join(texts) + '"'
