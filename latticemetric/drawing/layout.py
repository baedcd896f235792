"""Layouts: diagrams in columns from left to right, in which nothing overlaps; and trees."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from latticemetric.drawing.diagram import BOXES, Diagram, Link, Vertex
from latticemetric.drawing.legend import with_legend
from latticemetric.drawing.picture import APART, ASCENT, DESCENT, SIZE, SMALL, Curve, Picture, Point, Shape, Text
from latticemetric.drawing.text_width import text_width, visible

# ---- The columns of a layered drawing: every vertex, every label and every stretch of a link has a slot in one ----
#
# States stand in even columns, labels in odd ones. A link passes each column between its ends in a slot of its own,
# which nothing else may touch: so no line crosses a label or a vertex, however long it is.

RADIUS = 13.0
LOOP = 12.0
"""How high a link from a vertex to itself rises."""

_PADDING = 7.0
_ABOVE_LINE = 4.0
# How much more the first highlighted way, and others, want to be straight than the rest.
_STRAIGHTEST, _STRAIGHT = 60.0, 12.0


@dataclass
class Slots:
    """Slots, by number: vertices first, in their order.

    Attributes:
        column: The column of each.
        up: How far it reaches above its line.
        down: How far below.
        width: How much of its column's width it takes.
        left: Its neighbours in the column before.
        right: Its neighbours in the column after.
        chains: Of each link its slots, from source to target; of a link to itself the vertex's alone.
        labelled: Of each link the slot where its label stands.
        stiffness: How much a slot wants to be in line with its neighbours.
    """

    column: list[int] = field(default_factory=list)
    up: list[float] = field(default_factory=list)
    down: list[float] = field(default_factory=list)
    width: list[float] = field(default_factory=list)
    left: list[list[int]] = field(default_factory=list)
    right: list[list[int]] = field(default_factory=list)
    chains: list[list[int]] = field(default_factory=list)
    labelled: list[int] = field(default_factory=list)
    stiffness: list[float] = field(default_factory=list)

    def add(self, column: int, up: float, down: float, width: float, stiffness: float = 1.0) -> int:
        """Return a new slot; returns its number."""
        self.column.append(column)
        self.up.append(up)
        self.down.append(down)
        self.width.append(width)
        self.left.append([])
        self.right.append([])
        self.stiffness.append(stiffness)
        return len(self.column) - 1

    def join(self, first: int, second: int) -> None:
        """Make neighbours of two slots."""
        self.right[first].append(second)
        self.left[second].append(first)


def vertex_size(vertex: Vertex) -> tuple[float, float]:
    """Width and height."""
    width = text_width(visible(vertex.text), SMALL if vertex.shape not in BOXES else SIZE) + 2 * _PADDING
    if vertex.shape in BOXES:
        return width, 2 * RADIUS
    size = max(2 * RADIUS, width)
    return size, size


def label_size(link: Link) -> tuple[float, float, float]:
    """What a label needs above its line, below it, and sideways."""
    lines = APART * max(0, len(link.ways) - 1) / 2
    above = lines + (_ABOVE_LINE + (ASCENT + DESCENT) * SIZE if link.label else 3.0)
    below = lines + (_ABOVE_LINE + (ASCENT + DESCENT) * SMALL if link.detail else 3.0)
    width = max(text_width(visible(link.label), SIZE), text_width(visible(link.detail), SMALL))
    return above, below, width + 2 * _PADDING if width else 0.0


def slots_of(diagram: Diagram, layers: Sequence[int]) -> Slots:
    """Return the slots of a diagram whose vertices stand in these layers."""
    slots = Slots()
    for vertex, layer in zip(diagram.vertices, layers, strict=True):
        width, height = vertex_size(vertex)
        below = (ASCENT + DESCENT) * SMALL + 2 if vertex.detail else 0.0
        wide = max(width, text_width(visible(vertex.detail), SMALL) + _PADDING)
        slots.add(2 * layer, height / 2 + 2, height / 2 + 2 + below, wide, _straightness(vertex.ways))
    for link in diagram.links:
        if link.source == link.target:
            _add_loop(slots, link)
        else:
            _add_chain(slots, link)
    return slots


def _add_loop(slots: Slots, link: Link) -> None:
    """Return a link to the vertex itself rises above it, with everything that is written on it above its line."""
    above, below, width = label_size(link)
    slots.up[link.source] += LOOP + above + below
    slots.width[link.source] = max(slots.width[link.source], width)
    slots.chains.append([link.source])
    slots.labelled.append(link.source)


def _add_chain(slots: Slots, link: Link) -> None:
    """Return a slot a column; the label in the middle, where there are as many columns before it as behind."""
    first, last = slots.column[link.source], slots.column[link.target]
    assert first < last
    above, below, width = label_size(link)
    at = first + 1 + 2 * ((last - first - 1) // 4)
    straight = _straightness(link.ways)
    thin = 4.0 + APART * max(0, len(link.ways) - 1) / 2
    chain = [link.source]
    for column in range(first + 1, last):
        here = column == at
        size = (above, below, width) if here else (thin, thin, 0.0)
        chain.append(slots.add(column, *size, stiffness=straight * (1.0 if here else 4.0)))
        if here:
            slots.labelled.append(chain[-1])
    chain.append(link.target)
    for before, after in itertools.pairwise(chain):
        slots.join(before, after)
    slots.chains.append(chain)


def _straightness(ways: tuple[int, ...]) -> float:
    if not ways:
        return 1.0
    return _STRAIGHTEST if 0 in ways else _STRAIGHT


# ---- Which slot of a column stands above which: few crossings, by barycentres (Sugiyama, Tagawa & Toda 1981) ----

_SWEEPS = 12
_SWAPS = 8

Columns = list[list[int]]


def ordered_columns(slots: Slots) -> Columns:
    """Return the slots of each column from above; the best order that some sweeps to and fro have met."""
    columns = _first_order(slots)
    best, fewest = [list(column) for column in columns], crossings(slots, columns)
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        _sweep(slots, columns, forth=sweep % 2 == 0)
        _swap(slots, columns)
        found = crossings(slots, columns)
        if found < fewest:
            best, fewest = [list(column) for column in columns], found
    return best


def _first_order(slots: Slots) -> Columns:
    """As a walk that goes on before it goes back meets them: what belongs together stands together."""
    columns: Columns = [[] for _ in range(1 + max(slots.column))]
    met = [False] * len(slots.column)
    starts = [slot for slot, left in enumerate(slots.left) if not left]
    pending = list(reversed(starts))
    while pending:
        slot = pending.pop()
        if not met[slot]:
            met[slot] = True
            columns[slots.column[slot]].append(slot)
            pending.extend(reversed(slots.right[slot]))
    return columns


def _sweep(slots: Slots, columns: Columns, *, forth: bool) -> None:
    """Sort each column by the mean places of its neighbours in the one before."""
    neighbours = slots.left if forth else slots.right
    for place in range(len(columns)) if forth else reversed(range(len(columns))):
        beside = place - 1 if forth else place + 1
        if not 0 <= beside < len(columns):
            continue
        rank = {slot: number for number, slot in enumerate(columns[beside])}
        own = {slot: number for number, slot in enumerate(columns[place])}
        columns[place].sort(key=lambda slot: (_mean([rank[n] for n in neighbours[slot]], own[slot]), own[slot]))


def _swap(slots: Slots, columns: Columns) -> None:
    """Exchange what stands next to each other as long as fewer lines cross then."""
    rank = {slot: number for column in columns for number, slot in enumerate(column)}
    for _ in range(_SWAPS):
        swapped = False
        for column in columns:
            for place in range(len(column) - 1):
                above, below = column[place], column[place + 1]
                if _gain(slots, rank, above, below) > 0:
                    column[place], column[place + 1] = below, above
                    rank[above], rank[below] = rank[below], rank[above]
                    swapped = True
        if not swapped:
            break


def _gain(slots: Slots, rank: dict[int, int], above: int, below: int) -> int:
    """How many crossings fewer there are if two neighbours change places."""
    gain = 0
    for side in (slots.left, slots.right):
        for first in side[above]:
            for second in side[below]:
                gain += (rank[first] > rank[second]) - (rank[first] < rank[second])
    return gain


def _mean(places: Sequence[int], otherwise: int) -> float:
    return sum(places) / len(places) if places else otherwise


def crossings(slots: Slots, columns: Columns) -> int:
    """How many pairs of lines cross."""
    total = 0
    for left, right in itertools.pairwise(columns):
        rank = {slot: number for number, slot in enumerate(right)}
        reached: list[int] = []
        for slot in left:
            ends = sorted(rank[neighbour] for neighbour in slots.right[slot])
            total += sum(len(reached) - bisect_right(reached, end) for end in ends)
            for end in ends:
                insort(reached, end)
    return total


# ---- How high the slots of ordered columns stand: near their neighbours, and never in each other ----

_PLACING_SWEEPS = 24
_GAP = 3.0


def heights(slots: Slots, columns: Columns) -> list[float]:
    """Return the line of each slot.

    Every column in turn takes the places that are nearest to its neighbours' (least squares), exactly, given that its
    order stays and that nothing overlaps.
    """
    found = [0.0] * len(slots.column)
    for column in columns:
        _place(slots, column, [0.0] * len(column), [1.0] * len(column), found)
    for sweep in range(_PLACING_SWEEPS):
        forth = sweep % 2 == 0
        # At first from one side, so that what is far away is heard of; then between both.
        sides = [slots.left if forth else slots.right] if sweep < _PLACING_SWEEPS // 2 else [slots.left, slots.right]
        for column in columns if forth else reversed(columns):
            wanted, weights = zip(*(_wanted(slots, slot, sides, found) for slot in column), strict=True)
            _place(slots, column, wanted, weights, found)
    top = min(line - up for line, up in zip(found, slots.up, strict=True))
    return [line - top for line in found]


def _wanted(slots: Slots, slot: int, sides: Sequence[list[list[int]]], found: Sequence[float]) -> tuple[float, float]:
    """Where a slot would like to be, and how much."""
    pairs = [(found[n], slots.stiffness[n] * slots.stiffness[slot]) for side in sides for n in side[slot]]
    weight = sum(w for _, w in pairs)
    return (sum(y * w for y, w in pairs) / weight, weight) if pairs else (found[slot], 0.01)


def _place(
    slots: Slots, column: Sequence[int], wanted: Sequence[float], weights: Sequence[float], found: list[float]
) -> None:
    """The nearest places that keep the distances: isotonic regression of what is left when they are taken away."""
    offset = [0.0]
    for above, below in itertools.pairwise(column):
        offset.append(offset[-1] + slots.down[above] + _GAP + slots.up[below])
    pools: list[tuple[float, float, int]] = []
    for place, own, distance in zip(wanted, weights, offset, strict=True):
        mean, weight, size = place - distance, own, 1
        while pools and pools[-1][0] > mean:
            before, heavy, many = pools.pop()
            mean = (before * heavy + mean * weight) / (heavy + weight)
            weight, size = weight + heavy, size + many
        pools.append((mean, weight, size))
    means = (mean for mean, _, size in pools for _ in range(size))
    for slot, mean, distance in zip(column, means, offset, strict=True):
        found[slot] = mean + distance


# ---- The layered layout: a diagram in columns from left to right, in which nothing overlaps ----

_NARROWEST, _WIDEST = 14.0, 70.0
_SLOPE = 0.3
_NEAR, _LEVEL = 0.01, 1.0


def layered(diagram: Diagram) -> Picture:
    """Return a picture of a diagram."""
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
    """Return the layer of each vertex: how long the longest way to it is, by links."""
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
        """Return the highest point of a loop."""
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
    """Go on horizontally, and arrives so; what is hardly higher or lower is not bent to."""
    if abs(end.y - points[-1].y) < _LEVEL:
        _line_to(points, Point(end.x, points[-1].y))
        return
    middle = (points[-1].x + end.x) / 2
    points += [Point(middle, points[-1].y), Point(middle, end.y), end]


def _line_to(points: list[Point], end: Point) -> None:
    """Go straight on, if there is anywhere to go."""
    if abs(end.x - points[-1].x) <= _NEAR:
        return
    if len(points) > 1 and points[-4:-1] == [points[-4], points[-4], points[-1]] and points[-4].y == end.y:
        del points[-3:]  # one line instead of two
    points += [points[-1], end, end]


# ---- The layout of trees: parents above the middle of their children, no subtree beside which another one begins
# early ----

_TREE_GAP, _TREE_LEVEL = 10.0, 52.0


def tree_layout(diagram: Diagram) -> Picture:
    """Return a picture of a tree whose links lead from parents to children, parents first."""
    children: list[list[int]] = [[] for _ in diagram.vertices]
    for link in diagram.links:
        children[link.source].append(link.target)
    sizes = [vertex_size(vertex) for vertex in diagram.vertices]
    # Parents stand before children: backwards, a subtree's width is known before it is asked for.
    room = [width + _TREE_GAP for width, _ in sizes]
    for vertex in reversed(range(len(children))):
        room[vertex] = max(room[vertex], sum(room[child] for child in children[vertex]))
    x, y = [room[0] / 2] * len(children), [sizes[0][1] / 2 + 2] * len(children)
    for vertex, below in enumerate(children):
        left = x[vertex] - sum(room[child] for child in below) / 2
        for child in below:
            x[child], y[child] = left + room[child] / 2, y[vertex] + _TREE_LEVEL
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
