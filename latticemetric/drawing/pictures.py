"""Pictures of graphs as elements of pages."""

from __future__ import annotations

from typing import Any

from latticemetric.drawing.drawings import draw


def svg(graph: Any, ways: Any = None, *, standalone: bool = False, **asked: Any) -> str:
    """A graph as the text of an SVG element, which is the same for the same graph.

    Args:
        graph: What `draw` takes.
        ways: Names of highlighted ways and their arcs, like `{"oracle": best.arcs, "1-best": best.one_best.arcs}`.
            `oracle`, `1-best` and `mbr` have looks of their own.
        standalone: Whether it is to be a file: then ink is dark on light ground, and light on dark. Otherwise it has
            the colour of the page's text.
        **asked: What else `draw` takes: `posteriors`, `scores`, `times`, `most_states`, `scales`, `captions`, `title`.
    """
    return draw(graph, ways=ways, **asked).svg(standalone=standalone)
