"""The columns of a layered drawing: every vertex, every label and every stretch of a link has a slot in one.

States stand in even columns, labels in odd ones. A link passes each column between its ends in a slot of its own, which
nothing else may touch: so no line crosses a label or a vertex, however long it is.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

from latticemetric.drawing.diagram import BOXES, Diagram, Link, Vertex
from latticemetric.drawing.letters import text_width, visible
from latticemetric.drawing.picture import APART, ASCENT, DESCENT, SIZE, SMALL

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
        """A new slot; returns its number."""
        self.column.append(column)
        self.up.append(up)
        self.down.append(down)
        self.width.append(width)
        self.left.append([])
        self.right.append([])
        self.stiffness.append(stiffness)
        return len(self.column) - 1

    def join(self, first: int, second: int) -> None:
        """Makes neighbours of two slots."""
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
    """The slots of a diagram whose vertices stand in these layers."""
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
    """A link to the vertex itself rises above it, with everything that is written on it above its line."""
    above, below, width = label_size(link)
    slots.up[link.source] += LOOP + above + below
    slots.width[link.source] = max(slots.width[link.source], width)
    slots.chains.append([link.source])
    slots.labelled.append(link.source)


def _add_chain(slots: Slots, link: Link) -> None:
    """A slot a column; the label in the middle, where there are as many columns before it as behind."""
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
