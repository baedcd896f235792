"""The layered layout: a diagram in columns from left to right, in which nothing overlaps."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from latticemetric.drawing.diagram import BOXES, Diagram
from latticemetric.drawing.legend import with_legend
from latticemetric.drawing.letters import visible
from latticemetric.drawing.ordering import Columns, ordered_columns
from latticemetric.drawing.picture import APART, ASCENT, DESCENT, SIZE, SMALL, Curve, Picture, Point, Shape, Text
from latticemetric.drawing.placing import heights
from latticemetric.drawing.slots import LOOP, Slots, label_size, slots_of, vertex_size

_NARROWEST, _WIDEST = 14.0, 70.0
_SLOPE = 0.3
_NEAR, _LEVEL = 0.01, 1.0


def layered(diagram: Diagram) -> Picture:
    """A picture of a diagram."""
    slots = slots_of(diagram, layers_of(diagram))
    columns = ordered_columns(slots)
    y = heights(slots, columns)
    left = _borders(slots, columns, y)
    drawn = _Drawing(diagram, slots, y, left)
    bottom = max(line + down for line, down in zip(y, slots.down, strict=True))
    return with_legend(
        Picture(
            left[-1][1],
            bottom,
            diagram.title,
            diagram.ways,
            tuple(drawn.shapes()),
            tuple(drawn.curve(number) for number in range(len(diagram.links))),
            tuple(drawn.texts()),
        ),
        diagram,
    )


def layers_of(diagram: Diagram) -> list[int]:
    """The layer of each vertex: how long the longest way to it is, by links."""
    import networkx as nx

    graph = nx.DiGraph((link.source, link.target) for link in diagram.links if link.source != link.target)
    graph.add_nodes_from(range(len(diagram.vertices)))
    layers = [0] * len(diagram.vertices)
    for layer, vertices in enumerate(nx.topological_generations(graph)):
        for vertex in vertices:
            layers[vertex] = layer
    return layers


def _borders(slots: Slots, columns: Columns, y: Sequence[float]) -> list[tuple[float, float]]:
    """Left and right of each column; between two the room that the steepest line needs to bend."""
    borders: list[tuple[float, float]] = []
    right = 0.0
    for place, column in enumerate(columns):
        if place:
            steps = [abs(y[slot] - y[n]) for slot in column for n in slots.left[slot]]
            right += min(_WIDEST, _NARROWEST + _SLOPE * max(steps, default=0.0))
        borders.append((right, right + max(slots.width[slot] for slot in column)))
        right = borders[-1][1]
    return borders


class _Drawing:
    """A diagram whose slots have their places."""

    def __init__(
        self, diagram: Diagram, slots: Slots, y: Sequence[float], borders: Sequence[tuple[float, float]]
    ) -> None:
        self.diagram, self.slots, self.y, self.borders = diagram, slots, y, borders

    def centre(self, slot: int) -> Point:
        left, right = self.borders[self.slots.column[slot]]
        return Point((left + right) / 2, self.y[slot])

    def shapes(self) -> Iterator[Shape]:
        for number, vertex in enumerate(self.diagram.vertices):
            yield Shape(vertex.shape, *self.centre(number), *vertex_size(vertex), vertex.ways)

    def curve(self, number: int) -> Curve:
        link, chain = self.diagram.links[number], self.slots.chains[number]
        if link.source == link.target:
            return Curve(self._loop(number), link.ways)
        points = [self._port(link.source, chain[1], 1)]
        _line_to(points, Point(self.borders[self.slots.column[link.source]][1], points[0].y))
        for slot in chain[1:-1]:
            left, right = self.borders[self.slots.column[slot]]
            if left == right:
                continue  # a column without labels: nothing stands in the way there
            _bend_to(points, Point(left, self.y[slot]))
            _line_to(points, Point(right, points[-1].y))
        end = self._port(link.target, chain[-2], -1)
        _bend_to(points, Point(self.borders[self.slots.column[link.target]][0], end.y))
        _line_to(points, Point(end.x, points[-1].y))
        return Curve(tuple(points), link.ways)

    def texts(self) -> Iterator[Text]:
        for number, vertex in enumerate(self.diagram.vertices):
            x, y = self.centre(number)
            size = SIZE if vertex.shape in BOXES else SMALL
            yield Text(x, y + 0.36 * size, visible(vertex.text), size, role="state")
            if vertex.detail:
                below = y + vertex_size(vertex)[1] / 2 + 2 + ASCENT * SMALL
                yield Text(x, below, visible(vertex.detail), SMALL, role="detail")
        for number, link in enumerate(self.diagram.links):
            x, line = self.centre(self.slots.labelled[number])
            lines = APART * max(0, len(link.ways) - 1) / 2
            above = below = line
            if link.source == link.target:
                # Both above: the label over what is written small.
                below = self._top(number) - label_size(link)[1] - lines
                above = below + (lines if link.detail else 0.0)
            if link.label:
                yield Text(x, above - lines - 4 - DESCENT * SIZE, visible(link.label), SIZE)
            if link.detail:
                yield Text(x, below + lines + 4 + ASCENT * SMALL, visible(link.detail), SMALL, role="detail")

    def _port(self, vertex: int, towards: int, side: int) -> Point:
        """Where a link leaves or reaches a vertex: on its border, a little towards where it comes from."""
        x, y = self.centre(vertex)
        width, height = vertex_size(self.diagram.vertices[vertex])
        shift = 0.33 * height * math.tanh((self.y[towards] - y) / (1.5 * height))
        if self.diagram.vertices[vertex].shape in BOXES:
            return Point(x + side * width / 2, y + shift)
        return Point(x + side * math.sqrt(width**2 / 4 - shift**2), y + shift)

    def _top(self, number: int) -> float:
        """The highest point of a loop."""
        vertex = self.diagram.links[number].source
        return self.y[vertex] - vertex_size(self.diagram.vertices[vertex])[1] / 2 - LOOP

    def _loop(self, number: int) -> tuple[Point, ...]:
        """From the upper right of a vertex over the line to its upper left."""
        vertex = self.diagram.links[number].source
        x, y = self.centre(vertex)
        side = 0.35 * vertex_size(self.diagram.vertices[vertex])[1]
        top = self._top(number)
        begin, end = Point(x + side, y - side), Point(x - side, y - side)
        width = 1.6 * side
        return (
            begin,
            Point(x + width, (y + top) / 2 - side),
            Point(x + width, top),
            Point(x, top),
            Point(x - width, top),
            Point(x - width, (y + top) / 2 - side),
            end,
        )


def _bend_to(points: list[Point], end: Point) -> None:
    """Goes on horizontally, and arrives so; what is hardly higher or lower is not bent to."""
    if abs(end.y - points[-1].y) < _LEVEL:
        _line_to(points, Point(end.x, points[-1].y))
        return
    middle = (points[-1].x + end.x) / 2
    points += [Point(middle, points[-1].y), Point(middle, end.y), end]


def _line_to(points: list[Point], end: Point) -> None:
    """Goes straight on, if there is anywhere to go."""
    if abs(end.x - points[-1].x) <= _NEAR:
        return
    if len(points) > 1 and points[-4:-1] == [points[-4], points[-4], points[-1]] and points[-4].y == end.y:
        del points[-3:]  # one line instead of two
    points += [points[-1], end, end]
