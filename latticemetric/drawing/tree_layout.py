"""The layout of trees: parents above the middle of their children, no subtree beside which another one begins early."""

from __future__ import annotations

from latticemetric.drawing.diagram import Diagram
from latticemetric.drawing.legend import with_legend
from latticemetric.drawing.letters import visible
from latticemetric.drawing.picture import SIZE, Curve, Picture, Point, Shape, Text
from latticemetric.drawing.slots import vertex_size

_GAP, _LEVEL = 10.0, 52.0


def tree_layout(diagram: Diagram) -> Picture:
    """A picture of a tree whose links lead from parents to children, parents first."""
    children: list[list[int]] = [[] for _ in diagram.vertices]
    for link in diagram.links:
        children[link.source].append(link.target)
    sizes = [vertex_size(vertex) for vertex in diagram.vertices]
    # Parents stand before children: backwards, a subtree's width is known before it is asked for.
    room = [width + _GAP for width, _ in sizes]
    for vertex in reversed(range(len(children))):
        room[vertex] = max(room[vertex], sum(room[child] for child in children[vertex]))
    x, y = [room[0] / 2] * len(children), [sizes[0][1] / 2 + 2] * len(children)
    for vertex, below in enumerate(children):
        left = x[vertex] - sum(room[child] for child in below) / 2
        for child in below:
            x[child], y[child] = left + room[child] / 2, y[vertex] + _LEVEL
            left += room[child]
    shapes = [Shape(v.shape, x[n], y[n], *sizes[n], v.ways) for n, v in enumerate(diagram.vertices)]
    texts = [
        Text(x[n], y[n] + 0.36 * SIZE, visible(v.text), SIZE, role="state") for n, v in enumerate(diagram.vertices)
    ]
    curves = []
    for link in diagram.links:
        begin = Point(x[link.source], shapes[link.source].rectangle.bottom)
        end = Point(x[link.target], shapes[link.target].rectangle.top)
        middle = (begin.y + end.y) / 2
        curves.append(Curve((begin, Point(begin.x, middle), Point(end.x, middle), end), link.ways, arrow=False))
    bottom = max(shape.rectangle.bottom for shape in shapes) + 2
    return with_legend(Picture(room[0], bottom, diagram.title, (), tuple(shapes), tuple(curves), tuple(texts)), diagram)
