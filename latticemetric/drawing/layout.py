"""Lay out diagrams: graphs in columns from left to right without overlaps, and trees from top to bottom.

The layered layout follows Sugiyama, Tagawa & Toda (1981): links become chains of one node per column; columns are
ordered for few crossings; then each node gets its vertical position.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from latticemetric.display.text import visible
from latticemetric.drawing.diagram import BOXES, Diagram, Link, Vertex
from latticemetric.drawing.legend import with_legend
from latticemetric.drawing.picture import (
    ASCENT,
    DESCENT,
    LINE_SPACING,
    SIZE,
    SMALL,
    Curve,
    Picture,
    PlacedText,
    Position,
    Shape,
    text_width,
)

# ---- Layered graphs ----

RADIUS = 13.0
LOOP = 12.0
"""The height of a link from a vertex to itself."""

_PADDING = 7.0
_ABOVE_LINE = 4.0
# Weights that keep highlighted paths straighter than other links: for the first path, and for the other paths.
_STRAIGHTEST, _STRAIGHT = 60.0, 12.0


@dataclass
class LayeredGraph:
    """Nodes in columns. The first nodes are the vertices of the diagram, in order; then come the nodes of links.

    Vertices are in even columns, labels are in odd columns. A link has one node in each column between its ends. Nodes
    do not overlap, so no line crosses a label or a vertex.
    """

    column: list[int] = field(default_factory=list)
    up: list[float] = field(default_factory=list)  # the space that each node needs above its line
    down: list[float] = field(default_factory=list)  # the space that each node needs below its line
    width: list[float] = field(default_factory=list)
    left: list[list[int]] = field(default_factory=list)  # the neighbours of each node in the column before
    right: list[list[int]] = field(default_factory=list)  # the neighbours of each node in the column after
    stiffness: list[float] = field(default_factory=list)  # the weight that keeps a node in line with its neighbours
    chains: list[list[int]] = field(default_factory=list)  # the nodes of each link; of a self-loop, only the vertex
    labelled: list[int] = field(default_factory=list)  # the node of each link's label

    def add(self, column: int, up: float, down: float, width: float, stiffness: float = 1.0) -> int:
        """Add a node, and return its number."""
        self.column.append(column)
        self.up.append(up)
        self.down.append(down)
        self.width.append(width)
        self.left.append([])
        self.right.append([])
        self.stiffness.append(stiffness)
        return len(self.column) - 1


def vertex_size(vertex: Vertex) -> tuple[float, float]:
    """Return the width and height of a vertex."""
    width = text_width(visible(vertex.text), SMALL if vertex.shape not in BOXES else SIZE) + 2 * _PADDING
    if vertex.shape in BOXES:
        return width, 2 * RADIUS
    size = max(2 * RADIUS, width)
    return size, size


def label_size(link: Link) -> tuple[float, float, float]:
    """Return three lengths that the texts of a link need: above its line, below its line, and the width."""
    lines = _half_width(link)
    above = lines + (_ABOVE_LINE + (ASCENT + DESCENT) * SIZE if link.label else 3.0)
    below = lines + (_ABOVE_LINE + (ASCENT + DESCENT) * SMALL if link.detail else 3.0)
    width = max(text_width(visible(link.label), SIZE), text_width(visible(link.detail), SMALL))
    return above, below, width + 2 * _PADDING if width else 0.0


def _half_width(link: Link) -> float:
    """Return half the total width of the path lines of a link."""
    return LINE_SPACING * max(0, len(link.paths) - 1) / 2


def layered_graph(diagram: Diagram, layers: Sequence[int]) -> LayeredGraph:
    """Build the layered graph of a diagram; `layers` has the layer of each vertex."""
    graph = LayeredGraph()
    for vertex, layer in zip(diagram.vertices, layers, strict=True):
        width, height = vertex_size(vertex)
        below = (ASCENT + DESCENT) * SMALL + 2 if vertex.detail else 0.0
        wide = max(width, text_width(visible(vertex.detail), SMALL) + _PADDING)
        graph.add(2 * layer, height / 2 + 2, height / 2 + 2 + below, wide, _straightness(vertex.paths))
    for link in diagram.links:
        if link.source == link.target:  # a self-loop: above its vertex, texts above the line
            above, below, width = label_size(link)
            graph.up[link.source] += LOOP + above + below
            graph.width[link.source] = max(graph.width[link.source], width)
            graph.chains.append([link.source])
            graph.labelled.append(link.source)
        else:
            _add_chain(graph, link)
    return graph


def _add_chain(graph: LayeredGraph, link: Link) -> None:
    """Add the chain of a link: one node per column, with the label at the middle node."""
    first, last = graph.column[link.source], graph.column[link.target]
    assert first < last
    straight = _straightness(link.paths)
    thin = 4.0 + _half_width(link)
    chain = [link.source]
    for column in range(first + 1, last):
        if column == first + 1 + 2 * ((last - first - 1) // 4):
            chain.append(graph.add(column, *label_size(link), stiffness=straight))
            graph.labelled.append(chain[-1])
        else:
            chain.append(graph.add(column, thin, thin, 0.0, stiffness=4.0 * straight))
    chain.append(link.target)
    for before, after in itertools.pairwise(chain):
        graph.right[before].append(after)
        graph.left[after].append(before)
    graph.chains.append(chain)


def _straightness(paths: tuple[int, ...]) -> float:
    return _STRAIGHTEST if 0 in paths else _STRAIGHT if paths else 1.0


# ---- The order of nodes in columns: few crossings, by barycentres ----

_SWEEPS = 12
_SWAPS = 8

_Columns = list[list[int]]


def ordered_columns(graph: LayeredGraph) -> _Columns:
    """Return the nodes of each column from top to bottom, in the order found with the fewest crossings."""
    columns = _first_order(graph)
    best, fewest = [list(column) for column in columns], crossings(graph, columns)
    for sweep in range(_SWEEPS):
        if not fewest:
            break
        _sweep(graph, columns, forth=sweep % 2 == 0)
        _swap(graph, columns)
        found = crossings(graph, columns)
        if found < fewest:
            best, fewest = [list(column) for column in columns], found
    return best


def _first_order(graph: LayeredGraph) -> _Columns:
    """Return the nodes of each column in the order of a depth-first traversal, so that neighbours are close."""
    columns: _Columns = [[] for _ in range(1 + max(graph.column))]
    met = set()
    pending = [node for node, left in reversed(list(enumerate(graph.left))) if not left]
    while pending:
        node = pending.pop()
        if node not in met:
            met.add(node)
            columns[graph.column[node]].append(node)
            pending.extend(reversed(graph.right[node]))
    return columns


def _sweep(graph: LayeredGraph, columns: _Columns, *, forth: bool) -> None:
    """Sort each column by the mean position of each node's neighbours in the previous column."""
    neighbours = graph.left if forth else graph.right
    order = columns if forth else columns[::-1]
    for before, column in itertools.pairwise(order):
        rank = {node: number for number, node in enumerate(before)}
        own = {node: number for number, node in enumerate(column)}
        ranks = {node: [rank[n] for n in neighbours[node]] or [own[node]] for node in own}
        column.sort(key=lambda node: (sum(ranks[node]) / len(ranks[node]), own[node]))


def _swap(graph: LayeredGraph, columns: _Columns) -> None:
    """Swap adjacent nodes if this reduces crossings; repeat at most `_SWAPS` times."""
    rank = {node: number for column in columns for number, node in enumerate(column)}
    for _ in range(_SWAPS):
        swapped = False
        for column in columns:
            for place in range(len(column) - 1):
                above, below = column[place], column[place + 1]
                gain = 0  # the number of crossings that this swap removes
                for side in (graph.left, graph.right):
                    for first, second in itertools.product(side[above], side[below]):
                        gain += (rank[first] > rank[second]) - (rank[first] < rank[second])
                if gain > 0:
                    column[place], column[place + 1] = below, above
                    rank[above], rank[below] = rank[below], rank[above]
                    swapped = True
        if not swapped:
            break


def crossings(graph: LayeredGraph, columns: _Columns) -> int:
    """Count the crossings of lines, given the order of the nodes in each column."""
    total = 0
    for left, right in itertools.pairwise(columns):
        rank = {node: number for number, node in enumerate(right)}
        reached: list[int] = []
        for node in left:
            ends = sorted(rank[neighbour] for neighbour in graph.right[node])
            total += sum(len(reached) - bisect_right(reached, end) for end in ends)
            for end in ends:
                insort(reached, end)
    return total


# ---- The heights of nodes: near their neighbours, without overlaps ----

_PLACING_SWEEPS = 24
_GAP = 3.0


def heights(graph: LayeredGraph, columns: _Columns) -> list[float]:
    """Return the vertical position (y) of each node's line.

    Place the nodes of each column as near to their neighbours as possible (exact least squares), without overlaps and
    in the given order.
    """
    found = [0.0] * len(graph.column)
    for column in columns:
        _place(graph, column, [0.0] * len(column), [1.0] * len(column), found)
    for sweep in range(_PLACING_SWEEPS):
        forth = sweep % 2 == 0
        # Use neighbours on one side first, so that distant nodes have an influence; later use both sides.
        sides = [graph.left if forth else graph.right] if sweep < _PLACING_SWEEPS // 2 else [graph.left, graph.right]
        for column in columns if forth else reversed(columns):
            wanted, weights = [], []  # each node's weighted mean height of its neighbours, and the sum of the weights
            for node in column:
                pairs = [(found[n], graph.stiffness[n] * graph.stiffness[node]) for side in sides for n in side[node]]
                weights.append(sum(w for _, w in pairs) if pairs else 0.01)
                wanted.append(sum(y * w for y, w in pairs) / weights[-1] if pairs else found[node])
            _place(graph, column, wanted, weights, found)
    top = min(line - up for line, up in zip(found, graph.up, strict=True))
    return [line - top for line in found]


def _place(
    graph: LayeredGraph, column: Sequence[int], wanted: Sequence[float], weights: Sequence[float], found: list[float]
) -> None:
    """Write into `found` the heights of a column that are nearest to the `wanted` heights, without overlaps.

    Subtract the least distances between nodes, apply isotonic regression with `weights`, and add the distances again.
    """
    offset = [0.0]
    for above, below in itertools.pairwise(column):
        offset.append(offset[-1] + graph.down[above] + _GAP + graph.up[below])
    pools: list[tuple[float, float, int]] = []
    for place, own, distance in zip(wanted, weights, offset, strict=True):
        mean, weight, size = place - distance, own, 1
        while pools and pools[-1][0] > mean:
            before, heavy, many = pools.pop()
            mean = (before * heavy + mean * weight) / (heavy + weight)
            weight, size = weight + heavy, size + many
        pools.append((mean, weight, size))
    means = (mean for mean, _, size in pools for _ in range(size))
    for node, mean, distance in zip(column, means, offset, strict=True):
        found[node] = mean + distance


# ---- The layered layout ----

_NARROWEST, _WIDEST = 14.0, 70.0
_SLOPE = 0.3
_NEAR, _LEVEL = 0.01, 1.0


def layered_layout(diagram: Diagram) -> Picture:
    """Lay out a diagram in layers; return its positions as a `Picture`."""
    graph = layered_graph(diagram, layers_of(diagram))
    columns = ordered_columns(graph)
    y = heights(graph, columns)
    left = _borders(graph, columns, y)
    drawn = _Drawing(diagram, graph, y, left)
    bottom = max(line + down for line, down in zip(y, graph.down, strict=True))
    shapes = [Shape(v.shape, *drawn.centre(n), *vertex_size(v), v.paths) for n, v in enumerate(diagram.vertices)]
    curves = tuple(map(drawn.curve, range(len(diagram.links))))
    size = (left[-1][1], bottom)
    return with_legend(
        Picture(*size, diagram.title, diagram.paths, tuple(shapes), curves, tuple(drawn.texts())), diagram
    )


def layers_of(diagram: Diagram) -> list[int]:
    """Return the layer of each vertex: the number of links on the longest path to it."""
    import networkx as nx

    graph = nx.DiGraph()  # links given here would make NetworkX look for pandas, and warn where there is none
    graph.add_edges_from((link.source, link.target) for link in diagram.links if link.source != link.target)
    graph.add_nodes_from(range(len(diagram.vertices)))
    layers = [0] * len(diagram.vertices)
    for layer, vertices in enumerate(nx.topological_generations(graph)):
        for vertex in vertices:
            layers[vertex] = layer
    return layers


def _borders(graph: LayeredGraph, columns: _Columns, y: Sequence[float]) -> list[tuple[float, float]]:
    """Return the left and right border of each column; the space between two columns is wide enough for all bends."""
    borders: list[tuple[float, float]] = []
    right = 0.0
    for place, column in enumerate(columns):
        if place:
            steps = [abs(y[node] - y[n]) for node in column for n in graph.left[node]]
            right += min(_WIDEST, _NARROWEST + _SLOPE * max(steps, default=0.0))
        borders.append((right, right + max(graph.width[node] for node in column)))
        right = borders[-1][1]
    return borders


class _Drawing:
    """A diagram with the positions of its nodes."""

    def __init__(
        self, diagram: Diagram, graph: LayeredGraph, y: Sequence[float], borders: Sequence[tuple[float, float]]
    ) -> None:
        self.diagram, self.graph, self.y, self.borders = diagram, graph, y, borders

    def centre(self, node: int) -> Position:
        left, right = self.borders[self.graph.column[node]]
        return Position((left + right) / 2, self.y[node])

    def curve(self, number: int) -> Curve:
        link, chain = self.diagram.links[number], self.graph.chains[number]
        if link.source == link.target:
            return Curve(self._loop(link.source), link.paths, shade=link.shade)
        points = [self._port(link.source, chain[1], 1)]
        _line_to(points, Position(self.borders[self.graph.column[link.source]][1], points[0].y))
        for node in chain[1:-1]:
            left, right = self.borders[self.graph.column[node]]
            if left == right:
                continue  # a column without labels
            _bend_to(points, Position(left, self.y[node]))
            _line_to(points, Position(right, points[-1].y))
        end = self._port(link.target, chain[-2], -1)
        _bend_to(points, Position(self.borders[self.graph.column[link.target]][0], end.y))
        _line_to(points, Position(end.x, points[-1].y))
        return Curve(tuple(points), link.paths, shade=link.shade)

    def texts(self) -> Iterator[PlacedText]:
        for number, vertex in enumerate(self.diagram.vertices):
            x, y = self.centre(number)
            size = SIZE if vertex.shape in BOXES else SMALL
            yield PlacedText(x, y + 0.36 * size, visible(vertex.text), size, role="state")
            if vertex.detail:
                below = y + vertex_size(vertex)[1] / 2 + 2 + ASCENT * SMALL
                yield PlacedText(x, below, visible(vertex.detail), SMALL, role="detail")
        for number, link in enumerate(self.diagram.links):
            x, line = self.centre(self.graph.labelled[number])
            lines = _half_width(link)
            above = below = line
            if link.source == link.target:
                # Both texts are above the line: the label over the detail.
                below = self._top(link.source) - label_size(link)[1] - lines
                above = below + (lines if link.detail else 0.0)
            if link.label:
                yield PlacedText(x, above - lines - 4 - DESCENT * SIZE, visible(link.label), SIZE)
            if link.detail:
                yield PlacedText(x, below + lines + 4 + ASCENT * SMALL, visible(link.detail), SMALL, role="detail")

    def _port(self, vertex: int, towards: int, side: int) -> Position:
        """Return the point on a vertex's border where a link begins or ends, shifted towards the link's other end."""
        x, y = self.centre(vertex)
        width, height = vertex_size(self.diagram.vertices[vertex])
        shift = 0.33 * height * math.tanh((self.y[towards] - y) / (1.5 * height))
        if self.diagram.vertices[vertex].shape in BOXES:
            return Position(x + side * width / 2, y + shift)
        return Position(x + side * math.sqrt(width**2 / 4 - shift**2), y + shift)

    def _top(self, vertex: int) -> float:
        """Return the highest point of a vertex's self-loop."""
        return self.y[vertex] - vertex_size(self.diagram.vertices[vertex])[1] / 2 - LOOP

    def _loop(self, vertex: int) -> tuple[Position, ...]:
        """Return the curve of a self-loop: from the upper right of the vertex over its top to the upper left."""
        x, y = self.centre(vertex)
        side = 0.35 * vertex_size(self.diagram.vertices[vertex])[1]
        top, width = self._top(vertex), 1.6 * side
        right = [(side, y - side), (width, (y + top) / 2 - side), (width, top)]
        left = [(-across, height) for across, height in reversed(right)]
        return tuple(Position(x + across, height) for across, height in (*right, (0.0, top), *left))


def _bend_to(points: list[Position], end: Position) -> None:
    """Add a bend that starts and ends horizontally, or a straight line if both heights are nearly equal."""
    if abs(end.y - points[-1].y) < _LEVEL:
        _line_to(points, Position(end.x, points[-1].y))
        return
    middle = (points[-1].x + end.x) / 2
    points += [Position(middle, points[-1].y), Position(middle, end.y), end]


def _line_to(points: list[Position], end: Position) -> None:
    """Add a straight line, unless its length is nearly zero."""
    if abs(end.x - points[-1].x) <= _NEAR:
        return
    if len(points) > 1 and points[-4:-1] == [points[-4], points[-4], points[-1]] and points[-4].y == end.y:
        del points[-3:]  # one line instead of two
    points += [points[-1], end, end]


# ---- The layout of trees: parents above the middle of their children, subtrees side by side ----

_TREE_GAP, _TREE_LEVEL = 10.0, 52.0


def tree_layout(diagram: Diagram) -> Picture:
    """Lay out a tree as a `Picture`. Links lead from parents to children; parents must come first."""
    children: list[list[int]] = [[] for _ in diagram.vertices]
    for link in diagram.links:
        children[link.source].append(link.target)
    sizes = [vertex_size(vertex) for vertex in diagram.vertices]
    # Parents come before children: go backwards, so that the width of each subtree is known when it is needed.
    room = [width + _TREE_GAP for width, _ in sizes]
    for vertex in reversed(range(len(children))):
        room[vertex] = max(room[vertex], sum(room[child] for child in children[vertex]))
    x, y = [room[0] / 2] * len(children), [sizes[0][1] / 2 + 2] * len(children)
    for vertex, below in enumerate(children):
        left = x[vertex] - sum(room[child] for child in below) / 2
        for child in below:
            x[child], y[child] = left + room[child] / 2, y[vertex] + _TREE_LEVEL
            left += room[child]
    shapes = [Shape(v.shape, x[n], y[n], *sizes[n], v.paths) for n, v in enumerate(diagram.vertices)]
    texts = [
        PlacedText(x[n], y[n] + 0.36 * SIZE, visible(v.text), SIZE, role="state")
        for n, v in enumerate(diagram.vertices)
    ]
    curves = []
    for link in diagram.links:
        begin = Position(x[link.source], shapes[link.source].rectangle.bottom)
        end = Position(x[link.target], shapes[link.target].rectangle.top)
        middle = (begin.y + end.y) / 2
        curves.append(Curve((begin, Position(begin.x, middle), Position(end.x, middle), end), link.paths, arrow=False))
    bottom = max(shape.rectangle.bottom for shape in shapes) + 2
    return with_legend(Picture(room[0], bottom, diagram.title, (), tuple(shapes), tuple(curves), tuple(texts)), diagram)
